// Agglomeration of many small groups, each by itself, by a linkage on centres, without triplets or distance matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nearest.hpp"
#include "vectors.hpp"

namespace tripletree {

// The clusters of the group at hand, each at the place of its first member.
class SmallGroup {
   public:
    SmallGroup(Count d, Index widest, Linkage linkage)
        : d_(d),
          widest_(widest),
          linkage_(linkage),
          points_(d * widest),
          weight_(widest),
          bound_(widest),
          near_(widest),
          top_(widest),
          out_(widest) {}

    // samples: rows of d. members: of the group, ascending. Merges all, the closest pair first, of equal ones that with
    // the first members. A merge is always into the earlier of two. `merged(gone, kept, distance, largest distance in
    // the cluster that is formed)` is told of members and distances.
    template <class Merged>
    void run(const double* samples, const Count* members, Index size, Interrupts& watch, Merged&& merged) {
        for (Index j = 0; j < size; ++j) {
            weight_[j] = 1;
            top_[j] = 0;
            for (Count k = 0; k < d_; ++k) at(k, j) = samples[members[j] * d_ + k];
        }
        for (Index x = 0; x < size; ++x) search(x, size, watch);
        for (Index step = 0; step + 1 < size; ++step) {
            Index x = 0;
            for (Index z = 1; z < size; ++z)
                if (bound_[z] < bound_[x]) x = z;
            const Index y = near_[x];
            if (y < 0) return;  // distances that are no numbers
            top_[x] = std::max({bound_[x], top_[x], top_[y]});
            merged(members[y], members[x], std::sqrt(bound_[x]), std::sqrt(top_[x]));
            ++done_;
            unite(x, y);
            bound_[y] = infinity;
            near_[y] = empty;
            measure(x, 0, size, watch);
            keep_nearest_later(x, size);
            lost_.clear();
            for (Index z = 0; z < y;
                 ++z) {  // places behind y look at later places only, so nothing has changed for them
                const Index near = near_[z];
                if (z < x && near != empty && (out_[z] < bound_[z] || (out_[z] == bound_[z] && x <= near)))
                    bound_[z] = out_[z], near_[z] = x;  // x has come nearer than all others
                else if (z != x && (near == y || (near == x && z < x)))
                    lost_.push_back(z);
            }
            for (const Index z : lost_) search(z, size, watch);
        }
    }

    double centre(Count k) const { return points_[k * widest_]; }  // of all, once they are merged

   private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr Index empty = -2;  // `near_` of an empty place

    Count d_, widest_;
    Linkage linkage_;
    std::vector<double> points_;  // [dimension][place]: the centres, infinite where empty
    std::vector<double> weight_;  // how many members
    std::vector<double> bound_;   // the least distance to a later place, infinite where empty
    std::vector<Index> near_;     // the first place that attains it, -1 for none
    std::vector<double> top_;     // the largest distance at which the cluster was formed
    std::vector<double> out_;     // distances from the place at hand
    Count done_ = 0;              // merges, of all groups so far
    std::vector<Index> lost_;     // places whose nearest one is gone or further away

    double& at(Count k, Index x) { return points_[k * widest_ + x]; }

    // Fills in the squared distances of place x to the places low..size-1 (infinite where empty).
    void measure(Index x, Index low, Index size, Interrupts& watch) {
        std::fill(out_.begin() + low, out_.begin() + size, 0.0);
        if (low < size) vectors::add_squares(&at(0, low), &at(0, x), widest_, d_, size - low, &out_[low]);
        if (linkage_ == Linkage::ward) {
            const double here = weight_[x];
            for (Index j = low; j < size; ++j) out_[j] *= 2 * here * weight_[j] / (here + weight_[j]);
        }
        watch.check(done_, 1 + d_ * (size - low) / 8);
    }

    void keep_nearest_later(Index x, Index size) {
        bound_[x] = infinity;
        near_[x] = none;
        for (Index z = x + 1; z < size; ++z)
            if (out_[z] < bound_[x]) bound_[x] = out_[z], near_[x] = z;
    }

    void search(Index x, Index size, Interrupts& watch) {
        measure(x, x + 1, size, watch);
        keep_nearest_later(x, size);
    }

    // Puts the centre of the union of places x and y at x, and y out of reach.
    void unite(Index x, Index y) {
        const double wx = weight_[x], wy = weight_[y];
        for (Count k = 0; k < d_; ++k) {
            double& here = at(k, x);
            here = linkage_ == Linkage::median ? (here + at(k, y)) / 2 : (wx * here + wy * at(k, y)) / (wx + wy);
            at(k, y) = infinity;
        }
        weight_[x] += wy;
    }
};

}  // namespace tripletree
