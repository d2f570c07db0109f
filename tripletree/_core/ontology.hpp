// Walks over a rooted graph in which nodes have several parents.
//
// Neighbours come as lists that stand one after the other: those of u are value[start[u]] to value[start[u + 1] - 1].
// Each walk but `dominators` is linear in the number of nodes and edges.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

// Lists of neighbours that somebody else keeps.
struct Graph {
    const Index *start, *value;
    Index n_nodes;

    Index degree(Index u) const { return start[u + 1] - start[u]; }
    const Index* begin(Index u) const { return value + start[u]; }
    const Index* end(Index u) const { return value + start[u + 1]; }
};

struct TopDown {
    std::vector<Index> order;  // parents before children. Nodes of a cycle, and those below one, are missing
    std::vector<Index> level;  // the longest path to each node
};

inline TopDown top_down(std::vector<Index> n_parents, const Graph& children) {
    TopDown out{{}, std::vector<Index>(children.n_nodes, 0)};
    for (Index u = 0; u < children.n_nodes; ++u)
        if (n_parents[u] == 0) out.order.push_back(u);
    for (std::size_t head = 0; head < out.order.size(); ++head) {
        const Index u = out.order[head];
        for (const Index* v = children.begin(u); v != children.end(u); ++v) {
            out.level[*v] = std::max(out.level[*v], out.level[u] + 1);
            if (--n_parents[*v] == 0) out.order.push_back(*v);
        }
    }
    return out;
}

// Which nodes can be reached from some nodes along the lists, the nodes themselves included.
inline Flags reached(const Graph& graph, const Index* sources, std::size_t n_sources) {
    Flags is_reached(graph.n_nodes, 0);
    std::vector<Index> waiting;
    const auto meet = [&](Index u) {
        if (is_reached[u]) return;
        is_reached[u] = 1;
        waiting.push_back(u);
    };
    for (std::size_t i = 0; i < n_sources; ++i) meet(sources[i]);
    while (!waiting.empty()) {
        const Index u = waiting.back();
        waiting.pop_back();
        std::for_each(graph.begin(u), graph.end(u), meet);
    }
    return is_reached;
}

// The parent of greatest score of each node, the first one of a tie.
inline std::vector<Index> best_parent(const Graph& parents, const Count* score) {
    std::vector<Index> best(parents.n_nodes, none);
    for (Index u = 0; u < parents.n_nodes; ++u)
        for (const Index* p = parents.begin(u); p != parents.end(u); ++p)
            if (best[u] == none || score[*p] > score[best[u]]) best[u] = *p;
    return best;
}

// The immediate dominator of each node: where its parents meet in the tree of those above. O(p log n) for p edges.
//
// Node d dominates u when every path from the root to u passes d. The nearest such d other than u is its immediate
// dominator. All parents are greater than their children. There may be one node more than have lists: it stands above
// all nodes without parents. The last node is the root.
inline std::vector<Index> dominators(const Graph& parents, Index n) {
    struct Node {
        Index idom = none, jump, depth = 0;  // `jump` leads to a far dominator, at equal depths to one of equal depth
    };
    const Index root = n - 1;
    std::vector<Node> node(n, Node{none, root, 0});
    // the lowest common dominator of two nodes, in O(log n)
    const auto meeting = [&](Index p, Index q) {
        const auto lift = [&](Index u, Index depth) {
            while (node[u].depth > depth) u = node[node[u].jump].depth >= depth ? node[u].jump : node[u].idom;
            return u;
        };
        p = lift(p, node[q].depth);
        q = lift(q, node[p].depth);
        while (p != q) {
            const bool is_far = node[p].jump != node[q].jump;
            p = is_far ? node[p].jump : node[p].idom;
            q = is_far ? node[q].jump : node[q].idom;
        }
        return p;
    };
    for (Index u = root - 1; u >= 0; --u) {
        Index p = root;
        if (parents.degree(u) > 0) {
            p = *parents.begin(u);
            for (const Index* other = parents.begin(u) + 1; other != parents.end(u); ++other) p = meeting(p, *other);
        }
        const Index far = node[p].jump, depth = node[p].depth;
        // two jumps of one length are joined to one (skew binary numbers)
        const bool joins = depth - node[far].depth == node[far].depth - node[node[far].jump].depth;
        node[u] = {p, joins ? node[far].jump : p, depth + 1};
    }
    std::vector<Index> idom(n);
    for (Index u = 0; u < n; ++u) idom[u] = node[u].idom;
    return idom;
}

