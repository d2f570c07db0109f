// Comparisons of two trees for Python.
#include "compare.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

void check_trees(const Vector<Index>& one, const Vector<Index>& two, Index n) {
    for (const auto* parent : {&one, &two})
        require(is_tree(parent->data(), parent->size(), n), "no tree on these leaves");
}

Index n_nodes(const Vector<Index>& parent) { return static_cast<Index>(parent.size()); }

}  // namespace

void define_compare(nb::module_& module) {
    nb::module_ m = module.def_submodule("compare");
    m.def(
        "agreement",
        [](Vector<Index> one, Vector<Index> two, Index n, bool both) {
            check_trees(one, two, n);
            const auto found = run_long([&](Interrupts& watch) {
                return TripleCounts(one.data(), n_nodes(one), two.data(), n_nodes(two), n, both).count(watch);
            });
            return nb::make_tuple(found.alike, found.resolved);
        },
        "one"_a, "two"_a, "n"_a, "both"_a);
    m.def(
        "shared_clades",
        [](Vector<Index> one, Vector<Index> two, Index n) {
            check_trees(one, two, n);
            return shared_clades(one.data(), n_nodes(one), two.data(), n_nodes(two), n);
        },
        "one"_a, "two"_a, "n"_a);
}

}  // namespace tripletree
