// Small conflicts, by growing sets of leaves: the smallest one, or the proof that there is none of some size. And
// irreducible conflicts in near-linear time.
//
// A conflict of k - 1 triplets ties k leaves together: their close pairs are a spanning tree of these leaves. From each
// triplet, taken as the first of a conflict in the order of the rows, the set V of its leaves is grown. Some component
// of V (joined by the rows inside V) must be left by a row ab|c of the conflict, a inside and b outside of it. The
// component with the fewest such rows that fit the size is taken, and each of them tried in turn. V ties itself
// together: found. No component with a row that fits: back. All conflicts of the size that contain the triplet are
// covered, as every one has a row that leaves the component.
//
// Work is counted in entries of the lists of rows by leaf: about 3 nanoseconds each. It is at most the number of rows
// times (rows of a leaf) ** (size - 2), and mostly far below.
//
// Oracle: all subsets, in tests/laws/test_conflict_laws.py.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

// Rows, and lists of them by the leaves of their close pair.
class RowsByLeaf {
   public:
    RowsByLeaf(std::vector<Triplet> rows, Index n)
        : rows_(std::move(rows)), start_(n + 1, 0), incident_(2 * rows_.size()), number_(n, none), sets_(n) {
        for (const Triplet& t : rows_) {
            ++start_[t.a + 1];
            ++start_[t.b + 1];
        }
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        std::vector<Count> next(start_.begin(), start_.end() - 1);
        for (std::size_t t = 0; t < rows_.size(); ++t)
            for (const Index x : {rows_[t].a, rows_[t].b}) incident_[next[x]++] = static_cast<Index>(t);
    }

    Index n_leaves() const { return static_cast<Index>(number_.size()); }
    std::size_t n_rows() const { return rows_.size(); }

    // The rows whose close pair holds a leaf, ascending.
    std::span<const Index> of(Index x) const {
        return std::span(incident_).subspan(start_[x], start_[x + 1] - start_[x]);
    }

    struct Grown {
        std::vector<Index> leaves;  // empty if there is no conflict
        std::size_t next;           // where in the seeds to go on
        Count steps;
    };

    // Searches the conflicts on at most k leaves that hold one of the rows `seeds`, from that at `first` on. Rows that
    // are not alive are left out. If `in_order`, conflicts must not hold a row before the seed, which is right if all
    // rows are seeds, in their order. Ends between seeds when `slice_steps` are taken, anywhere when `max_steps` are.
    Grown grow(std::span<const bool> alive, std::span<const Count> seeds, std::size_t first, bool in_order, Index k,
               Count slice_steps, Count max_steps, Interrupts& watch) {
        clear(k);  // what an interrupt may have left
        struct Level {
            std::size_t size;              // leaves of V
            std::vector<Index> component;  // the root of each place of V
            Index chosen;                  // the root of the component to leave
            Count place, entry;            // the place of V whose list is read, -1 before the first, and where in it
        };
        std::vector<Level> levels;
        Grown out{{}, first, 0};
        for (; out.next < seeds.size() && out.steps <= slice_steps && out.steps <= max_steps; ++out.next) {
            if (seeds[out.next] < 0 || seeds[out.next] >= static_cast<Count>(rows_.size()))
                throw std::invalid_argument("a seed is no row");
            const auto seed = static_cast<Index>(seeds[out.next]);
            const Held held{alive, in_order ? seed : 0};
            levels.clear();
            Index taken = alive[seed] ? seed : none;
            while (out.steps <= max_steps) {
                const Count before = out.steps;
                if (taken >= 0) {  // a larger V
                    for (const Index x : {rows_[taken].a, rows_[taken].b, rows_[taken].c}) add(x);
                    const bool is_tied = tie(held, out.steps) == 1;
                    ++out.steps;
                    if (is_tied) {
                        out.leaves = std::exchange(leaf_, {});
                        for (const Index x : out.leaves) number_[x] = none;
                        return out;
                    }
                    if (leaf_.size() < capacity_) {
                        const Index component = narrowest(held, out.steps);
                        if (component >= 0) levels.push_back({leaf_.size(), root_, component, -1, -1});
                    }
                }
                watch.check(0, out.steps - before);
                if (levels.empty()) break;
                // back to the V of this level
                Level& level = levels.back();
                while (leaf_.size() > level.size) {
                    number_[leaf_.back()] = none;
                    leaf_.pop_back();
                }
                const Count seen = out.steps;
                taken = next_row(held, level, out.steps);
                ++out.steps;
                watch.check(0, out.steps - seen);
                if (taken < 0) levels.pop_back();
            }
            clear(k);
            if (out.steps > max_steps) break;
        }
        return out;
    }

   private:
    // Rows that are looked at. Those numbered below `least` are left out: all of their conflicts have been searched.
    // Lists are ascending and are read from the end, so that reading stops at the first such row.
    struct Held {
        std::span<const bool> alive;
        Index least;
    };

