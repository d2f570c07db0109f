// Agglomeration in which triplets may be violated, at a price: on centres, or on a table of distances.
//
// The cost of a pair of clusters is log(distance) + penalty * push, where push is the weight that merging them
// violates, less the weight that it satisfies (`Ties`). A merge changes no cost but the costs of the merged cluster,
// and lower bounds of the costs serve as bounds of distances do in `Centres` and `DistanceTable`, whose places, bounds
// and blocks these are.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "centres.hpp"
#include "distance_table.hpp"
#include "recon.hpp"
#include "ties.hpp"

namespace tripletree {

constexpr double no_cost = std::numeric_limits<double>::infinity();

// What a penalty makes of distances, squared for linkages on centres. Costs are doubles, whatever the distances.
struct Price {
    Linkage linkage;
    double penalty;

    bool is_squared() const { return linkage <= Linkage::ward; }
    double cost(double distance, double push) const {
        if (distance <= 0) return -no_cost;
        return (is_squared() ? 0.5 : 1.0) * std::log(distance) + penalty * push;
    }
    // The distance that costs so much by itself, or more: by the rounding of log and exp, and more.
    double worth(double cost) const { return std::exp(is_squared() ? 2 * cost : cost) * (1 + 1e-6); }
    // The distance within which a pair of this push may cost no more than the best one so far.
    double within(double best, double push) const {
        const double part = penalty * push;
        // by costs, since the worth of a large push may be too small for a number
        constexpr double exact = -1e6;  // below which a difference of two costs is no longer exact enough
        return part > exact ? worth(best - part) : no_cost;
    }
};

// Time O(n^2 d + m log n) at most, memory O(n d + m).
template <class Real>
class SoftCentres : public CentreBlocks<Real, SoftCentres<Real>, double> {
    using Base = CentreBlocks<Real, SoftCentres<Real>, double>;
    using Base::cluster, Base::distances_, Base::first_, Base::in_block, Base::live_, Base::reach_;

   public:
    SoftCentres(const Real* samples, Index n, Count d, std::vector<Real> weight, Price price)
        : Base(samples, n, d, std::move(weight), std::vector<Real>(n), price.linkage),
          price_(price),
          least_(this->n_blocks(n)) {}

    const std::vector<Index>& places() const { return this->place; }

    std::vector<Merge> run(Ties& ties, Interrupts& watch) {
        std::vector<Merge> merges;
        const auto n = static_cast<Index>(cluster.size());
        ties.work = this->work();
        this->begin(ties, watch);
        Count searches = 0;
        while (static_cast<Index>(merges.size()) + 1 < n) {
            const Pair pair = this->closest(ties, searches);
            if (pair.gone == none) break;  // distances are too large for numbers
            const Index i = cluster[pair.gone], j = cluster[pair.kept];
            merges.push_back({i, j, static_cast<double>(distance(pair.kept, pair.gone))});
            ties.unite(i, j);
            const auto now = static_cast<Index>(merges.size());
            this->merge(pair, now, n - now, {}, ties);
        }
        return merges;
    }

    // Finds the cluster of the least cost with place x, the first in the order of ties. A block is skipped if its box
    // is farther away than a pair may be that costs as much as the best so far, after the factor by which the least
    // push in the block draws it near. At most O(n d), and mostly far less.
    void search(Index x, Ties& ties) {
        ties.lay(cluster[x]);
        const std::vector<double>& pushes = ties.pushes();
        for (const Index z : ties.laid()) least_[z / in_block] = std::min(least_[z / in_block], pushes[z]);
        this->reach_boxes(x);
        double best = no_cost, limit = no_cost;
        Index found = none;
        const Index own = x / in_block, blocks = this->n_blocks(live_);
        for (Index step = -1; step < blocks; ++step) {  // the own block first, for a good start
            const Index b = step < 0 ? own : step;
            if (step == own) continue;
            const double within = least_[b] < 0 ? price_.within(best, least_[b]) : limit;
            if (reach_[b] > within || (best == -no_cost && first_[b] >= found)) continue;
            const Index lo = b * in_block, size = std::min(in_block, live_ - lo);
            if (!this->measure(x, b, size, static_cast<Real>(within))) continue;
            for (Index j = 0; j < size; ++j) {
                const double push = pushes[lo + j];
                if (distances_[j] > (push < 0 ? within : limit) || distances_[j] == this->infinity || lo + j == x)
                    continue;
                const double cost = price_.cost(distances_[j], push);
                if (cost < best || (cost == best && cluster[lo + j] < found))
                    best = cost, found = cluster[lo + j], limit = price_.worth(cost);
            }
        }
        for (const Index z : ties.laid()) least_[z / in_block] = 0;
        ties.lift();
        this->answer(x, best, found);
    }

   private:
    Price price_;
    std::vector<double> least_;  // scratch: the least push in each block, at most 0

    Real distance(Index x, Index y) {  // as searches see it
        const Index b = y / in_block;
        this->measure(x, b, std::min(in_block, live_ - b * in_block), this->infinity);
        return distances_[y % in_block];
    }
};

// The same by a table of distances. Time O(n^2) mostly, O(n^3 + m log n) at worst, memory O(n^2 + m).
template <class Real>
class SoftTable : DistanceTable<Real, double> {
    using Base = DistanceTable<Real, double>;
    using Base::bounds_, Base::cluster_, Base::empty, Base::nearest_, Base::table_, Base::unknown, Base::weight_;