// The rest of each node when only some nodes are kept: its own number, or the number of the only one left below it.
// Nodes without a number are not kept, and have at most one child with a kept node below.
inline std::vector<Index> held(const Index* parent, const Index* number, Index n) {
    std::vector<Index> out(n, none);
    for (Index u = 0; u < n; ++u) {
        if (number[u] != none) out[u] = number[u];
        const Index p = parent[u];
        if (p != none && number[p] == none && out[u] != none) out[p] = out[u];
    }
    return out;
}

// The dominance frontier of each node u: nodes with a parent dominated by u, which u does not dominate. Both vectors
// are empty if they are more than `most`.
struct Frontiers {
    std::vector<Count> start;
    std::vector<Index> node;
};

inline Frontiers frontiers(const Graph& parents, const std::vector<Index>& idom, Count most, Interrupts& watch) {
    const auto n = static_cast<Index>(idom.size());
    std::vector<Index> seen_by(n);
    // Calls f(u) for each u with x in its frontier. A node with one parent is in none: that parent dominates it.
    const auto for_frontiers = [&](Index x, auto f) {
        if (parents.degree(x) < 2) return;
        for (const Index* p = parents.begin(x); p != parents.end(x); ++p)
            for (Index u = *p; u != none && u != idom[x] && seen_by[u] != x; u = idom[u]) {
                seen_by[u] = x;  // as all nodes above are then
                f(u);
            }
    };
    Frontiers out{std::vector<Count>(n + 1, 0), {}};
    Count total = 0;
    std::fill(seen_by.begin(), seen_by.end(), none);
    for (Index x = 0; x < parents.n_nodes; ++x) {
        const Count before = total;
        for_frontiers(x, [&](Index u) {
            ++out.start[u + 1];
            ++total;
        });
        if (total > most) return {};
        watch.check(x, 1 + total - before);
    }
    for (Index u = 0; u < n; ++u) out.start[u + 1] += out.start[u];
    out.node.resize(total);
    std::vector<Count> next(out.start.begin(), out.start.end() - 1);
    std::fill(seen_by.begin(), seen_by.end(), none);
    for (Index x = 0; x < parents.n_nodes; ++x) {
        for_frontiers(x, [&](Index u) { out.node[next[u]++] = x; });
        watch.check(x, 1 + parents.degree(x));
    }
    return out;
}

// For each of some nodes d the topmost nodes x below d that d does not dominate: d reaches all that d and they
// dominate.
//
// They are the frontier of d, the frontiers of the nodes in it, and so on. The dominator of each is above d: it
// dominates a node of which x is in the frontier, and is not below that. So none of them dominates another. Both
// vectors are empty if they are more than `most`.
inline Frontiers closures(const Index* nodes, std::size_t n_nodes, const Count* first, const Index* frontier, Index n,
                          Count most, Interrupts& watch) {
    Frontiers out{std::vector<Count>(1, 0), {}};
    std::vector<Count> seen_by(n, none);
    for (std::size_t k = 0; k < n_nodes; ++k) {
        std::size_t head = out.node.size();  // the nodes found are the queue of nodes to be followed
        for (Index x = nodes[k];; x = out.node[head++]) {
            for (Count i = first[x]; i < first[x + 1]; ++i) {
                if (seen_by[frontier[i]] == static_cast<Count>(k)) continue;
                seen_by[frontier[i]] = static_cast<Count>(k);
                out.node.push_back(frontier[i]);
            }
            watch.check(static_cast<Count>(k), 1 + first[x + 1] - first[x]);
            if (head == out.node.size()) break;
        }
        out.start.push_back(static_cast<Count>(out.node.size()));
        if (out.start.back() > most) return {};
    }
    return out;
}

// The leaves that a node of a rooted graph reaches, in terms of its dominator tree.
//
// Node d reaches the nodes that d dominates, and the nodes dominated by some other nodes whose dominators are above d:
// a union of disjoint clades of the tree that dominators make of the leaves. Leaves are 0..n-1. An inner node has a
// list of nodes whose clades these are, from left to right. The leaves below a node stand at places left to right - 1.
class Reach {
   public:
    Reach(std::vector<Count> start, std::vector<Index> node, std::vector<Index> left, std::vector<Index> right)
        : n_inner_(static_cast<Index>(start.size()) - 1),
          n_(static_cast<Index>(left.size()) - n_inner_),
          start_(std::move(start)),
          node_(std::move(node)),
          before_(node_.size()),
          left_(std::move(left)),
          right_(std::move(right)),
          size_(n_inner_, 0) {
        for (Index d = 0; d < n_inner_; ++d)
            for (Count i = start_[d]; i < start_[d + 1]; ++i) {
                before_[i] = size_[d];
                size_[d] += width(node_[i]);
            }
    }

