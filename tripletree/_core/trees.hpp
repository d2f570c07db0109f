// Rooted trees as parent arrays: parent[u] > u, but the root, which is last, has parent -1. Leaves are 0..n-1.
//
// A forward loop goes up, a backward loop down. Greater numbers are higher up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

// Lists that stand one after the other: that of u is value[start[u]] to value[start[u + 1] - 1].
struct Lists {
    std::vector<Index> start, value;
};

// The children of each node, in increasing order.
inline Lists child_lists(const Index* parent, Index n_nodes) {
    Lists out{std::vector<Index>(n_nodes + 1, 0), std::vector<Index>(std::max(n_nodes - 1, 0))};
    for (Index u = 0; u + 1 < n_nodes; ++u) ++out.start[parent[u] + 1];
    for (Index u = 0; u < n_nodes; ++u) out.start[u + 1] += out.start[u];
    std::vector<Index> next(out.start.begin(), out.start.end() - 1);
    for (Index u = 0; u + 1 < n_nodes; ++u) out.value[next[parent[u]]++] = u;
    return out;
}

// The leaves in depth-first order, children in increasing order. Those below u stand at places start[u] to stop[u] - 1.
struct LeafOrder {
    std::vector<Index> start, stop, order;
};

inline LeafOrder leaf_order(const Index* parent, Index n_nodes, Index n) {
    LeafOrder out{std::vector<Index>(n_nodes, 0), std::vector<Index>(n_nodes, 0), std::vector<Index>(n)};
    auto& [start, stop, order] = out;
    std::fill_n(start.begin(), n, 1);
    for (Index u = 0; u + 1 < n_nodes; ++u) start[parent[u]] += start[u];  // sizes, for now
    // each node deals out its places from the end, to the child of the greatest number first
    std::vector<Index> end(n_nodes);
    const Index root = n_nodes - 1;
    start[root] = 0;
    stop[root] = end[root] = n;
    for (Index u = root - 1; u >= 0; --u) {
        const Index size = start[u];
        stop[u] = end[u] = end[parent[u]];
        end[parent[u]] -= size;
        start[u] = stop[u] - size;
    }
    for (Index u = 0; u < n; ++u) order[start[u]] = u;
    return out;
}

// The last common ancestor of each two neighbours in depth-first order, one for places i and i + 1.
inline std::vector<Index> gap_nodes(const Index* parent, const std::vector<Index>& stop, Index n) {
    std::vector<Index> gap(std::max(n - 1, 1), 0);
    // behind every child but the last stands a gap in which two children of p meet, and each gap is such a one once
    for (Index u = 0; u + 1 < static_cast<Index>(stop.size()); ++u)
        if (stop[u] < stop[parent[u]]) gap[stop[u] - 1] = parent[u];
    return gap;
}

// Whether an array is a tree on n leaves: in the order told above, and no inner node without a child.
inline bool is_tree(const Index* parent, std::size_t n_nodes, Index n) {
    if (n < 1 || n_nodes < static_cast<std::size_t>(n) || n_nodes > INT32_MAX / 2) return false;
    const auto size = static_cast<Index>(n_nodes);
    std::vector<char> has_child(size, 0);
    for (Index u = 0; u + 1 < size; ++u) {
        if (parent[u] < std::max(u + 1, n) || parent[u] >= size) return false;
        has_child[parent[u]] = 1;
    }
    return parent[size - 1] == none && std::find(has_child.begin() + n, has_child.end(), 0) == has_child.end();
}

}  // namespace tripletree
