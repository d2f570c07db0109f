// Prune and regraft by votes that are counted, never listed: where in a binary tree a branch is displayed best.
//
// A source triplet changes its state only if one of its leaves, x, is in the branch that moves, and two, y and z, are
// not. Seen from x, the leaves of a source tree hang off the path from x to its root: say y at level l(y). It says xy|z
// if l(y) < l(z), and yz|x if y and z hang from one child of a node of the path, else nothing. For each node v of the
// rest of the hierarchy and y, z below its two children, xy|z is displayed where the branch hangs above y's child of v
// or above any node below it, yz|x where it does not hang below v. Both are counted for all nodes at once: on the way
// up each heavy path the leaves of the light children are asked against counts by level of the leaves passed so far.
// Time for one leaf x: O(m log(m)**2) for each tree of m leaves that has it, and one look at each leaf of the
// hierarchy.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "source_trees.hpp"

namespace tripletree {

// The tree that grows and changes: leaves 0..n-1, inner nodes from n on.
struct BinaryTree {
    std::vector<Index> up;                    // `none` above the root, and above leaves that are not in the tree
    std::vector<std::array<Index, 2>> child;  // `none` below leaves
    Index root = none, fresh;                 // `none` for no tree yet; the next free inner node

    explicit BinaryTree(Index n) : up(2 * n - 1, none), child(2 * n - 1, {none, none}), fresh(n) {}
    BinaryTree(Parents parent, Index n) : BinaryTree(n) {
        const ChildLists children = child_lists(parent);
        std::copy(parent.begin(), parent.end(), up.begin());
        for (Index u = n; u < 2 * n - 1; ++u) child[u] = {children.of(u)[0], children.of(u)[1]};
        root = 2 * n - 2;
        fresh = 2 * n - 1;
    }

    Index sister(Index q) const { return child[up[q]][child[up[q]][0] == q]; }

    // Hangs the branch q above node v, from the inner node `at`.
    void hang(Index q, Index v, Index at) {
        replace(v, at);
        child[at] = {v, q};
        up[v] = up[q] = at;
    }

    // Takes the branch q out, with the node that it hangs from. Returns that node.
    Index prune(Index q) {
        const Index p = up[q];
        replace(p, sister(q));
        return p;
    }

    // The tree as a parent array, children first.
    std::vector<Index> parents(Index n) const {
        const std::vector<Index> order = topological_order(up, n);
        std::vector<Index> number(up.size(), none), out;
        for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<Index>(i);
        for (const Index u : order) out.push_back(up[u] == none ? none : number[up[u]]);
        return out;
    }

   private:
    void replace(Index old, Index other) {  // below the parent of `old`
        const Index p = up[old];
        up[other] = p;
        if (p == none)
            root = other;
        else
            child[p][child[p][0] != old] = other;
    }
};

class Regraft {
   public:
    Regraft(BinaryTree& tree, const Sources& sources, Interrupts& watch)
        : tree_(tree),
          sources_(sources),
          watch_(watch),
          n_(sources.n),
          order_(n_),
          gap_(n_),
          start_(2 * n_),
          stop_(2 * n_),
          depth_(2 * n_),
          is_on_path_(sources.n_nodes(), 0),
          level_(sources.n_nodes()),
          branch_(sources.n_nodes()),
          place_(n_, none),
          fenwick_(sources.n_nodes() + 2, 0),
          at_level_(fenwick_),
          in_branch_(fenwick_),
          change_(2 * n_, 0.0),
          score_(2 * n_, 0.0) {
        if (tree_.root != none) lay_out();
    }

    // Moves branches, one after the other, to where most of their source triplets are displayed. Leaves that are not in
    // the tree yet may be among them. Returns the number of branches that moved. Oracle: regraft_definition.
    Count move(std::span<const Index> branches) {
        Count moves = 0;
        for (const Index q : branches) {
            moves += move(q);
            ++done_;
        }
        return moves;
    }

   private:
    // ------------------------------------------------------------------ data
    struct Common {   // one of the m leaves that a source tree shares with the hierarchy, in its order
        Index place;  // in the source tree
        // The hierarchy on these leaves needs no nodes: the i-th is where leaves i and i + 1 meet.
        Index node = none, depth = 0;  // of the hierarchy, and its depth
        Index left = 0, right = 0;     // the first and the last leaf below it
    };
    struct Moving {  // the places of the leaves that move
        Index begin = 0, end = 0;
    };
    static constexpr double smallest = 1e-9;  // gains below this share of the votes at stake are rounding

    BinaryTree& tree_;
    const Sources& sources_;
    Interrupts& watch_;
    Index n_;
    Count done_ = 0;

