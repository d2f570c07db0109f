// Each cluster's nearest later one, by a table of distances, for average, weighted and complete linkage.
//
// Live clusters stand at places in the order of their ids. A pair belongs to the earlier place. `bound` is at most the
// distance of every pair of its place that is not rejected. If `nearest` names a place, that pair attains it and is the
// first that does. So the place of the least bound either holds the closest pair, the first one in the order of
// (distance, earlier place, later place), or has to be scanned again. (Müllner's generic algorithm. With rejections,
// nearest-neighbour chains are not valid for any linkage.)
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "nearest.hpp"
#include "vectors.hpp"

namespace tripletree {

// The condensed distances of n places, scipy's order: those of a pair stand in the row of the earlier place.
template <class Real>
struct Condensed {
    Real* values;
    Count n;

    Real* row(Count x) const { return values + x * n - x * (x + 1) / 2 - x - 1; }  // row(x)[z] for z > x
    Real& at(Count x, Count y) const { return row(std::min(x, y))[std::max(x, y)]; }
};

// The least of many numbers that change now and then.
template <class Real>
struct LeastOfBlocks {
    static constexpr Index in_block = 256;
    std::vector<Real> bound, least;  // of each place, and of each block

    explicit LeastOfBlocks(Index n)
        : bound(n, std::numeric_limits<Real>::infinity()),
          least((n + in_block - 1) / in_block, std::numeric_limits<Real>::infinity()) {}

    void renew(Index x) {
        const Index lo = x - x % in_block, hi = std::min<Index>(lo + in_block, bound.size());
        least[x / in_block] = *std::min_element(&bound[lo], &bound[lo] + (hi - lo));
    }
    void renew_all() {
        for (Index x = 0; x < static_cast<Index>(bound.size()); x += in_block) renew(x);
    }
    Index first_of_least() const {
        const auto block = std::min_element(least.begin(), least.end());
        const auto from = bound.begin() + (block - least.begin()) * in_block;
        return static_cast<Index>(std::find(from, bound.end(), *block) - bound.begin());
    }
};

// What is searched for is the least bound, a distance or something else.
template <class Real, class Bound = Real>
class DistanceTable {
   public:
    // The distances are used, not copied.
    DistanceTable(Real* distances, Index n, std::vector<Real> weight, Linkage linkage)
        : table_{distances, n},
          linkage_(linkage),
          bounds_(n),
          weight_(std::move(weight)),
          nearest_(n, unknown),
          cluster_(n) {
        std::iota(cluster_.begin(), cluster_.end(), 0);
    }

    Count work() const { return live() / 8 + 1; }
    Index id(Index x) const { return cluster_[x]; }

    template <class Rejected>
    void begin(Rejected& rejected, Interrupts& watch) {
        for (Index x = 0; x < live(); ++x) scan(x, rejected), watch.check(0, work());
        bounds_.renew_all();
    }

    template <class Rejected>
    Pair closest(Rejected& rejected, Count& searches) {
        while (true) {
            const Index x = bounds_.first_of_least(), y = nearest_[x];
            if (bounds_.bound[x] == infinity) return {};
            if (y >= 0 && !rejected.is_rejected(cluster_[x], cluster_[y]))
                return {y, x, static_cast<double>(bounds_.bound[x])};
            ++searches;  // the bound was too low
            rejected.renew(cluster_[x]);
            scan(x, rejected);
            bounds_.renew(x);
        }
    }

    // One pass over all places. Distances to an empty place go stale: nobody reads them.
    template <class Rejected>
    void merge(const Pair& pair, Index, Index n_left, const std::vector<Index>&, Rejected& rejected) {
        const Index x = pair.kept, y = pair.gone;  // x < y
        const Real wx = weight_[x], wy = weight_[y];
        weight_[x] = wx + wy;
        bounds_.bound[y] = infinity;
        nearest_[y] = empty;
        for (Index z = 0; z < x; ++z)
            if (nearest_[z] != empty) {
                Real* row = table_.row(z);
                const Real distance = row[x] = united(row[x], row[y], wx, wy);
                offer(z, x, y, distance, rejected);
            }
        Real* row = table_.row(x);
        for (Index z = x + 1; z < y; ++z) {
            row[z] = united(row[z], table_.row(z)[y], wx, wy);
            if (nearest_[z] == y) nearest_[z] = unknown;  // the union is in the row of x: the bound of z stays one
        }
        const Real* other = table_.row(y);
        for (Index z = y + 1; z < live(); ++z) row[z] = united(row[z], other[z], wx, wy);
        scan(x, rejected);
        bounds_.renew(x);
        bounds_.renew(y);
        if (4 * Count{n_left} < 3 * Count{live()} && live() > 64) pack();
    }