    // V becomes empty, with room for so many leaves.
    void clear(Index capacity) {
        for (const Index x : leaf_) number_[x] = none;
        leaf_.clear();
        capacity_ = capacity;
    }

    void add(Index x) {
        if (number_[x] >= 0) return;
        number_[x] = static_cast<Index>(leaf_.size());
        leaf_.push_back(x);
    }

    // Joins the leaves of V by the rows inside it, and returns how many components are left. If V cannot grow, the
    // first leaf in no row inside it ends this. Leaves added last are the first to be looked at.
    Index tie(const Held& held, Count& n_seen) {
        const bool full = leaf_.size() == capacity_;
        auto left = static_cast<Index>(leaf_.size());
        for (Index i = 0; i < static_cast<Index>(leaf_.size()); ++i) sets_.release(i);
        for (Index i = left - 1; i >= 0; --i) {
            const Index x = leaf_[i];
            bool alone = true;
            for (Count p = start_[x + 1] - 1; p >= start_[x]; --p) {
                const Index t = incident_[p];
                if (t < held.least) break;
                ++n_seen;
                const auto [a, b, c] = rows_[t];
                const Index other = number_[a == x ? b : a];
                if (other < 0 || number_[c] < 0 || !held.alive[t]) continue;
                alone = false;
                if (sets_.unite(i, other) && --left == 1) return 1;
            }
            if (full && alone) break;
        }
        return left;
    }

    // Whether a row, of which x is a close leaf inside the component, leaves it and fits in.
    bool leaves_component(Index t, Index x, const std::vector<Index>& root, Index component) const {
        const auto [a, b, c] = rows_[t];
        const Index other = number_[a == x ? b : a];
        std::size_t n_outside = 0;
        if (other < 0) {
            ++n_outside;
        } else if (root[other] == component) {
            return false;
        }
        if (number_[c] < 0) ++n_outside;
        // all three in V would have been joined
        return 0 < n_outside && n_outside <= capacity_ - leaf_.size();
    }

    // The component that the fewest rows leave, or `none` if one cannot be left.
    Index narrowest(const Held& held, Count& n_seen) {
        const auto size = static_cast<Index>(leaf_.size());
        root_.resize(size);
        for (Index i = 0; i < size; ++i) root_[i] = sets_.find(i);
        n_leaving_.assign(size, 0);
        for (Index i = 0; i < size; ++i) {
            const Index x = leaf_[i];
            for (Count p = start_[x + 1] - 1; p >= start_[x]; --p) {
                const Index t = incident_[p];
                if (t < held.least) break;
                ++n_seen;
                if (held.alive[t] && leaves_component(t, x, root_, root_[i])) ++n_leaving_[root_[i]];
            }
        }
        Index best = none;
        for (Index i = 0; i < size; ++i) {
            if (root_[i] != i) continue;
            if (n_leaving_[i] == 0) return none;
            if (best < 0 || n_leaving_[i] < n_leaving_[best]) best = i;
        }
        return best;
    }

    // The next row that leaves the chosen component of a level, `none` if there is no other.
    template <class Level>
    Index next_row(const Held& held, Level& level, Count& n_seen) const {
        Count i = level.place, p = level.entry;
        Index found = none;
        while (found < 0) {
            if (i < 0 || p < start_[leaf_[i]] || incident_[p] < held.least) {
                ++i;
                while (i < static_cast<Count>(level.size) && level.component[i] != level.chosen) ++i;
                if (i == static_cast<Count>(level.size)) break;
                p = start_[leaf_[i] + 1] - 1;
                continue;
            }
            const Index t = incident_[p--];
            ++n_seen;
            if (held.alive[t] && leaves_component(t, leaf_[i], level.component, level.chosen)) found = t;
        }
        level.place = i;
        level.entry = p;
        return found;
    }

    std::vector<Triplet> rows_;
    std::vector<Count> start_;
    std::vector<Index> incident_;  // ascending in each list
    // the set V, with room for some leaves
    std::size_t capacity_ = 0;
    std::vector<Index> leaf_;
    std::vector<Index> number_;     // where each leaf of all stands in V, `none` if it is not in V
    DisjointSets sets_;             // of these places: the components
    std::vector<Index> root_;       // of each place
    std::vector<Count> n_leaving_;  // rows that leave the component of which this place is the root
};

// Numbers of rows, in the given order of trying them, whose close pairs connect 0..k-1 without a cycle.
inline std::vector<Count> spanning_tree(const std::vector<Triplet>& rows, std::span<const Count> order, Index k) {
    DisjointSets sets(k);
    std::vector<Count> chosen;
    for (const Count t : order) {
        if (static_cast<Index>(chosen.size()) >= k - 1) break;
        if (sets.unite(rows[t].a, rows[t].b)) chosen.push_back(t);
    }
    return chosen;
}

