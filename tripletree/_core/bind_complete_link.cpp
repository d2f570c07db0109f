// Shortest paths through must-linked groups, for Python. Condensed distances are changed in place.
#include "complete_link.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

bool are_condensed(std::size_t size, std::size_t n) {
    return 0 < n && n < INT32_MAX && size == n * (n - 1) / 2;
}

void contract(const OutVector<double>& condensed, const Vector<Index>& group, Index n_groups) {
    require(are_condensed(condensed.size(), group.size()), "a distance for each pair is needed");
    Index newest = none;
    for (std::size_t i = 0; i < group.size(); ++i) {
        require(0 <= group(i) && group(i) <= newest + 1, "groups are numbered by their first samples");
        newest = std::max(newest, group(i));
    }
    require(newest + 1 == n_groups, "no such number of groups");
    run_long([&](Interrupts& watch) {
        complete_link::contract(condensed.data(), group.data(), static_cast<Index>(group.size()), n_groups, watch);
    });
}

void shorten_paths(const OutVector<double>& condensed, Index n, const Vector<Index>& linked) {
    require(n > 0 && are_condensed(condensed.size(), n), "a distance for each pair is needed");
    require_range(linked, n, "no such group");
    run_long([&](Interrupts& watch) { complete_link::shorten_paths(condensed.data(), n, copied(linked), watch); });
}

Array<double> farthest(const Vector<double>& condensed, const Vector<Index>& part, Index n_parts) {
    require(are_condensed(condensed.size(), part.size()), "a distance for each pair is needed");
    require(n_parts > 0, "at least one part");
    require_range(part, n_parts, "no such part");
    std::vector<double> out(Count{n_parts} * n_parts);
    run_long([&](Interrupts& watch) {
        complete_link::farthest(condensed.data(), part.data(), static_cast<Index>(part.size()), n_parts, out.data(),
                                watch);
    });
    return given(std::move(out), n_parts);
}

}  // namespace

void define_complete_link(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("complete_link");
    m.def("contract", &contract, "condensed"_a.noconvert(), "group"_a, "n_groups"_a);
    m.def("shorten_paths", &shorten_paths, "condensed"_a.noconvert(), "n_groups"_a, "linked"_a);
    m.def("farthest", &farthest, "condensed"_a.noconvert(), "part"_a, "n_parts"_a);
}

}  // namespace tripletree
