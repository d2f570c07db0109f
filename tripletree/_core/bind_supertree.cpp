// Source trees, votes and the search of a supertree, for Python.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "grower.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"
#include "source_trees.hpp"

namespace tripletree {
namespace {

// Trees on n taxa, no taxon twice in a tree.
Sequence sequence(const Vector<Index>& taxon, const Vector<Index>& gap, Index n) {
    require(taxon.size() == gap.size() && taxon.size() < INT32_MAX / 2, "a gap after each taxon");
    require(0 <= n && n < INT32_MAX / 2, "no such number of taxa");
    require_range(taxon, n, "no such taxon");
    require_range(gap, Count{Sequence::end} + 1, "gaps are numbers from 0 on");
    require(gap.size() == 0 || gap(gap.size() - 1) == Sequence::end, "the last tree has no end");
    std::vector<Index> seen_in(n, none);
    Index tree = 0;
    for (std::size_t i = 0; i < taxon.size(); ++i) {
        require(std::exchange(seen_in[taxon(i)], tree) != tree, "a taxon is twice in a tree");
        tree += gap(i) == Sequence::end;
    }
    return {seen(taxon), seen(gap)};
}

void begin_sources(Sources* self, Vector<Index> taxon, Vector<Index> gap, Vector<double> weight, Index n) {
    const Sequence trees = sequence(taxon, gap, n);
    const auto n_trees = std::count(trees.gap.begin(), trees.gap.end(), Sequence::end);
    require(static_cast<std::size_t>(n_trees) == weight.size(), "a weight for each tree");
    for (const double x : seen(weight)) require(std::isfinite(x), "weights are numbers");
    new (self) Sources(trees, copied(weight), n);
}

std::vector<Count> wide(const std::vector<Index>& values) {
    return {values.begin(), values.end()};
}

Array<Count> votes_on_edges(const Sources& self, Vector<Index> parent) {
    const Parents all = tree_without_gaps(parent, self.n);
    const auto found = run_long([&](Interrupts& watch) { return edge_votes(self, all, watch); });
    std::vector<Count> out;
    out.reserve(6 * found.size());
    for (const EdgeVote& x : found)
        out.insert(out.end(), {x.node, x.tree, x.near, x.cross, x.near_alone, x.cross_alone});
    return given(std::move(out), 6);
}

using Splits = nb::ndarray<const Count, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

// Each split is two intervals of `order`: a set, and one side of it.
Array<double> votes_on_splits(const Sources& self, Splits split, Vector<Index> order) {
    require_range(order, self.n, "no such taxon");
    const auto size = static_cast<Count>(order.size());
    for (std::size_t s = 0; s < split.shape(0); ++s)
        for (const int k : {0, 2})
            require(0 <= split(s, k) && split(s, k) <= split(s, k + 1) && split(s, k + 1) <= size, "no such interval");
    return given(run_long([&](Interrupts& watch) {
        VoteScan scan(self, watch);
        VoteScan::Tally trees(self);
        const auto taxa = [&](std::size_t s, int k) {
            return seen(order).subspan(split(s, k), split(s, k + 1) - split(s, k));
        };
        std::vector<double> out(split.shape(0));
        for (std::size_t s = 0; s < out.size(); ++s) {
            out[s] = split_vote(self, scan, trees, taxa(s, 0), taxa(s, 2));
            watch.check(static_cast<Count>(s), split(s, 1) - split(s, 0));
        }
        return out;
    }));
}

// A binary tree that grows and changes, and the trees that vote on it.
struct Grower {
    const Sources& sources;
    BinaryTree tree;
};

void begin_grower(Grower* self, const Sources& sources, std::optional<Vector<Index>> parent) {
    const Index n = sources.n;
    require(n > 0, "a tree has leaves");
    if (!parent) {
        new (self) Grower{sources, BinaryTree(n)};
        return;
    }
    const Parents all = tree_without_gaps(*parent, n);
    require(static_cast<Index>(all.size()) == 2 * n - 1, "no binary tree");
    std::vector<char> n_children(all.size(), 0);
    for (const Index p : all) require(p == none || ++n_children[p] < 3, "no binary tree");
    new (self) Grower{sources, BinaryTree(all, n)};
}

}  // namespace

void define_supertree(nb::module_& module) {
    nb::module_ m = module.def_submodule("supertree", "Source trees, and votes on hierarchies.");
    m.attr("END") = Index{Sequence::end};
    m.def(
        "parts",
        [](Vector<Index> taxon, Vector<Index> gap, Index n) { return given(parts(sequence(taxon, gap, n), n)); },
        "taxon"_a, "gap"_a, "n"_a);
    m.def(
        "divide",
        [](Vector<Index> taxon, Vector<Index> gap, Vector<Index> part, Index k) {
            const Sequence trees = sequence(taxon, gap, static_cast<Index>(part.size()));
            require(0 <= k && k < INT32_MAX, "no such number of parts");
            require_range(part, k, "no such part", none);
            Division out = divide(trees, seen(part), k);
            return nb::make_tuple(given(std::move(out.start)), given(std::move(out.taxon)), given(std::move(out.gap)),
                                  given(std::move(out.tree)));
        },
        "taxon"_a, "gap"_a, "part"_a, "k"_a);
    nb::class_<Sources>(m, "Sources")
        .def("__init__", &begin_sources, "taxon"_a, "gap"_a, "weight"_a, "n"_a)
        .def("nodes",
             [](const Sources& self) {
                 return nb::make_tuple(given(std::vector(self.parent)), given(wide(self.leaves)),
                                       given(wide(self.inners)));
             })
        .def("occurrences",
             [](const Sources& self) {
                 return nb::make_tuple(given(wide(self.occurs)), given(std::vector(self.occurrence)));
             })
        .def("n_triplets", [](const Sources& self) { return given(self.n_triplets()); })
        .def(
            "agreeing_trees",
            [](const Sources& self, Vector<Count> copies, Vector<Index> parent) {
                require(static_cast<Index>(copies.size()) == self.n_trees(), "a number for each tree");
                return given(self.agreeing_trees(seen(copies), tree_without_gaps(parent, self.n)));
            },
            "copies"_a, "parent"_a)
        .def("edge_votes", &votes_on_edges, "parent"_a)
        .def("split_votes", &votes_on_splits, "split"_a, "order"_a);
    nb::class_<Grower>(m, "Grower")
        .def("__init__", &begin_grower, "sources"_a, "parent"_a.none(), nb::keep_alive<1, 2>())
        .def(
            "regraft",
            [](Grower& self, Vector<Index> branches, nb::object tell) {
                require_range(branches, 2 * Count{self.sources.n} - 1, "no such branch");
                return run_long(tell, [&](Interrupts& watch) {
                    return Regraft(self.tree, self.sources, watch).move(seen(branches));
                });
            },
            "branches"_a, "tell"_a.none())
        .def("parents", [](const Grower& self) { return given(self.tree.parents(self.sources.n)); });
}

}  // namespace tripletree