   public:
    SoftTable(Real* distances, Index n, std::vector<Real> weight, Price price)
        : Base(distances, n, std::move(weight), price.linkage), price_(price), place_(cluster_) {}

    const std::vector<Index>& places() const { return place_; }

    std::vector<Merge> run(Ties& ties, Interrupts& watch) {
        const Index n = this->live();
        std::vector<Merge> merges;
        for (Index x = 0; x < n; ++x) search_laid(x, ties), watch.check(0, this->work());
        bounds_.renew_all();
        while (static_cast<Index>(merges.size()) + 1 < n) {
            const Index x = bounds_.first_of_least(), y = nearest_[x];
            watch.check(static_cast<Count>(merges.size()), this->work());
            if (y < 0) {
                if (bounds_.bound[x] == no_cost) break;  // distances are too large for numbers
                search_laid(x, ties);
                bounds_.renew(x);
                continue;
            }
            const Index i = cluster_[y], j = cluster_[x];
            merges.push_back({i, j, static_cast<double>(table_.row(x)[y])});
            ties.unite(i, j);
            ties.lay(j);
            unite(x, y, ties.pushes());
            ties.lift();
            if (4 * Count{n - static_cast<Index>(merges.size())} < 3 * Count{this->live()} && this->live() > 64) {
                this->pack();
                for (Index z = 0; z < this->live(); ++z) place_[cluster_[z]] = z;
            }
        }
        return merges;
    }

   private:
    Price price_;
    std::vector<Index> place_;  // of each cluster id

    void search_laid(Index x, Ties& ties) {
        ties.lay(cluster_[x]);
        search(x, ties.pushes());
        ties.lift();
    }

    // Finds the later cluster of the least cost with place x, the first of several.
    void search(Index x, const std::vector<double>& pushes) {
        const Real* row = table_.row(x);
        double best = no_cost;
        Index found = unknown;
        for (Index z = x + 1; z < this->live(); ++z) {
            if (nearest_[z] == empty) continue;
            const double cost = price_.cost(row[z], pushes[z]);
            if (cost < best) best = cost, found = z;
        }
        bounds_.bound[x] = best;
        nearest_[x] = found;
    }

    // The distance of z to the union of two clusters, at p and q from it (Lance and Williams 1967). w: numbers of
    // samples. Halves are taken in double precision, whatever that of the distances.
    double united(Real p, Real q, Real between, Real wp, Real wq, Real wz) const {
        double distance = 0;
        switch (price_.linkage) {
            case Linkage::centroid:
                distance = (wp * p + wq * q) / (wp + wq) - wp * wq * between / (wp + wq) / (wp + wq);
                break;
            case Linkage::median:
                distance = static_cast<double>(p + q) / 2 - static_cast<double>(between) / 4;
                break;
            case Linkage::ward:
                distance = ((wz + wp) * p + (wz + wq) * q - wz * between) / (wz + wp + wq);
                break;
            case Linkage::average:
                distance = (wp * p + wq * q) / (wp + wq);
                break;
            case Linkage::weighted:
                distance = static_cast<double>(p + q) / 2;
                break;
            case Linkage::complete:
                distance = std::max(p, q);
                break;
            case Linkage::single:
                distance = std::min(p, q);
                break;
        }
        return std::max(distance, 0.0);
    }

    // Merges place y into place x < y: new distances, and new bounds that follow. The pushes of the union are laid.
    void unite(Index x, Index y, const std::vector<double>& pushes) {
        Real* row = table_.row(x);
        const Real between = row[y], wx = weight_[x], wy = weight_[y];
        weight_[x] = wx + wy;
        bounds_.bound[y] = no_cost;
        nearest_[y] = empty;
        for (Index z = 0; z < x; ++z) {
            if (nearest_[z] == empty) continue;
            Real* other = table_.row(z);
            const double distance = united(other[x], other[y], between, wx, wy, weight_[z]);
            other[x] = static_cast<Real>(distance);
            offer(z, x, y, price_.cost(distance, pushes[z]));
        }
        for (Index z = x + 1; z < this->live(); ++z) {
            if (nearest_[z] == empty) continue;
            row[z] = static_cast<Real>(united(row[z], table_.at(y, z), between, wx, wy, weight_[z]));
            if (z < y && nearest_[z] == y) nearest_[z] = unknown;
        }
        search(x, pushes);
        bounds_.renew(x);
        bounds_.renew(y);
    }

    void offer(Index z, Index x, Index y, double cost) {  // the union of x and y, which is at x now, to place z < x
        double& bound = bounds_.bound[z];
        const Index k = nearest_[z];
        const bool is_stale = k == x || k == y;
        if (cost < bound || (cost == bound && (is_stale || k > x))) {
            bound = cost;
            nearest_[z] = x;
            double& least = bounds_.least[z / bounds_.in_block];
            least = std::min(least, cost);
        } else if (is_stale) {
            nearest_[z] = unknown;
        }
    }
};

}  // namespace tripletree