    Index n_leaves() const { return n_; }
    Index n_nodes() const { return n_ + n_inner_; }
    std::size_t n_entries() const { return node_.size(); }  // of all lists
    Index size(Index d) const { return size_[d - n_]; }     // the leaves that inner node d reaches

    bool is_covered(Index d, Index at) const {  // whether inner node d reaches the leaf at a place
        // the last of its clades that begins there or before is the only one that can hold it
        Count low = start_[d - n_], high = start_[d - n_ + 1];
        while (high - low > 1) {
            const Count middle = (low + high) / 2;
            (left_[node_[middle]] <= at ? low : high) = middle;
        }
        return left_[node_[low]] <= at && at < right_[node_[low]];
    }

    // The place of the k-th leaf (from 0) that inner node d does not reach.
    Index nth_outside(Index d, Count k) const {
        // the last clade with at most k leaves outside before it, none, if the k-th is in front of all
        const Count least = start_[d - n_] - 1;
        Count low = least, high = start_[d - n_ + 1];
        while (high - low > 1) {
            const Count middle = (low + high) / 2;
            (left_[node_[middle]] - before_[middle] <= k ? low : high) = middle;
        }
        return static_cast<Index>(low > least ? k + before_[low] + width(node_[low]) : k);
    }

    struct Enclosing {
        std::vector<Index> node;    // the nearest node above each inner node d with a leaf that d does not reach
        std::vector<Count> inside;  // how many children of it are reached from d, the one above d included
    };

    Enclosing enclosing(const Index* parent, Interrupts& watch) const {
        Enclosing out{std::vector<Index>(n_inner_, none), std::vector<Count>(n_inner_, 0)};
        for (Index k = 0; k < n_inner_; ++k) {
            const Index d = n_ + k;
            Count low = start_[k];
            while (node_[low] != d) ++low;
            Count high = low + 1;
            Index size = width(d);
            for (Index u = parent[d]; u != none; u = parent[u]) {
                // the interval of u holds a run of d's list, around d itself
                while (low > start_[k] && left_[node_[low - 1]] >= left_[u]) size += width(node_[--low]);
                while (high < start_[k + 1] && right_[node_[high]] <= right_[u]) size += width(node_[high++]);
                watch.check(k);
                if (size >= width(u)) continue;
                out.node[k] = u;
                out.inside[k] = 1;
                for (Count i = low; i < high; ++i) out.inside[k] += node_[i] != d && parent[node_[i]] == u;
                break;
            }
            watch.check(k, 1 + start_[k + 1] - start_[k]);
        }
        return out;
    }

    // For each inner node d, leaves c that make certain triplets ab|c with any leaves a, b that meet in d, by places.
    //
    // They are enough for the other triplets to follow. They come from the children of w = `enclosing`[d] that d does
    // not reach, and from the nodes that w reaches elsewhere and d does not. Only `start` is filled if they are more
    // than `most`.
    Frontiers thirds(const std::vector<Index>& enclosing, const ChildLists& children, Count most,
                     Interrupts& watch) const {
        Frontiers out{std::vector<Count>(1, 0), {}};
        Count size = 0;
        std::vector<Index> waiting;
        for (Index d = n_; d < n_nodes(); ++d) {
            const Index w = enclosing[d - n_];
            // leaves for a clade: one where it does not reach d, else one for each part
            const auto add = [&](Index clade) {
                if (is_covered(d, left_[clade])) return;
                waiting.assign(1, clade);
                while (!waiting.empty()) {
                    const Index x = waiting.back();
                    waiting.pop_back();
                    watch.check(d, 8);
                    if (x < n_ || !is_covered(x, left_[d])) {
                        if (++size <= most) out.node.push_back(left_[x]);
                    } else {
                        const auto parts = children.of(x);
                        waiting.insert(waiting.end(), parts.begin(), parts.end());
                    }
                }
            };
            if (w != none) {
                for (const Index x : children.of(w)) add(x);
                for (Count j = start_[w - n_]; j < start_[w - n_ + 1]; ++j)
                    if (node_[j] != w) add(node_[j]);
            }
            out.start.push_back(size);
            watch.check(d, 8);
        }
        if (size > most) out.node.clear();
        return out;
    }

   private:
    Index n_inner_, n_;
    std::vector<Count> start_;
    std::vector<Index> node_, before_;  // leaves in the clades before in the same list
    std::vector<Index> left_, right_, size_;

    Index width(Index u) const { return right_[u] - left_[u]; }
};

}  // namespace tripletree