    // The binary tree in depth-first order, renewed after each move.
    std::vector<Index> order_;         // the leaves
    std::vector<Index> gap_;           // the node where a leaf of order_ meets the next
    std::vector<Index> start_, stop_;  // of each node: the places of its leaves in order_
    std::vector<Index> depth_;
    std::vector<Index> ahead_;  // the nodes, parents first

    // A source tree as one of its leaves sees it.
    Flags is_on_path_;           // whether a node is above the leaf, no between two uses
    std::vector<Index> level_;   // the number, from the leaf up, of the node of the path where a node hangs off
    std::vector<Index> branch_;  // the child of that node that it is below
    std::vector<Index> place_;   // of each taxon: the leaf of the tree that it is, `none` between two uses

    // Counts of the leaves passed on the way up a heavy path, zeros between two uses.
    std::vector<Count> fenwick_;  // sums of at_level_, as a Fenwick tree
    std::vector<Count> at_level_, in_branch_;

    std::vector<Common> common_;
    std::vector<Index> open_;
    std::vector<double> change_;  // by how much the votes of the places below a node differ from those above it
    std::vector<double> score_;   // the votes of the place above a node

    Index n_placed() const { return (static_cast<Index>(ahead_.size()) + 1) / 2; }  // leaves of the tree

    // ------------------------------------------------------------------ one branch
    bool move(Index q) {
        if (q == tree_.root) return false;
        const bool is_inside = tree_.up[q] != none;
        if (!is_inside && q >= n_) return false;
        if (tree_.root == none) {  // the first leaf is the tree
            tree_.root = q;
            lay_out();
            return false;
        }
        for (const Index u : ahead_) change_[u] = 0;
        Moving moving;
        Index beside = none;
        bool is_said = false;
        if (is_inside) {
            moving = {start_[q], stop_[q]};
            beside = tree_.sister(q);
            for (Index i = moving.begin; i < moving.end; ++i) is_said |= add_votes(order_[i], moving);
            if (!is_said) return false;
        } else {
            add_votes(q, moving);
        }
        const Index best = best_place(q, beside);
        if (best == beside) return false;
        tree_.hang(q, best, is_inside ? tree_.prune(q) : tree_.fresh++);
        lay_out();
        return true;
    }

    void lay_out() {
        const auto& [up, child, root, _] = tree_;
        Index n_leaves = 0;
        ahead_.clear();
        // The node that the walk came from determines the next one, so no stack is needed, however deep the tree is.
        for (Index before = none, u = root; u != none;) {
            Index after = up[u];
            if (before == up[u]) {
                ahead_.push_back(u);
                start_[u] = n_leaves;
                depth_[u] = u == root ? 0 : depth_[up[u]] + 1;
                if (u < n_) {
                    order_[n_leaves] = u;
                    stop_[u] = ++n_leaves;
                } else {
                    after = child[u][0];
                }
            } else if (before == child[u][0]) {
                gap_[n_leaves - 1] = u;
                after = child[u][1];
            } else {
                stop_[u] = n_leaves;
            }
            before = std::exchange(u, after);
        }
    }

    // The node above which the branch q hangs best, or `beside` where it hangs now (`none` if it is not in the tree).
    Index best_place(Index q, Index beside) {
        const Index above = beside != none ? tree_.up[q] : none;
        score_[tree_.root] = 0;
        double largest = 0;
        Index best = beside != none ? beside : tree_.root;
        for (const Index u : ahead_) {
            if (u == tree_.root) continue;
            score_[u] = score_[tree_.up[u]] + change_[u];
            largest = std::max(largest, std::abs(score_[u]));
        }
        for (const Index u : ahead_) {
            // neither above a node of the branch itself, nor above its parent, which goes when the branch is taken out
            const bool is_in_branch = beside != none && start_[u] >= start_[q] && stop_[u] <= stop_[q];
            if (u != above && !is_in_branch && score_[u] > score_[best] + smallest * largest) best = u;
        }
        return best;
    }

    // ------------------------------------------------------------------ votes
    // Adds up the votes of the trees on the places of taxon x. Returns whether there are any.
    bool add_votes(Index x, const Moving& moving) {
        bool is_said = false;
        for (const Index leaf : sources_.occurrences(x)) {
            const Index t = sources_.tree[leaf], begin = sources_.leaves[t], end = sources_.leaves[t + 1];
            for (Index u = begin; u < end; ++u) place_[sources_.taxon[u]] = u;
            list_common(moving);  // without x: it moves, or it is not in the hierarchy yet
            if (common_.size() > 1) {
                is_said = true;
                climb(find_levels(t, leaf), sources_.weight[t]);
            }
            for (Index u = begin; u < end; ++u) place_[sources_.taxon[u]] = none;
            watch_.check(done_, n_placed() + end - begin);
        }
        return is_said;
    }