// Irreducible conflicts in near-linear time: the smallest closed part of a tree of triplets.
//
// Rows whose close pairs form a tree on leaves S, their third leaves in S as well, cannot hold together. Call a
// connected part of the tree closed if the thirds of all its rows are in it: it cannot hold either, and rows that
// contain no closed part can. So a closed part without a smaller one inside is an irreducible conflict. A row ab|c
// needs the rows on the way from a to c; in the end it needs the least closed part around it. A part that all of its
// rows need, and that needs nothing else, is a strongly connected component without a way out: the first that Tarjan's
// search completes.
//
// The tree is rooted; the edge above vertex v stands for the row that has these two ends. Two union-find structures
// over the edges shorten the ways up: `skip` passes edges that have been met, `group` passes adjacent edges that are
// known to be in one component. Every edge walked over is in the component of the walker, so no edge is walked over
// twice for the same reason, and the search takes near-linear time.
//
// Oracle: dropping rows one by one, in tests/laws/test_conflict_laws.py.
class ClosedPart {
   public:
    // Rows k - 1, the close pairs of which are a tree on 0..k-1. The thirds are among these. k is at least 3.
    ClosedPart(const std::vector<Triplet>& rows, Index k) : above_(k), row_(k), third_(k), group_(k), least_(k) {
        root_at_0(rows, k);
    }

    // The numbers of the rows of a closed part that has no smaller one inside.
    std::vector<Count> find(Interrupts& watch) {
        const auto k = static_cast<Index>(above_.size());
        DisjointSets skip(k);
        std::vector<Index> number(k);  // when an edge was met
        std::vector<Index> low(k);     // Tarjan's: the earliest edge that can be reached from this one
        std::vector<Index> way, met;   // vertices whose edges are being looked at, and that have been met
        Index w = k - 1;               // any vertex but the root
        while (true) {
            watch.check(0);
            if (w > 0) {
                number[w] = low[w] = least_[w] = static_cast<Index>(met.size());
                met.push_back(w);
                way.push_back(w);
                skip.hang(w, above_[w]);
            }
            const Index v = way.back(), x = skip.find(v), y = skip.find(third_[v]);
            w = x != y ? std::max(x, y) : 0;
            if (w > 0) continue;  // an edge that the row needs and that has not been met
            // all edges that the row needs have been met: some of them before it, if it is no part by itself
            low[v] = std::min(low[v], walk(v, third_[v]));
            if (low[v] == number[v]) {
                // the first component that is complete has no way out: no other has been closed before
                std::vector<Count> out;
                for (std::size_t i = number[v]; i < met.size(); ++i) out.push_back(row_[met[i]]);
                return out;
            }
            way.pop_back();
            low[way.back()] = std::min(low[way.back()], low[v]);
        }
    }

   private:
    // Roots the tree at leaf 0 by breadth-first search, which gives a vertex a larger number than any above it.
    void root_at_0(const std::vector<Triplet>& rows, Index k) {
        std::vector<Index> start(k + 1, 0);
        for (const Triplet& t : rows) {
            ++start[t.a + 1];
            ++start[t.b + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Index> near(2 * rows.size()), next(start.begin(), start.end() - 1);
        for (std::size_t t = 0; t < rows.size(); ++t)
            for (const Index x : {rows[t].a, rows[t].b}) near[next[x]++] = static_cast<Index>(t);
        std::vector<Index> order{0}, number(k);  // the leaf of each vertex, the vertex of each leaf
        order.reserve(k);
        number[0] = 0;
        above_[0] = row_[0] = none;
        third_[0] = 0;
        for (Index v = 0; v < k; ++v) {
            const Index x = order[v];
            for (Index p = start[x]; p < start[x + 1]; ++p) {
                const Index t = near[p];
                if (t == row_[v]) continue;  // the way back up
                const auto fresh = static_cast<Index>(order.size());
                const Index y = rows[t].a == x ? rows[t].b : rows[t].a;
                order.push_back(y);
                number[y] = fresh;
                above_[fresh] = v;
                row_[fresh] = t;
            }
        }
        for (Index v = 1; v < k; ++v) third_[v] = number[rows[row_[v]].c];
    }

    // The earliest edge that is known to be reached from those between x and y, which become one group.
    Index walk(Index x, Index y) {
        auto earliest = static_cast<Index>(least_.size());
        Index below_x = none, below_y = none;  // the edges by which x and y were reached
        while (x != y) {
            if (x < y) {  // the larger number is not above the other, so the edge above it is on the way
                std::swap(x, y);
                std::swap(below_x, below_y);
            }
            const Index top = group_.find(x);
            if (below_x >= 0) {
                group_.hang(below_x, top);
                least_[top] = std::min(least_[top], least_[below_x]);
            }
            earliest = std::min(earliest, least_[top]);
            // this may pass the place where the ways meet, but only over edges of the same component
            below_x = top;
            x = above_[top];
        }
        return earliest;
    }

    // of each vertex, numbered from the root down: its parent, the row that is the edge to it, and the row's third leaf
    std::vector<Index> above_, row_, third_;
    DisjointSets group_;
    std::vector<Index> least_;  // the earliest number in the group of which this edge is the top
};

}  // namespace tripletree
