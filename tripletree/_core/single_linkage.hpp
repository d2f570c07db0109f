// The closest pairs of clusters by single linkage, from a table of distances of which rows are read, hardly columns.
//
// The distance of two clusters is the least one of their samples. So when y merges into x, the distance of (z, y), z <
// y, can stay in row z: place y from then on stands for the cluster that holds sample y. Only the row of y goes into
// the row of x. The distance of two clusters is the least entry in the row of either that stands for the other one.
// Entries inside a cluster are infinite.
//
// Ties go by the ids of clusters. So the pairs at the least distance must be known by these, in the row of the smaller
// id, and a row is *settled* when this is true of all its entries that equal its bound. Rows are settled once the least
// bound reaches theirs, and merges keep them so: only for this is a column read. A row is searched as a whole when no
// entry at its bound is left, or when a pair becomes compatible again. All merges take O(n^2) without rejections, and
// O(n) more for each search.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "distance_table.hpp"

namespace tripletree {

template <class Real>
class SingleLinkage {
   public:
    // The distances are used, not copied. Live clusters stand at the places of their ids.
    SingleLinkage(Real* distances, Index n)
        : table_{distances, n}, n_(n), bounds_(n), nearest_(n, 0), phase_(n, Phase::unlisted) {}

    Count work() const { return n_ / 8 + 1; }
    Index id(Index x) const { return x; }

    template <class Rejected>
    void begin(Rejected& rejected, Interrupts& watch) {
        for (Index x = 0; x < n_; ++x) search(x, rejected), watch.check(0, work());
    }

    template <class Rejected>
    Pair closest(Rejected& rejected, Count& searches) {
        while (true) {
            const Index x = bounds_.first_of_least();
            const Real low = bounds_.bound[x];
            if (low == infinity) return {};
            if (low != settled_) {
                settle(low, rejected);
                continue;
            }
            const Index y = next_tied(x, rejected);
            if (y != none) return {y, x, static_cast<double>(low)};
            ++searches;
            search(x, rejected);
        }
    }

    template <class Rejected>
    void merge(const Pair& pair, Index, Index, const std::vector<Index>& due, Rejected& rejected) {
        const Index x = pair.kept, y = pair.gone;
        unite(x, y);
        bool found = false;  // rows of clusters that were incompatible with a part of x until now
        for (const Index other : due) {
            const Index z = rejected.into.find(other);
            if (rejected.is_rejected(x, z)) continue;
            search(z, rejected);
            found = true;
        }
        if (found) search(x, rejected);
    }

    void forget_answers() {  // every cluster has to search again
        for (Index x = 0; x < n_; ++x)
            if (nearest_[x] != empty) bounds_.bound[x] = -1, nearest_[x] = none;
        bounds_.renew_all();
    }

   private:
    enum class Phase : std::int8_t { unlisted, settled, over };  // over: still listed among the settled ones
    static constexpr Index empty = -2;
    static constexpr Real infinity = std::numeric_limits<Real>::infinity(), far = std::numeric_limits<Real>::max();

    Condensed<Real> table_;
    Index n_;
    LeastOfBlocks<Real> bounds_;  // of each row: at most the distance of every pair in it that is not rejected
    Real settled_ = infinity;     // all rows with this bound are settled, infinity for none
    std::vector<Index> nearest_;  // no pair at the bound comes earlier if the row is settled, `empty` without a cluster
    std::vector<Phase> phase_;
    std::vector<Index> listed_;  // the rows that are settled, and some that have been

    void move(Index x, Index z, Index y) {  // the distance of places x < z goes to the pair of x and y
        Real &from = table_.at(x, z), &to = table_.at(x, y);
        to = std::min(to, from);
        from = far;
    }
    void end_phase(Index x) {
        if (phase_[x] == Phase::settled) phase_[x] = Phase::over;
    }

