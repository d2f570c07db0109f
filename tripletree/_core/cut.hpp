// Passes over a parent array for linkages, cuts and drawings: branches of a cut, levels, monotone heights, positions.
//
// Trees are as in rooted_tree.hpp. Each of these functions is linear in the number of nodes N. The oracles stand in
// tests/unit: test_linkage.py, test_cuts.py and test_layout.py.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

// The branch that each leaf is in once some nodes are split, and all nodes above them with these: the highest ancestor
// (or the leaf) with no split node at or below it.
inline std::vector<Index> branch_heads(Parents parent, std::span<const bool> split, Index n) {
    const auto size = static_cast<Index>(parent.size());
    Flags opened(split.begin(), split.end());
    for (Index u = 0; u + 1 < size; ++u) opened[parent[u]] |= opened[u];
    std::vector<Index> head(size);
    for (Index u = size - 1; u >= 0; --u) {
        const Index p = parent[u];
        head[u] = p < 0 || opened[p] ? u : head[p];
    }
    head.resize(n);
    return head;
}

// Which part the leaves below each node belong to: -1 if they belong to none, -2 if there are several. `part` is that
// of each leaf, -1 for none.
inline std::vector<Index> whose_parts(Parents parent, std::span<const Index> part) {
    constexpr Index several = -2;
    std::vector<Index> owner(parent.size(), none);
    std::copy(part.begin(), part.end(), owner.begin());
    for (std::size_t u = 0; u + 1 < parent.size(); ++u) {
        Index& above = owner[parent[u]];
        if (owner[u] != none) above = above == none || above == owner[u] ? owner[u] : several;
    }
    return owner;
}

// Number of edges from each node down to its deepest leaf, 0 at the leaves.
inline std::vector<Index> levels(Parents parent) {
    std::vector<Index> level(parent.size(), 0);
    for (std::size_t u = 0; u + 1 < parent.size(); ++u) level[parent[u]] = std::max(level[parent[u]], level[u] + 1);
    return level;
}

// The lowest heights that are nowhere below the given ones and nowhere above the parent's, leaves being at 0.
inline std::vector<double> monotone_heights(Parents parent, std::span<const double> height, Index n) {
    std::vector<double> monotone(parent.size(), 0.0);
    for (std::size_t u = n; u < parent.size(); ++u) monotone[u] = std::max(height[u], 0.0);
    for (std::size_t u = 0; u + 1 < parent.size(); ++u)
        monotone[parent[u]] = std::max(monotone[parent[u]], monotone[u]);
    return monotone;
}

// Place of each leaf when every node's children stand in the order of their smallest leaves. Leaves numbered as they
// were read stand in that order, whatever the numbers of the inner nodes.
inline std::vector<Index> reading_places(Parents parent, Index n) {
    const auto size = static_cast<Index>(parent.size());
    std::vector<Index> n_below(size, 0);
    std::fill_n(n_below.begin(), n, 1);
    for (Index u = 0; u + 1 < size; ++u) n_below[parent[u]] += n_below[u];
    std::vector<Index> taken(size, 0);  // leaves of the siblings before
    std::vector<Index> place(size, 0);
    for (const Index u : by_smallest_leaf(parent, n)) {
        const Index p = parent[u];
        if (p < 0) continue;
        place[u] = taken[p];
        taken[p] += n_below[u];
    }
    for (Index u = size - 2; u >= 0; --u) place[u] += place[parent[u]];
    place.resize(n);
    return place;
}

// Place of each node along the leaf axis, in the middle between its outermost children: the places of the first and the
// last child (of the leaf itself, for a leaf). The node's own place is the mean of the two.
struct Spans {
    std::vector<double> low, high;
};

inline Spans child_spans(Parents parent, std::span<const Index> place) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Spans out{std::vector<double>(parent.size(), infinity), std::vector<double>(parent.size(), -infinity)};
    for (std::size_t u = 0; u < place.size(); ++u) out.low[u] = out.high[u] = place[u];
    for (std::size_t u = 0; u + 1 < parent.size(); ++u) {
        const double middle = (out.low[u] + out.high[u]) / 2;
        double &low = out.low[parent[u]], &high = out.high[parent[u]];
        low = std::min(low, middle);
        high = std::max(high, middle);
    }
    return out;
}

