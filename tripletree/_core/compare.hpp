// Two trees on the same leaves: on how many leaf triples they agree, and how many clades they share.
//
// The first tree is walked along its heavy paths (from a node to the child with the most leaves, each time, down to a
// leaf). For each path the second tree is contracted to the leaves below the path's top. It is cut into heavy paths as
// well, here called chains and named by the leaf at their end. Along each chain Fenwick trees hold sums over the black
// leaves: the leaves of the first tree's clade that were reached so far. A triple ab|c of the first tree is met once,
// at the child w of its highest node p that holds a and b. If w is on the path, the triple is met as a leaf c to be
// asked about before it turns black. Otherwise it is met in a scan of the leaves of w, with all of p black. Nodes with
// one child count for nothing in either tree.
//
// O(n log n) times a leaf is asked about or turns black, at most. Each time it takes the chains above it, O(log n) of
// them, and at each a Fenwick tree over its length. Memory O(n).
#pragma once

#include <utility>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

class TripleCounts {
   public:
    // `both`: whether to count the triples that both trees resolve, too, which is slower.
    TripleCounts(Parents parent, Parents other_parent, Index n, bool both)
        : n_(n),
          n_nodes_(static_cast<Index>(parent.size())),
          both_(both),
          parent_(parent),
          at_(leaf_intervals(parent, n)),
          children_(child_lists(parent)),
          heavy_(n_nodes_, none),
          clade_of_(n),
          next_place_(n_nodes_),
          clade_(n),
          copy_(n),
          node_(2 * static_cast<std::size_t>(n)),
          rung_(node_.size()),
          chain_(n) {
        for (Index u = 0; u + 1 < n_nodes_; ++u) {
            Index& h = heavy_[parent[u]];
            if (h == none || n_leaves(u) > n_leaves(h)) h = u;
        }
        const LeafIntervals other = leaf_intervals(other_parent, n);
        const std::vector<Index> gap = gap_nodes(other_parent, other.stop, n);
        for (Index i = 0; i < n; ++i) clade_[i] = {other.order[i], i + 1 < n ? gap[i] : none, none, none};
    }

    struct Found {
        Count alike = 0, resolved = 0;  // by the first tree and alike by the second; by both
    };

    Found count(Interrupts& watch) {
        Found found;
        for (Index top = n_nodes_ - 1; top >= n_; --top) {
            const bool is_inside = top < n_nodes_ - 1 && heavy_[parent_[top]] == top;
            if (!is_inside && n_leaves(top) > 2) count_path(top, found, watch);  // fewer make no triple
        }
        if (!both_) found.resolved = 0;
        return found;
    }

   private:
    // ------------------------------------------------------------------ data
    struct CladeLeaf {  // of a clade of the first tree, in the order of the second, as it was last contracted
        Index leaf;
        Index gap;      // where this leaf and the next one meet, as numbered in the second tree
        Index place;    // of the leaf among those of the contracted tree
        Index meeting;  // the gap as numbered in the contracted tree
    };
    struct Node {            // of the contracted tree: leaves 0..s-1 in depth-first order, then the inner nodes
        Index parent, size;  // leaves below
        Index heavy;         // the child with the most leaves
        Index chain, rung;   // the leaf at the end of its chain, and how far above this leaf it stands
    };
    struct Sums {                     // of black leaves
        Count count, pairs, squares;  // pairs below one child off the chain, squares of their number off it at a rung
        void add(const Sums& x) { count += x.count, pairs += x.pairs, squares += x.squares; }
    };
    struct Rung {
        Sums tree;   // part of a Fenwick tree over the rungs of a chain
        Count hung;  // black leaves at the rung, off the chain
    };
    struct Chain {
        Index above, at;     // the chain that the top hangs from, at this rung of it
        Index base, length;  // where its rungs are kept, and how many it has
        Sums total;
    };
    struct Open {              // on the branch: the inner nodes from the root to the leaf at hand
        Index ancestor, node;  // as numbered in the second tree (greater means nearer to the root), and contracted
        Index last_gap;        // the last gap between neighbouring leaves that belongs to it
    };
    struct OpenPairs {  // the same for `pairs_within`
        Index ancestor, node;
        Count leaves, pairs;  // so far, and their pairs that meet there
        Count bw, bbw;        // over its children with b leaves of the clade and w other black ones: b w and b b w
    };