    // Lists the leaves that a source tree shares with the hierarchy, without those that move.
    void list_common(const Moving& moving) {
        common_.clear();
        const Index n_leaves = n_placed();
        Index highest = none;  // of the nodes passed since the last common leaf: where that one and the next meet
        for (Index i = 0; i < n_leaves; ++i) {
            const Index place = place_[order_[i]];
            if (place != none && (i < moving.begin || i >= moving.end)) {
                if (!common_.empty()) {
                    common_.back().node = highest;
                    common_.back().depth = depth_[highest];
                }
                common_.push_back({place});
                highest = none;
            }
            if (!common_.empty() && i < n_leaves - 1 && (highest == none || depth_[gap_[i]] < depth_[highest]))
                highest = gap_[i];
        }
        // the leaves below a node reach to the next higher ones on either side: found with a stack of the open nodes
        const Index m = static_cast<Index>(common_.size());
        open_.clear();
        for (Index i = 0; i < m - 1; ++i) {
            while (!open_.empty() && common_[open_.back()].depth > common_[i].depth) {
                common_[open_.back()].right = i;
                open_.pop_back();
            }
            common_[i].left = open_.empty() ? 0 : open_.back() + 1;
            open_.push_back(i);
        }
        for (const Index i : open_) common_[i].right = m - 1;
    }

    // Finds the nodes at which source tree t hangs off the way from a leaf to the root. Returns the number of levels.
    Index find_levels(Index t, Index leaf) {
        const std::vector<Index>& parent = sources_.parent;
        Index n_levels = 0;
        for (Index u = parent[leaf]; u != none; u = parent[u]) {
            is_on_path_[u] = 1;
            level_[u] = ++n_levels;
        }
        const auto take_over = [&](Index u) {
            const Index p = parent[u];
            level_[u] = level_[p];
            branch_[u] = is_on_path_[p] ? u : branch_[p];
        };
        for (Index u = sources_.inners[t + 1] - 2; u >= sources_.inners[t]; --u)  // parents first
            if (!is_on_path_[u]) take_over(u);
        for (Index u = sources_.leaves[t]; u < sources_.leaves[t + 1]; ++u) take_over(u);
        for (Index u = parent[leaf]; u != none; u = parent[u]) is_on_path_[u] = 0;
        return n_levels;
    }

    // Counts a common leaf, or (one = -1) no longer.
    void count_in(Index i, Count one, Index n_levels) {
        const Index level = level_[common_[i].place];
        at_level_[level] += one;
        in_branch_[branch_[common_[i].place]] += one;
        for (Index k = level; k <= n_levels; k += k & -k) fenwick_[k] += one;
    }

    // Goes up the heavy paths of the common leaves, and counts the votes of light leaves with all below the paths.
    void climb(Index n_levels, double weight) {
        const Index m = static_cast<Index>(common_.size());
        for (Index j = 0; j < m; ++j) {
            Index first = j, last = j;  // the leaves below the node that was reached
            while (last - first + 1 < m) {
                // the parent is the deeper one of the two gaps around
                const bool is_left = last == m - 1 || (first > 0 && common_[first - 1].depth > common_[last].depth);
                const Index v = is_left ? first - 1 : last;
                const auto [_, node, depth, left, right] = common_[v];
                const Index ours = last - first + 1, others = right - left + 1 - ours;
                // the side with more leaves, or the left one, goes on: so a leaf is light at most log2(m) times
                if (ours < others || (ours == others && is_left)) break;
                // most leaves are light at once, and cost nothing: the first is only counted when its path goes on
                if (first == last) count_in(j, 1, n_levels);
                Count near = 0, far = 0, same = 0;
                const Index begin = is_left ? left : last + 1, end = is_left ? first : right + 1;
                for (Index z = begin; z < end; ++z) {
                    const Index own = level_[common_[z].place];
                    Count lower = 0;
                    for (Index i = own - 1; i > 0; i -= i & -i) lower += fenwick_[i];
                    near += lower;
                    far += ours - lower - at_level_[own];
                    same += in_branch_[branch_[common_[z].place]];
                }
                for (Index z = begin; z < end; ++z) count_in(z, 1, n_levels);
                watch_.check(done_, 8 * (end - begin));
                // yz|x is not displayed where the branch hangs below v, on either side
                const auto& [one, other] = tree_.child[node];
                change_[is_left ? other : one] += weight * static_cast<double>(near - same);
                change_[is_left ? one : other] += weight * static_cast<double>(far - same);
                first = left;
                last = right;
            }
            if (last > first)
                for (Index z = first; z <= last; ++z) count_in(z, -1, n_levels);
        }
    }
};

}  // namespace tripletree