// Sum of a value over each node and all nodes below it.
inline std::vector<Count> subtree_sums(Parents parent, std::span<const Count> value) {
    std::vector<Count> total(value.begin(), value.end());
    for (std::size_t u = 0; u + 1 < parent.size(); ++u) total[parent[u]] += total[u];
    return total;
}

// Which branches of a hierarchy make the best flat clusters: a knapsack over the nodes that part large branches.
//
// A node is proper when at least two of its children are large. Splitting it turns one cluster into as many as it has
// large children. On the way down to the next proper node there may be others, which shed small branches only. The plan
// writes the proper nodes down as a list of binary pieces, children first and the root's last. `solve` finds for each
// piece and each number of clusters the greatest support, and of equal ones the greatest merit: later nodes are rather
// split. `trace` reads off the nodes to split. Time O(n k) for k clusters, as two pieces are combined for at most
// min(leaves, k) numbers each. The oracle, which tries every choice, stands in tests/cut_oracle.py.
class SupportedCut {
   public:
    // gain: large children less one at proper nodes, else 0. support: weight of each node as a cluster. There are to be
    // at most `most` clusters in all.
    SupportedCut(Parents parent, std::span<const bool> large, std::span<const Count> gain,
                 std::span<const Count> support, Count most)
        : n_nodes_(parent.size()) {
        const auto size = static_cast<Index>(parent.size());
        std::vector<Count> room(size);  // for so many clusters of the node, those above being split
        room[size - 1] = most;
        for (Index u = size - 2; u >= 0; --u) room[u] = room[parent[u]] - gain[parent[u]];
        struct Children {
            Count first = none, last = none;        // a list of pieces
            Count n_ends = 0, support_of_ends = 0;  // those without a piece
        };
        std::vector<Children> children(size);
        std::vector<Count> here(size, none);  // the piece of the branch below the node
        for (Index u = 0; u < size; ++u) {
            Children& own = children[u];
            if (gain[u] > 0 && room[u] > gain[u]) {
                if (own.n_ends > 0) {
                    Piece ends;
                    ends.low = ends.high = own.n_ends;
                    ends.whole = own.support_of_ends;
                    append(own.first, own.last, write(ends));
                }
                // two at a time, the outcome to the end of the list: few states for a node of many children
                Count x = own.first;
                while (next_[x] >= 0 && next_[next_[x]] >= 0) {
                    const Count after = next_[next_[x]];
                    append(own.first, own.last, write(combined(x, next_[x], room[u])));
                    x = after;
                }
                Piece whole = combined(x, next_[x], room[u]);
                whole.low = 1;
                whole.node = u;
                whole.merit = gain[u] * u;
                here[u] = write(whole);
            }
            if (here[u] >= 0) pieces_[here[u]].whole = support[u];
            if (parent[u] < 0 || !large[u]) continue;
            Children& above = children[parent[u]];
            if (gain[parent[u]] == 0) {
                here[parent[u]] = here[u];
            } else if (here[u] >= 0) {
                append(above.first, above.last, here[u]);
            } else {
                ++above.n_ends;
                above.support_of_ends += support[u];
            }
        }
    }

    // How many states `solve` keeps. None if nothing can be split.
    Count n_states() const { return pieces_.empty() ? 0 : pieces_.back().start + pieces_.back().n_states(); }

    // Solves the plan and returns the numbers of clusters that can be reached.
    std::vector<Count> solve(Interrupts& watch) {
        states_.assign(n_states(), {});
        for (const Piece& piece : pieces_) {
            if (piece.left < 0 || piece.node >= 0) states_[piece.start].support = piece.whole;
            if (piece.left >= 0) combine(piece, watch);
        }
        std::vector<Count> reachable{1};
        if (!pieces_.empty())
            for (Count k = 2; k <= pieces_.back().high; ++k)
                if (is_reachable(k)) reachable.push_back(k);
        return reachable;
    }