    Index n_, n_nodes_;
    bool both_;
    Parents parent_;
    LeafIntervals at_;
    ChildLists children_;
    std::vector<Index> heavy_;
    std::vector<Index> clade_of_;                // of each leaf: the node beside the path at hand that it is below
    std::vector<Index> next_place_;              // of each such node: where the next of its leaves goes
    std::vector<CladeLeaf> clade_;               // those of each clade of the first tree in its interval
    std::vector<std::pair<Index, Index>> copy_;  // leaves and gaps of the path's clade, which is dealt out
    std::vector<Node> node_;
    std::vector<Rung> rung_;
    std::vector<Chain> chain_;
    std::vector<Open> branch_;
    std::vector<OpenPairs> open_;

    Index n_leaves(Index u) const { return at_.stop[u] - at_.start[u]; }

    // Calls `f` with each child of u but one.
    template <class F>
    void for_other_children(Index u, Index but, F f) const {
        for (const Index w : children_.of(u))
            if (w != but) f(w);
    }

    // ------------------------------------------------------------------ a heavy path of the first tree
    void count_path(Index top, Found& found, Interrupts& watch) {
        Index u = top;
        for (; u >= n_; u = heavy_[u])
            for_other_children(u, heavy_[u], [&](Index w) {
                for (Index i = at_.start[w]; i < at_.stop[w]; ++i) clade_of_[at_.order[i]] = w;
                next_place_[w] = at_.start[w];
            });
        clade_of_[u] = u;
        next_place_[u] = at_.start[u];
        const Index first = at_.start[top], size = n_leaves(top);
        for (Index i = 0; i < size; ++i) copy_[i] = {clade_[first + i].leaf, clade_[first + i].gap};
        link(size, contract(size));
        blacken(clade_[at_.start[u]].place);
        while (u != top) {  // up the path: below h all leaves are black, and the others of u are not yet
            const Index h = u;
            u = parent_[u];
            const std::pair<Index, Index> beside[] = {{at_.start[u], at_.start[h]}, {at_.stop[h], at_.stop[u]}};
            for (const auto& [begin, end] : beside)
                for (Index i = begin; i < end; ++i) {
                    add_pairs_beside(clade_[i].place, found);
                    watch.check(0, 8);
                }
            for (const auto& [begin, end] : beside)
                for (Index i = begin; i < end; ++i) {
                    blacken(clade_[i].place);
                    watch.check(0, 4);
                }
            // now all leaves of u are black: a and b inside a light child w, c in u but outside w
            for_other_children(u, h, [&](Index w) {
                if (n_leaves(w) > 1) add_pairs_within(w, n_leaves(u) - n_leaves(w), found, watch);
            });
        }
    }