    template <class Rejected>
    void search(Index x, Rejected& rejected) {  // the least distance in row x that is not rejected
        rejected.renew(x);
        Real best = infinity;
        const Real* row = table_.row(x);
        for (Index lo = x + 1; lo < n_; lo += bounds_.in_block) {
            const Index hi = std::min(lo + bounds_.in_block, n_);
            if (!vectors::any_below(row + lo, hi - lo, best)) continue;
            for (Index z = lo; z < hi; ++z) {
                if (row[z] >= best) continue;
                const Index y = rejected.into.find(z);
                if (!rejected.is_rejected(x, y))
                    best = row[z];
                else if (y != z)
                    move(x, z, y);  // a cluster is then looked up once, not once for each of its samples
            }
        }
        bounds_.bound[x] = best;
        bounds_.renew(x);
        end_phase(x);
        settled_ = infinity;
    }

    template <class Rejected>
    bool settle_row(Index x, Rejected& rejected) {  // move its entries at the bound. Returns whether any stay
        const Real low = bounds_.bound[x];
        const Real* row = table_.row(x);
        Index first = n_;
        for (Index lo = x + 1; lo < n_; lo += bounds_.in_block) {
            const Index hi = std::min(lo + bounds_.in_block, n_);
            if (!vectors::any_equal(row + lo, hi - lo, low)) continue;
            for (Index z = lo; z < hi; ++z) {
                if (row[z] != low) continue;
                const Index y = rejected.into.find(z);
                if (rejected.is_rejected(x, y)) continue;
                if (y != z) move(x, z, y);
                if (y > x) {
                    first = std::min(first, y);
                } else if (bounds_.bound[y] == low) {  // the entry went to row y: it is one of the ties there
                    nearest_[y] = std::min(nearest_[y], x);
                } else {
                    bounds_.bound[y] = bounds_.least[y / bounds_.in_block] = low;
                    end_phase(y);
                }
            }
        }
        nearest_[x] = first;
        return first < n_;
    }

    template <class Rejected>
    void settle(Real low, Rejected& rejected) {  // all rows whose bound is `low`, the least one
        bool again = true;
        while (again) {
            again = false;
            for (Index b = 0; b < static_cast<Index>(bounds_.least.size()); ++b) {
                if (bounds_.least[b] != low) continue;
                for (Index x = b * bounds_.in_block; x < std::min((b + 1) * bounds_.in_block, n_); ++x) {
                    if (bounds_.bound[x] != low || phase_[x] == Phase::settled) continue;
                    again = true;  // an earlier row may have got an entry
                    rejected.renew(x);
                    if (!settle_row(x, rejected)) {
                        search(x, rejected);
                        continue;
                    }
                    if (phase_[x] == Phase::unlisted) listed_.push_back(x);
                    phase_[x] = Phase::settled;
                }
            }
        }
        settled_ = low;
    }

    template <class Rejected>
    Index next_tied(Index x, Rejected& rejected) {  // the first at the bound of settled row x, `none` without one
        const Real low = bounds_.bound[x];
        const Real* row = table_.row(x);
        for (Index lo = nearest_[x]; lo < n_; lo += bounds_.in_block) {
            const Index hi = std::min(lo + bounds_.in_block, n_);
            if (!vectors::any_equal(row + lo, hi - lo, low)) continue;
            for (Index y = lo; y < hi; ++y)
                if (row[y] == low && nearest_[y] != empty && !rejected.is_rejected(x, y)) return nearest_[x] = y;
        }
        return none;
    }

    void unite(Index x, Index y) {  // y goes into x < y. Rows that are settled stay so, row x among them
        bounds_.bound[y] = infinity;
        bounds_.renew(y);
        nearest_[y] = empty;
        end_phase(y);
        std::size_t kept = 0;
        for (const Index z : listed_) {
            if (phase_[z] == Phase::over) {
                phase_[z] = Phase::unlisted;
                continue;
            }
            listed_[kept++] = z;
            if (z < y && z != x && table_.at(z, y) == bounds_.bound[z]) {
                move(z, y, x);
                const auto [first, second] = std::minmax(x, z);
                nearest_[first] = std::min(nearest_[first], second);
            }
        }
        listed_.resize(kept);
        Real *to = table_.row(x), *row = table_.row(y);
        to[y] = infinity;
        for (Index z = y + 1; z < n_; ++z) {  // infinite stays infinite: that is inside a cluster
            const Real lower = std::min(to[z], row[z]), higher = std::max(to[z], row[z]);
            to[z] = higher == infinity ? higher : lower;
        }
    }
};

}  // namespace tripletree