    bool is_reachable(Count k) const {
        if (states_.empty()) return false;
        const Piece& root = pieces_.back();
        return root.low <= k && k <= root.high && states_[root.state(k)].support >= 0;
    }

    // The nodes to split for k clusters, a number that can be reached.
    Flags trace(Count k) const {
        Flags split(n_nodes_, 0);
        struct Task {
            Count piece, k;
        };
        std::vector<Task> todo{{static_cast<Count>(pieces_.size()) - 1, k}};
        while (!todo.empty()) {
            const Task task = todo.back();
            todo.pop_back();
            const Piece& piece = pieces_[task.piece];
            if (piece.left < 0 || (piece.node >= 0 && task.k == 1)) continue;
            if (piece.node >= 0) split[piece.node] = 1;
            if (piece.right < 0) continue;  // all children are ends
            const State& wanted = states_[piece.state(task.k)];
            const Piece &left = pieces_[piece.left], &right = pieces_[piece.right];
            const Count low = std::max(left.low, task.k - right.high), high = std::min(left.high, task.k - right.low);
            for (Count x = low; x <= high; ++x) {
                const State &a = states_[left.state(x)], &b = states_[right.state(task.k - x)];
                if (a.support < 0 || b.support < 0 || a.support + b.support != wanted.support) continue;
                if (a.merit + b.merit + piece.merit != wanted.merit) continue;
                todo.push_back({piece.left, x});
                todo.push_back({piece.right, task.k - x});
                break;
            }
        }
        return split;
    }

   private:
    // A branch, or some siblings, and what can be made of them: `low` to `high` clusters.
    struct Piece {
        Count left = none, right = none;  // the pieces that it combines. A block of branches without pieces has none
        Count node = none;                // that may be split or stay whole
        Count low = 0, high = 0;
        Count start = 0;  // the first of its states
        Count whole = 0;  // its support in one piece, or of all branches of a block
        Count merit = 0;  // of a split

        Count n_states() const { return high - low + 1; }
        Count state(Count k) const { return start - low + k; }
    };
    struct State {
        Count support = -1;  // -1 if the number of clusters cannot be reached
        Count merit = 0;
    };

    // Two pieces, or one, in at most `room` clusters.
    Piece combined(Count left, Count right, Count room) const {
        Piece out;
        out.left = left;
        out.right = right;
        for (const Count part : {left, right}) {
            if (part < 0) continue;
            out.low += pieces_[part].low;
            out.high += pieces_[part].high;
        }
        out.high = std::min(out.high, room);
        return out;
    }

    Count write(Piece piece) {
        piece.start = n_states();
        pieces_.push_back(piece);
        next_.push_back(none);
        return static_cast<Count>(pieces_.size()) - 1;
    }

    // Puts piece i at the end of a list.
    void append(Count& first, Count& last, Count i) {
        (first < 0 ? first : next_[last]) = i;
        last = i;
    }

    void combine(const Piece& piece, Interrupts& watch) {
        const Piece& left = pieces_[piece.left];
        for (Count x = left.low; x <= left.high; ++x) {
            const State& one = states_[left.state(x)];
            watch.check(0, 1);
            if (one.support < 0) continue;
            const auto offer = [&](Count k, Count support, Count merit) {
                State& best = states_[piece.state(k)];
                if (support > best.support || (support == best.support && merit > best.merit)) best = {support, merit};
            };
            if (piece.right < 0) {
                if (x <= piece.high) offer(x, one.support, one.merit + piece.merit);
                continue;
            }
            const Piece& right = pieces_[piece.right];
            const Count top = std::min(right.high, piece.high - x);
            watch.check(0, std::max<Count>(top - right.low, 0));
            for (Count y = right.low; y <= top; ++y) {
                const State& other = states_[right.state(y)];
                if (other.support >= 0)
                    offer(x + y, one.support + other.support, one.merit + piece.merit + other.merit);
            }
        }
    }

    std::size_t n_nodes_;
    std::vector<Piece> pieces_;
    std::vector<Count> next_;  // the piece after each in the list of its node
    std::vector<State> states_;
};

}  // namespace tripletree
