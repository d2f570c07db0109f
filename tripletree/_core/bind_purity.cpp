// Class shares over a hierarchy: small clades are counted into large ones, along the heavy paths.
//
// A heavy path goes from a node down to a leaf, to the child with the most leaves each time. Along it counts only grow:
// each other child brings its leaves, and a leaf is brought at most log2(n) times. Nothing recurses.
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"
#include "rooted_tree.hpp"

namespace tripletree {
namespace {

// The sum, over the pairs of leaves of one class, of the share of that class in the clade where the two meet. It is a
// whole number where every share is 1. code: the class of each of n leaves, -1 if it has none (it counts nowhere).
// Time O(n log n), memory O(n).
double purity_sum(Parents parent, const Index* code, Index n, Index n_classes, Interrupts& watch) {
    const auto n_nodes = static_cast<Index>(parent.size());
    const ChildLists children = child_lists(parent);
    const LeafIntervals leaves = leaf_intervals(parent, n);
    const auto size = [&](Index u) { return leaves.stop[u] - leaves.start[u]; };
    std::vector<Index> heavy(n_nodes, none);  // the child with the most leaves, the lowest of several
    for (Index u = 0; u + 1 < n_nodes; ++u) {
        Index& h = heavy[parent[u]];
        if (h < 0 || size(u) > size(h)) h = u;
    }
    std::vector<Count> count(n_classes);  // of each class in the clade reached so far
    std::vector<Count> met(n_classes);    // pairs of each class that meet at the current node
    // calls `each(class)` for the leaves below u that have one
    const auto for_classes = [&](Index u, auto&& each) {
        for (Index i = leaves.start[u]; i < leaves.stop[u]; ++i)
            if (const Index c = code[leaves.order[i]]; c >= 0) each(c);
        watch.check(u, size(u));
    };
    double total = 0;
    for (Index top = 0; top < n_nodes; ++top) {
        if (top + 1 < n_nodes && heavy[parent[top]] == top) continue;  // inside a heavy path
        Index u = top;
        while (heavy[u] >= 0) u = heavy[u];
        Count known = 0;  // leaves with a class in the clade reached so far
        if (code[u] >= 0) count[code[u]] = known = 1;
        while (u != top) {
            // up to v: each light child meets the leaves counted so far, then is counted itself
            const Index v = parent[u];
            const auto for_light_children = [&](auto&& each) {
                for (const Index w : children.of(v))
                    if (w != u) each(w);
            };
            for_light_children([&](Index w) {
                for_classes(w, [&](Index c) { met[c] += count[c]; });  // not yet those of w: they met further down
                for_classes(w, [&](Index c) { ++count[c], ++known; });
            });
            for_light_children([&](Index w) {
                for_classes(w, [&](Index c) {
                    if (met[c] == 0) return;  // a class once, at its first leaf; count and known are those of v now
                    total += static_cast<double>(met[c]) * (static_cast<double>(count[c]) / static_cast<double>(known));
                    met[c] = 0;
                });
            });
            u = v;
        }
        for_classes(top, [&](Index c) { count[c] = 0; });  // only entries that were used, to stay within O(n log n)
    }
    return total;
}

}  // namespace

void define_purity(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("purity");
    m.def(
        "purity_sum",
        [](Vector<Index> parent, Vector<Index> code, Index n_classes) {
            const auto n = static_cast<Index>(code.size());
            const Parents all = tree_without_gaps(parent, n);
            require_range(code, std::max<Index>(n_classes, 0), "no such class", none);
            return run_long([&](Interrupts& watch) { return purity_sum(all, code.data(), n, n_classes, watch); });
        },
        "parent"_a, "code"_a, "n_classes"_a);
}

}  // namespace tripletree
