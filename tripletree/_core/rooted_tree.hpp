// Walks over parent arrays: parent[u] > u for every node but the root, which is last and has parent -1.
//
// A forward loop is bottom-up, a backward loop is top-down. Each function is linear in the number of nodes N, unless it
// says otherwise. Leaves are 0..n-1 and have no children, inner nodes have a leaf below. The oracles in
// tests/oracles.py do the same by following parents one leaf at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "basics.hpp"

namespace tripletree {

using Parents = std::span<const Index>;

// The nodes so that children stand before parents, leaves first and unmoved. Here parents are in any order. The result
// is shorter than the tree if there is a cycle: then nodes of cycles and above them are not in it.
inline std::vector<Index> topological_order(Parents parent, Index n) {
    std::vector<Index> waiting(parent.size(), 0);  // children that are not in the order yet
    for (const Index p : parent)
        if (p >= 0) ++waiting[p];
    std::vector<Index> order;
    order.reserve(parent.size());
    for (Index u = 0; u < n; ++u) order.push_back(u);
    // the order is a queue: a node enters with its last child, so nodes of a cycle never do
    for (std::size_t head = 0; head < order.size(); ++head) {
        const Index p = parent[order[head]];
        if (p >= 0 && --waiting[p] == 0) order.push_back(p);
    }
    return order;
}

// Number of edges from the root to each node.
inline std::vector<Index> depths(Parents parent) {
    std::vector<Index> depth(parent.size(), 0);
    for (auto u = static_cast<Index>(parent.size()) - 2; u >= 0; --u) depth[u] = depth[parent[u]] + 1;
    return depth;
}

// Sum of the branch lengths from the root to each node. The root's own is not counted.
inline std::vector<double> path_sums(Parents parent, std::span<const double> length) {
    std::vector<double> distance(parent.size(), 0.0);
    for (auto u = static_cast<Index>(parent.size()) - 2; u >= 0; --u) distance[u] = distance[parent[u]] + length[u];
    return distance;
}

// Children of every node, in increasing order, as one concatenated list.
struct ChildLists {
    std::vector<Index> start;  // of each node's children, and the end of the last list
    std::vector<Index> child;

    std::span<const Index> of(Index u) const { return std::span(child).subspan(start[u], start[u + 1] - start[u]); }
};

inline ChildLists child_lists(Parents parent) {
    const auto size = static_cast<Index>(parent.size());
    ChildLists lists{std::vector<Index>(size + 1, 0), std::vector<Index>(std::max<Index>(size - 1, 0))};
    for (Index u = 0; u + 1 < size; ++u) ++lists.start[parent[u] + 1];  // one place further, so that sums are starts
    for (Index u = 0; u < size; ++u) lists.start[u + 1] += lists.start[u];
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    for (Index u = 0; u + 1 < size; ++u) lists.child[next[parent[u]]++] = u;
    return lists;
}

// Positions of each clade's leaves in depth-first order (children in increasing order).
struct LeafIntervals {
    std::vector<Index> start, stop;  // the clade of u fills positions start[u] to stop[u] - 1
    std::vector<Index> order;        // the leaf at each position
};

inline LeafIntervals leaf_intervals(Parents parent, Index n) {
    const auto size = static_cast<Index>(parent.size());
    LeafIntervals out{std::vector<Index>(size, 0), std::vector<Index>(size), std::vector<Index>(n)};
    std::vector<Index>&start = out.start, &stop = out.stop;
    for (Index u = 0; u < n; ++u) start[u] = 1;
    for (Index u = 0; u + 1 < size; ++u) start[parent[u]] += start[u];  // sizes, for now
    // each node's range is dealt out to its children from the end, the child of the greatest number last
    std::vector<Index> left(size);  // the end of what is left of the range
    stop[size - 1] = left[size - 1] = n;
    start[size - 1] = 0;
    for (Index u = size - 2; u >= 0; --u) {
        const Index p = parent[u], width = start[u];
        stop[u] = left[u] = left[p];
        left[p] -= width;
        start[u] = stop[u] - width;
    }
    for (Index u = 0; u < n; ++u) out.order[start[u]] = u;
    return out;
}

// Last common ancestor of each two neighbouring leaves in depth-first order: gap[i] belongs to positions i and i + 1.
// (One leaf has no neighbours, but one entry all the same: a table of maxima needs one.)
inline std::vector<Index> gap_nodes(Parents parent, std::span<const Index> stop, Index n) {
    std::vector<Index> gap(std::max<Index>(n - 1, 1), 0);
    for (std::size_t u = 0; u + 1 < parent.size(); ++u) {
        const Index p = parent[u];
        if (stop[u] >= stop[p]) continue;
        // behind every child but the last stands a gap in which two children of p meet; each gap is such a one once
        if (stop[u] < 1 || stop[u] >= n) throw std::invalid_argument("an interval of leaves has no end in the order");
        gap[stop[u] - 1] = p;
    }
    return gap;
}

// Row k of a table of range maxima holds the maxima of windows of 2^k values. Time and memory O(m log m).
inline std::size_t rows_of_maxima(std::size_t m) {
    return std::bit_width(m);
}

inline std::unique_ptr<Index[]> range_maximum_table(std::span<const Index> values) {
    const std::size_t m = values.size(), rows = rows_of_maxima(m);
    auto table = std::make_unique_for_overwrite<Index[]>(rows * m);
    std::copy(values.begin(), values.end(), table.get());
    for (std::size_t k = 1; k < rows; ++k) {
        const std::size_t half = std::size_t{1} << (k - 1);
        const Index* from = table.get() + (k - 1) * m;
        Index* to = table.get() + k * m;
        // a window is two of half its width; at the end it is cut short
        for (std::size_t i = 0; i + half < m; ++i) to[i] = std::max(from[i], from[i + half]);
        std::copy(from + (m - half), from + m, to + (m - half));
    }
    return table;
}

// Maxima of ranges in O(1).
struct RangeMaxima {
    const Index* table;
    std::size_t width;  // of the table, the number of values

