// Comparisons of two trees for Python.
#include "compare.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {

void define_compare(nb::module_& module) {
    nb::module_ m = module.def_submodule("compare", "Comparisons of two trees.");
    m.def(
        "agreement",
        [](Vector<Index> one, Vector<Index> two, Index n, bool both) {
            const Parents first = tree_without_gaps(one, n), second = tree_without_gaps(two, n);
            const auto found =
                run_long([&](Interrupts& watch) { return TripleCounts(first, second, n, both).count(watch); });
            return nb::make_tuple(found.alike, found.resolved);
        },
        "one"_a, "two"_a, "n"_a, "both"_a);
    m.def(
        "shared_clades",
        [](Vector<Index> one, Vector<Index> two, Index n) {
            return shared_clades(tree_without_gaps(one, n), tree_without_gaps(two, n), n);
        },
        "one"_a, "two"_a, "n"_a);
}

}  // namespace tripletree
