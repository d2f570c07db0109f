// Each cluster's nearest other one, for agglomeration in which the closest pair may be barred.
//
// Live clusters stand at places. A search of a cluster goes over all others that live at the time. Only a cluster that
// is new searches, and one whose answer is out of date when its turn comes: of the two clusters of a pair, the one that
// searched later has seen it. So for each pair that is not rejected one of the two has `bound` at most its distance,
// and, where these are equal, a kept answer that comes no later than the pair in the order of ties. The first answer in
// the order of (bound, the smaller id of the pair, its larger id) is therefore the closest pair, once it is not out of
// date. If it is, that cluster searches again. (Müllner's generic algorithm without its pass over all clusters after a
// merge. With rejections, nearest-neighbour chains are not valid for any linkage.)
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

enum class Linkage { centroid, median, ward, average, weighted, complete, single };

struct Pair {  // of live clusters at two places. The one at `gone` is to merge into the other
    Index gone = none, kept = none;
    double distance = 0;
};

template <class Real>
struct Nearest {
    static constexpr Index in_block = 64;  // places
    static constexpr Real infinity = std::numeric_limits<Real>::infinity();

    explicit Nearest(Index n)
        : bound(n, infinity),
          least(n_blocks(n)),
          cluster(n),
          nearest(n, none),
          nearest_born(n, none),
          place(n),
          born(n, 0) {
        std::iota(cluster.begin(), cluster.end(), 0);
        std::iota(place.begin(), place.end(), 0);
    }

    static Index n_blocks(Index n) { return (n + in_block - 1) / in_block; }

    // Of each place. It is empty if the bound is infinite and no search has run since.
    std::vector<Real> bound;
    std::vector<Real> least;          // of each block: the least bound
    std::vector<Index> cluster;       // its id
    std::vector<Index> nearest;       // id of the nearest cluster, `none` without one
    std::vector<Index> nearest_born;  // when that one was born
    // Of each cluster id.
    std::vector<Index> place;
    std::vector<Index> born;  // after how many merges it was made, `none` once it is merged away

    void answer(Index x, Real distance, Index cluster_id) {
        bound[x] = distance;
        nearest[x] = cluster_id;
        if (cluster_id != none) nearest_born[x] = born[cluster_id];
    }

    void merged(Index gone, Index kept, Index now) {
        bound[gone] = infinity;
        born[cluster[gone]] = none;
        born[cluster[kept]] = now;
    }

    void renew_least(Index x, Index live) {
        const Index lo = x - x % in_block;
        Real low = bound[lo];
        for (Index k = lo; k < std::min(lo + in_block, live); ++k) low = std::min(low, bound[k]);
        least[x / in_block] = low;
    }

    // The place of the first answer, and whether it is up to date: of two that hold the same pair, that is preferred.
    std::pair<Index, bool> first(Index live) const {
        const Real low = *std::min_element(least.begin(), least.begin() + n_blocks(live));
        Index at = none;
        std::pair<Index, Index> best;
        bool is_fresh = false;
        for (Index b = 0; b < n_blocks(live); ++b) {
            if (least[b] != low) continue;
            for (Index x = b * in_block; x < std::min((b + 1) * in_block, live); ++x) {
                if (bound[x] != low) continue;
                const Index s = cluster[x], t = nearest[x];
                const std::pair pair{std::min(s, t), std::max(s, t)};
                if (at != none && (pair > best || (pair == best && is_fresh))) continue;
                const bool fresh = t != none && born[t] == nearest_born[x];
                if (at == none || pair < best || fresh) at = x, best = pair, is_fresh = fresh;
            }
        }
        return {at, is_fresh};
    }
};

// The loop that `Centres` and `SparseCentres` share: they have `search(x)`, which fills the bound and the answer of a
// place, `pack()` and `unite(gone, kept)`.
template <class Real, class Self>
class NearestLoop : protected Nearest<Real> {
   public:
    explicit NearestLoop(Index n) : Nearest<Real>(n), live_(n) {}

    template <class Rejected>
    void begin(Rejected& rejected, Interrupts& watch) {
        self().pack();
        for (Index x = 0; x < live_; ++x) renew(x, rejected), watch.check(0, self().work());
    }

    template <class Rejected>
    Pair closest(Rejected& rejected, Count& searches) {  // without a `gone` if no pair is left
        while (true) {
            const auto [x, is_fresh] = this->first(live_);
            if (this->bound[x] == this->infinity) return {};
            const Index s = this->cluster[x], t = this->nearest[x];
            if (is_fresh && !rejected.is_rejected(s, t))
                return {this->place[std::max(s, t)], this->place[std::min(s, t)], static_cast<double>(this->bound[x])};
            ++searches;  // the bound of x was too low
            renew(x, rejected);
        }
    }

    template <class Rejected>
    void merge(const Pair& pair, Index now, Index n_left, const std::vector<Index>&, Rejected& rejected) {
        self().unite(pair.gone, pair.kept);
        this->merged(pair.gone, pair.kept, now);
        this->renew_least(pair.gone, live_);
        renew(pair.kept, rejected);
        if (4 * Count{n_left} < 3 * Count{live_}) self().pack();  // a quarter of the places is empty
    }

    Index id(Index x) const { return this->cluster[x]; }

    void forget_answers() {  // every cluster has to search again
        for (Index x = 0; x < live_; ++x)
            if (!self().is_empty(x)) this->bound[x] = -1, this->nearest[x] = none;
        for (Index x = 0; x < live_; x += this->in_block) this->renew_least(x, live_);
    }

   protected:
    Index live_;  // places in use, those that are empty by now included

    template <class Rejected>
    void renew(Index x, Rejected& rejected) {
        rejected.renew(this->cluster[x]);
        self().search(x, rejected);
        this->renew_least(x, live_);
    }

   private:
    Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace tripletree