    // Of positions i..j-1, where i < j.
    Index operator()(std::size_t i, std::size_t j) const {
        const std::size_t k = std::bit_width(j - i) - 1;
        // two windows of 2^k values cover the range; they may overlap, which a maximum does not mind
        const Index* row = table + k * width;
        return std::max(row[i], row[j - (std::size_t{1} << k)]);
    }
};

// Answers questions on leaves in O(1): ancestors have greater numbers, so the last common ancestor is a range maximum
// of the gaps between the two leaves.
struct Ancestors {
    std::span<const Index> position;  // of each leaf in depth-first order
    RangeMaxima gaps;

    // The place of a leaf. Leaves come from callers, so each is looked at; a table of another tree cannot do harm.
    Index place(Index leaf) const {
        const std::size_t n = position.size();
        if (static_cast<std::size_t>(leaf) >= n) throw std::invalid_argument("a number names no leaf");
        const Index p = position[leaf];
        if (static_cast<std::size_t>(p) >= n) throw std::invalid_argument("a position is not in the order of leaves");
        return p;
    }

    // Oracle: common_ancestor_definition.
    Index common(Index a, Index b) const {
        const Index p = place(a), q = place(b);
        return p == q ? a : gaps(std::min(p, q), std::max(p, q));
    }

    // Which of three leaves is the odd one out: 0, 1 or 2, or -1 if they are unresolved.
    //
    // For leaves at positions p < q < r the last common ancestors of (p, q) and of (q, r) lie on the path from q to the
    // root. Numbers grow along it, so the smaller one is the deeper one, and its two leaves are the close pair.
    // Oracle: induced_odd_definition.
    std::int8_t odd(const Index* triple) const {
        std::int8_t i = 0, j = 1, k = 2;
        Index p = place(triple[0]), q = place(triple[1]), r = place(triple[2]);
        // sort three positions, and their columns with them
        if (p > q) std::swap(p, q), std::swap(i, j);
        if (q > r) std::swap(q, r), std::swap(j, k);
        if (p > q) std::swap(p, q), std::swap(i, j);
        if (p == q || q == r) throw std::invalid_argument("three leaves of a row must differ");
        const Index left = gaps(p, q), right = gaps(q, r);
        if (left == right) return -1;
        return left < right ? k : i;  // p and q meet deeper, or q and r
    }
};

// The nodes in the order of the smallest leaf below each, children before parents: a counting sort.
inline std::vector<Index> by_smallest_leaf(Parents parent, Index n) {
    const auto size = static_cast<Index>(parent.size());
    std::vector<Index> low(size);  // the smallest leaf below
    for (Index u = 0; u < size; ++u) low[u] = std::min(u, n);
    for (Index u = 0; u + 1 < size; ++u) low[parent[u]] = std::min(low[parent[u]], low[u]);
    std::vector<Index> first(n + 2, 0);
    for (const Index leaf : low) ++first[leaf + 1];
    if (first[n + 1] > 0) throw std::invalid_argument("an inner node has no leaf below");
    for (Index i = 0; i < n; ++i) first[i + 1] += first[i];
    std::vector<Index> node(size);
    // in increasing order, so of equal leaves the child comes before its parent
    for (Index u = 0; u < size; ++u) node[first[low[u]]++] = u;
    return node;
}

// The parent array with inner nodes in postorder, children visited by their smallest leaf. Two hierarchies over the
// same leaves have the same clades (and unary chains) exactly if these arrays are equal.
inline std::vector<Index> canonical_parent(Parents parent, Index n) {
    const auto size = static_cast<Index>(parent.size());
    ChildLists lists = child_lists(parent);
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    // dealt out to their parents in this order, the nodes stand in the order of their smallest leaves in each list
    for (const Index u : by_smallest_leaf(parent, n))
        if (parent[u] >= 0) lists.child[next[parent[u]]++] = u;
    std::vector<Index> number(size);
    std::copy(lists.start.begin(), lists.start.end() - 1, next.begin());  // now: the next child to visit
    Index fresh = n;
    // a walk down and up from the root
    for (Index u = size - 1; u >= 0;) {
        if (u >= n && next[u] < lists.start[u + 1]) {
            u = lists.child[next[u]++];
            continue;
        }
        number[u] = u < n ? u : fresh++;  // all children are done
        u = parent[u];
    }
    std::vector<Index> canonical(size);
    for (Index u = 0; u < size; ++u) canonical[number[u]] = parent[u] >= 0 ? number[parent[u]] : none;
    return canonical;
}

// Which nodes remain when some leaves are dropped, and the nearest remaining ancestor of each node: -1 at the new root,
// and without a meaning for nodes that do not remain. Nodes with one remaining child stay if `keep_unary`.
struct Kept {
    Flags keep;
    std::vector<Index> up;
};

inline Kept kept_nodes(Parents parent, std::span<const bool> keep_leaf, bool keep_unary) {
    const auto size = static_cast<Index>(parent.size()), n = static_cast<Index>(keep_leaf.size());
    std::vector<Index> fan(size, 0);  // children with a kept leaf below
    for (Index u = 0; u < size; ++u) {
        const bool alive = u < n ? keep_leaf[u] : fan[u] > 0;
        if (alive && parent[u] >= 0) ++fan[parent[u]];
    }
    Kept out{Flags(size), std::vector<Index>(size)};
    std::vector<Index> nearest(size);  // the node itself if it is kept, else its nearest kept ancestor
    for (Index u = size - 1; u >= 0; --u) {
        const Index above = parent[u] >= 0 ? nearest[parent[u]] : none;
        out.keep[u] = u < n ? keep_leaf[u] : fan[u] > 1 || (keep_unary && fan[u] > 0);
        out.up[u] = above;
        nearest[u] = out.keep[u] ? u : above;
    }
    return out;
}

// Length of each node's branch together with the branches of the dropped nodes right above it.
inline std::vector<double> chain_lengths(Parents parent, std::span<const double> length, std::span<const bool> keep) {
    std::vector<double> total(parent.size());
    total.back() = length.back();
    for (auto u = static_cast<Index>(parent.size()) - 2; u >= 0; --u)
        total[u] = keep[parent[u]] ? length[u] : length[u] + total[parent[u]];
    return total;
}

// The uppermost of each node and the dropped nodes right above it: the node itself where its parent is kept.
inline std::vector<Index> chain_tops(Parents parent, std::span<const bool> keep) {
    const auto root = static_cast<Index>(parent.size()) - 1;
    std::vector<Index> top(parent.size());
    top[root] = root;
    for (Index u = root - 1; u >= 0; --u) top[u] = keep[parent[u]] ? u : top[parent[u]];
    return top;
}

// Climbs from each node as long as the value of the parent exceeds the bound: O(log N) steps a node, by jumps. Returns
// the highest ancestor of each node, or the node itself, whose value exceeds the bound.
//
// Values are never greater at the parent than at the node, and bounds are smaller than the value of their node.
inline std::vector<Index> last_above(Parents parent, std::span<const Count> value, std::span<const Index> node,
                                     std::span<const Count> bound) {
    const auto root = static_cast<Index>(parent.size()) - 1;
    // skew-binary jumps (Myers 1983): a jump is as long as the two before it together, if these are equal
    std::vector<Index> jump(parent.size()), depth(parent.size(), 0);
    jump[root] = root;
    for (Index u = root - 1; u >= 0; --u) {
        const Index p = parent[u], q = jump[p];
        depth[u] = depth[p] + 1;
        jump[u] = depth[p] - depth[q] == depth[q] - depth[jump[q]] ? jump[q] : p;
    }
    std::vector<Index> top(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        Index u = node[i];
        while (u != root && value[parent[u]] > bound[i]) u = value[jump[u]] > bound[i] ? jump[u] : parent[u];
        top[i] = u;
    }
    return top;
}

}  // namespace tripletree