    void forget_answers() {  // every cluster has to search again
        for (Index x = 0; x < live(); ++x)
            if (nearest_[x] != empty) bounds_.bound[x] = -1, nearest_[x] = unknown;
        bounds_.renew_all();
    }

   protected:
    static constexpr Index unknown = -1, empty = -2;  // has to be searched; there is no cluster any more
    static constexpr Real infinity = std::numeric_limits<Real>::infinity();

    Condensed<Real> table_;
    Linkage linkage_;
    LeastOfBlocks<Bound> bounds_;
    std::vector<Real> weight_;    // of each place: samples in its cluster
    std::vector<Index> nearest_;  // of each place: that of the nearest later cluster, `unknown` or `empty`
    std::vector<Index> cluster_;  // its id

    Index live() const { return static_cast<Index>(table_.n); }

    Real united(Real p, Real q, Real wp, Real wq) const {  // the distance to the union (Lance and Williams 1967)
        if (linkage_ == Linkage::average) return (wp * p + wq * q) / (wp + wq);
        if (linkage_ == Linkage::weighted) return (p + q) / 2;
        return std::max(p, q);
    }

    template <class Rejected>
    void scan(Index x, Rejected& rejected) {
        Real best = infinity;
        Index found = unknown;
        const Real* row = table_.row(x);
        for (Index lo = x + 1; lo < live(); lo += bounds_.in_block) {
            const Index hi = std::min<Index>(lo + bounds_.in_block, live());
            if (!vectors::any_below(row + lo, hi - lo, best)) continue;
            for (Index z = lo; z < hi; ++z)
                // only a candidate is looked up among the rejected, as that is a random access
                if (row[z] < best && nearest_[z] != empty && !rejected.is_rejected(cluster_[x], cluster_[z]))
                    best = row[z], found = z;
        }
        bounds_.bound[x] = best;
        nearest_[x] = found;
    }

    template <class Rejected>
    void offer(Index z, Index x, Index y, Real distance, Rejected& rejected) {  // the union of x and y to z < x
        Real& bound = bounds_.bound[z];
        const Index k = nearest_[z];
        const bool is_stale = k == x || k == y;
        if (distance > bound && !is_stale) return;
        // at the same distance the union comes first if the nearest so far is part of it, or stands later
        if ((distance < bound || (distance == bound && (is_stale || k > x))) &&
            !rejected.is_rejected(cluster_[z], cluster_[x])) {
            nearest_[z] = x;
            if (distance < bound) {
                bound = distance;
                Real& least = bounds_.least[z / bounds_.in_block];
                least = std::min(least, distance);
            }
        } else if (is_stale) {
            nearest_[z] = unknown;  // its bound is still one: the distances of all others are at least that
        }
    }

    void pack() {  // close the gaps, in order, in the distances as well
        std::vector<Index> moved(live());
        std::vector<Index> kept;
        for (Index z = 0; z < live(); ++z) {
            moved[z] = static_cast<Index>(kept.size());
            if (nearest_[z] != empty) kept.push_back(z);
        }
        Real* to = table_.values;
        for (std::size_t k = 0; k < kept.size(); ++k)
            for (std::size_t l = k + 1; l < kept.size(); ++l) *to++ = table_.row(kept[k])[kept[l]];
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const Index x = kept[k];
            weight_[k] = weight_[x], bounds_.bound[k] = bounds_.bound[x], cluster_[k] = cluster_[x];
            nearest_[k] = nearest_[x] < 0 ? nearest_[x] : moved[nearest_[x]];
        }
        table_.n = static_cast<Count>(kept.size());
        bounds_.bound.resize(kept.size());
        bounds_.least.resize((kept.size() + bounds_.in_block - 1) / bounds_.in_block);
        bounds_.renew_all();
    }
};

}  // namespace tripletree