    // ------------------------------------------------------------------ the second tree, contracted
    // Contracts it to the first s leaves of `copy_`, and deals these out to the clades beside the heavy path. Returns
    // the number of nodes. The first entry of the branch whose last gap comes after a leaf is the common ancestor of
    // that leaf and the current one.
    Index contract(Index s) {
        Index fresh = s, done = 0;
        branch_.clear();
        for (Index i = 0; i < s; ++i) {
            const auto [leaf, gap] = copy_[i];
            node_[i] = {none, 1, none, i, 0};
            const Index w = clade_of_[leaf], c = next_place_[w]++;
            clade_[c].leaf = leaf;
            clade_[c].place = i;
            if (c > at_.start[w]) {  // the previous leaf of this clade and this one meet on the branch
                CladeLeaf& previous = clade_[c - 1];
                std::size_t low = 0, high = branch_.size() - 1;
                while (low < high) {
                    const std::size_t middle = (low + high) / 2;
                    if (branch_[middle].last_gap >= previous.place)
                        high = middle;
                    else
                        low = middle + 1;
                }
                previous.gap = branch_[low].ancestor;
                previous.meeting = branch_[low].node;
            }
            // nodes that end before the next gap's node are complete: each is hung below the one that ended after it
            done = i;
            while (!branch_.empty() && (i == s - 1 || branch_.back().ancestor < gap)) {
                const Index v = branch_.back().node;
                branch_.pop_back();
                hang(done, v);
                const Node& heavy = node_[node_[v].heavy];
                node_[v].chain = heavy.chain;
                node_[v].rung = heavy.rung + 1;
                done = v;
            }
            if (i == s - 1) break;
            if (branch_.empty() || branch_.back().ancestor > gap) {
                node_[fresh] = {none, 0, none, none, 0};
                branch_.push_back({gap, fresh++, i});
            }
            branch_.back().last_gap = i;
            hang(done, branch_.back().node);
        }
        node_[done].parent = none;
        return fresh;
    }

    void hang(Index u, Index v) {  // u, all of whose children are known, below v
        Node& up = node_[v];
        node_[u].parent = v;
        up.size += node_[u].size;
        if (up.heavy == none || node_[u].size > node_[up.heavy].size) up.heavy = u;
    }

    void link(Index n_leaves, Index n_nodes) {  // the nodes to chains, with nothing black
        for (Index c = 0; c < n_leaves; ++c) chain_[c] = {none, 0, 0, 1, {}};
        for (Index v = 0; v < n_nodes; ++v) {
            const Node& node = node_[v];
            rung_[v] = {};
            chain_[node.chain].length = std::max(chain_[node.chain].length, node.rung + 1);
            if (node.parent == none || node_[node.parent].chain == node.chain) continue;
            chain_[node.chain].above = node_[node.parent].chain;
            chain_[node.chain].at = node_[node.parent].rung;
        }
        Index base = 0;
        for (Index c = 0; c < n_leaves; ++c) {
            chain_[c].base = base;
            base += chain_[c].length;
        }
    }

    // ------------------------------------------------------------------ black leaves
    void blacken(Index leaf) {  // one leaf more at a rung of each chain above it
        Index k = 0;
        Count more = 0;
        for (Index c = leaf; c != none; c = chain_[c].above) {
            Chain& chain = chain_[c];
            Rung* rungs = &rung_[chain.base];
            const Sums change{1, more, 2 * rungs[k].hung + 1};  // (x + 1)^2 - x^2
            ++rungs[k].hung;
            for (Index i = k + 1; i <= chain.length; i += i & -i) rungs[i - 1].tree.add(change);
            more = chain.total.count;
            chain.total.add(change);
            k = chain.at;
        }
    }

    // For a leaf c that is not black: pairs a, b of black leaves with ab|c, and those with ac|b or bc|a.
    void add_pairs_beside(Index leaf, Found& found) const {
        Index k = 0;
        Count below = 0, apart = 0, near = 0;
        for (Index c = leaf; c != none; c = chain_[c].above) {
            const Chain& chain = chain_[c];
            const Rung* rungs = &rung_[chain.base];
            Sums low{};  // of the rungs below the one that the leaf hangs from
            for (Index i = k; i > 0; i -= i & -i) low.add(rungs[i - 1].tree);
            const Count whole = chain.total.count;
            apart += low.count * (low.count - 1) / 2 + chain.total.pairs - low.pairs - below * (below - 1) / 2;
            if (both_) {
                const Count x = rungs[k].hung, count = low.count + x;
                const Count twice = whole * whole - count * count - chain.total.squares + low.squares + x * x;
                near += below * (count - below) + twice / 2;
            }
            below = whole;
            k = chain.at;
        }
        found.alike += apart;
        found.resolved += apart + near;
    }

