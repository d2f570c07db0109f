// `AnswerWalk` for Python: chains of trees given answers to "which of these three is the odd one out?".
#include <algorithm>
#include <cmath>

#include "answer_walk.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using Rows64 = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

void begin(AnswerWalk* self, Vector<Index> parent, Vector<double> height, Rows rows, Rows64 votes, double lapses) {
    const auto n = static_cast<Index>((parent.size() + 1) / 2);
    require(n > 1 && parent.size() == 2 * static_cast<std::size_t>(n) - 1, "no binary tree");
    tree_without_gaps(parent, n);
    std::vector<Index> n_children(parent.size(), 0);
    for (Index u = 0; u < 2 * n - 2; ++u) require(++n_children[parent(u)] < 3, "no binary tree");
    require(height.size() == parent.size(), "a height for each node");
    for (Index u = 0; u < 2 * n - 1; ++u) {
        require(std::isfinite(height(u)) && height(u) >= 0, "heights are numbers from 0 on");
        require(parent(u) == none || height(u) < height(parent(u)), "heights grow towards the root");
    }
    require(0 < lapses && lapses < 1, "lapses are a share");
    require(votes.shape(0) == rows.shape(0) && rows.shape(0) < INT32_MAX / 3, "votes for each row");
    const std::vector<Triplet> leaves = triplets_of(rows, n);
    std::vector<AnswerWalk::Trio> trios(leaves.size());
    for (std::size_t t = 0; t < trios.size(); ++t) {
        const auto [a, b, c] = leaves[t];
        require(a != b && b != c && a != c, "three leaves in each row");
        trios[t].leaf = {a, b, c};
        for (std::size_t k = 0; k < 3; ++k) {
            trios[t].votes[k] = votes(t, k);
            require(std::isfinite(votes(t, k)), "votes are numbers");
        }
    }
    new (self) AnswerWalk(copied(parent), copied(height), std::move(trios), n, lapses);
}

void check_draws(const double* draws, std::size_t n) {
    require(std::all_of(draws, draws + n, [](double x) { return 0 <= x && x < 1; }), "random numbers are of [0, 1)");
}

Array<Index> meetings(const AnswerWalk& self) {
    std::vector<Index> out;
    for (const auto& trio : self.trios()) out.insert(out.end(), trio.meet.begin(), trio.meet.end());
    return given(std::move(out), 3);
}

Array<double> logs(const AnswerWalk& self) {
    std::vector<double> out;
    for (const auto& trio : self.trios()) out.push_back(trio.log);
    return given(std::move(out));
}

}  // namespace

void define_answer_walk(nb::module_& m) {
    using Draws = nb::ndarray<const double, nb::shape<-1, 6>, nb::c_contig, nb::device::cpu>;
    using FourDraws = nb::ndarray<const double, nb::shape<2, 2>, nb::c_contig, nb::device::cpu>;
    constexpr auto automatic = nb::rv_policy::automatic;  // arrays own their memory, also those of a property
    nb::class_<AnswerWalk>(m, "AnswerWalk")
        .def("__init__", &begin, "parent"_a, "height"_a, "rows"_a, "votes"_a, "lapses"_a)
        .def("begin", &AnswerWalk::begin)
        .def(
            "rescale",
            [](AnswerWalk& self, FourDraws draws) {
                check_draws(draws.data(), 4);
                self.rescale({draws(0, 0), draws(0, 1), draws(1, 0), draws(1, 1)});
            },
            "draws"_a)
        .def(
            "walk",
            [](AnswerWalk& self, Draws draws) {
                check_draws(draws.data(), draws.size());
                return run_long([&](Interrupts& watch) {
                    return self.walk(draws.data(), static_cast<Count>(draws.shape(0)), watch);
                });
            },
            "draws"_a)
        .def_prop_ro(
            "parent", [](const AnswerWalk& self) { return given(std::vector(self.parent())); }, automatic)
        .def_prop_ro(
            "size", [](const AnswerWalk& self) { return given(std::vector(self.sizes())); }, automatic)
        .def_prop_ro(
            "height", [](const AnswerWalk& self) { return given(std::vector(self.height())); }, automatic)
        .def_prop_ro("meet", &meetings, automatic)
        .def_prop_ro("log", &logs, automatic)
        .def_prop_ro("length", &AnswerWalk::length)
        .def_prop_ro("fit", &AnswerWalk::fit)
        .def_prop_ro("lapses", &AnswerWalk::lapses);
}

}  // namespace tripletree