    Count black_below(Index c, Index k) const {  // at the lowest k rungs of a chain
        Count count = 0;
        for (Index i = k; i > 0; i -= i & -i) count += rung_[chain_[c].base + i - 1].tree.count;
        return count;
    }

    Count black_towards(Index v, Index u) const {  // below the child of v that is u or above it
        const Index own = node_[v].chain, k = node_[v].rung;
        Index c = node_[u].chain;
        if (c != own) {
            while (chain_[c].above != own) c = chain_[c].above;
            if (chain_[c].at == k) return chain_[c].total.count;
        }
        return black_below(own, k);
    }

    // For the leaves a, b of a light clade w and black c outside of it: triples with ab|c, and with ac|b or bc|a. The
    // second tree, contracted to the light clade, is scanned with a stack. `outside`: black leaves that are not in it.
    void add_pairs_within(Index w, Count outside, Found& found, Interrupts& watch) {
        Count apart = 0, near = 0;
        open_.clear();
        for (Index j = at_.start[w]; j < at_.stop[w]; ++j) {
            const bool is_last = j == at_.stop[w] - 1;
            const Index gap = clade_[j].gap;
            Index u = clade_[j].place;
            Count b = 1;
            watch.check(0, 8);
            while (true) {
                // the b leaves below u join the top of the stack, after it was opened if need be; a complete node joins
                // the next one in its turn
                const bool is_complete = !open_.empty() && (is_last || open_.back().ancestor < gap);
                if (!is_complete) {
                    if (is_last) break;
                    if (open_.empty() || open_.back().ancestor > gap)
                        open_.push_back({gap, clade_[j].meeting, 0, 0, 0, 0});
                }
                OpenPairs& top = open_.back();
                top.pairs += top.leaves * b;
                top.leaves += b;
                if (both_) {
                    const Count other = black_towards(top.node, u) - b;
                    top.bw += b * other;
                    top.bbw += b * b * other;
                }
                if (!is_complete) break;
                u = top.node;
                b = top.leaves;
                const Count others = black_below(node_[u].chain, node_[u].rung + 1) - b;
                apart += top.pairs * (outside - others);
                near += b * top.bw - top.bbw;
                open_.pop_back();
            }
        }
        found.alike += apart;
        found.resolved += apart + near;
    }
};

// How many clades two trees without nodes of one child share, leaves and roots included.
//
// The leaves are numbered in the first tree's depth-first order: its clades are intervals. Each is kept at its first
// leaf, or at its last one where it begins with its parent. No two share a place (Day 1985). O(n).
inline Count shared_clades(Parents parent, Parents other, Index n) {
    const auto [start, stop, order] = leaf_intervals(parent, n);
    const auto n_nodes = static_cast<Index>(parent.size()), n_other = static_cast<Index>(other.size());
    std::vector<Index> by_first(n, none), by_last(n, none);
    for (Index u = 0; u < n_nodes; ++u) {
        if (u + 1 < n_nodes && start[u] == start[parent[u]])
            by_last[stop[u] - 1] = start[u];
        else
            by_first[start[u]] = stop[u] - 1;
    }
    struct Range {
        Index low, high, size;
    };
    std::vector<Range> range(n_other, {n, none, 0});
    Count count = 0;
    for (Index v = 0; v < n_other; ++v) {
        if (v < n) range[v] = {start[v], start[v], 1};
        const auto [low, high, size] = range[v];
        count += high - low + 1 == size && (by_first[low] == high || by_last[high] == low);
        if (other[v] == none) continue;
        Range& up = range[other[v]];
        up = {std::min(up.low, low), std::max(up.high, high), up.size + size};
    }
    return count;
}

}  // namespace tripletree
