// Clusters by their centres, in blocks with small boxes around them: a search leaves out boxes that are too far away.
#pragma once

#include <algorithm>
#include <vector>

#include "nearest.hpp"
#include "vectors.hpp"

namespace tripletree {

// The clusters in their blocks, for centroid, median and Ward linkage, and for average and weighted linkage of squared
// distances. All are squared. What searches them, `Self`, has bounds that are distances, or something else.
template <class Real, class Self, class Bound = Real>
class CentreBlocks : public NearestLoop<Bound, Self> {
    using Base = NearestLoop<Bound, Self>;

   protected:
    using Base::bound, Base::cluster, Base::in_block, Base::live_, Base::n_blocks;
    static constexpr Real infinity = std::numeric_limits<Real>::infinity();

   public:
    // samples: n rows of d, dimensions of large spread first. weight, spread: of each sample.
    CentreBlocks(const Real* samples, Index n, Count d, std::vector<Real> weight, std::vector<Real> spread,
                 Linkage linkage)
        : Base(n),
          d_(d),
          linkage_(linkage),
          points_(n_blocks(n) * d * in_block, infinity),
          low_(d * n_blocks(n)),
          high_(d * n_blocks(n)),
          weight_(std::move(weight)),
          lightest_(n_blocks(n)),
          spread_(std::move(spread)),
          tightest_(n_blocks(n)),
          first_(n_blocks(n)),
          distances_(in_block),
          reach_(n_blocks(n)) {
        for (Index x = 0; x < n; ++x)
            for (Count k = 0; k < d; ++k) at(k, x) = samples[x * d + k];
    }

    Count work() const { return std::max<Count>(live_ * std::min<Count>(d_, first_dimensions) / 16, 1); }
    bool is_empty(Index x) const { return at(0, x) == infinity; }

    void unite(Index x, Index y) {  // the centre of the union stands at y. Coordinates that agree stay as they are
        const Index b = y / in_block;
        const Real wx = linkage_ == Linkage::weighted ? 1 : weight_[x],
                   wy = linkage_ == Linkage::weighted ? 1 : weight_[y];
        Real apart = 0;
        for (Count k = 0; k < d_; ++k) {
            const Real p = at(k, x);
            Real& q = at(k, y);
            if (p != q) {
                apart += (p - q) * (p - q);
                q = linkage_ == Linkage::median ? (p + q) / 2 : (wx * p + wy * q) / (wx + wy);
                low(k, b) = std::min(low(k, b), q);
                high(k, b) = std::max(high(k, b), q);
            }
            at(k, x) = infinity;
        }
        if (has_spread()) {
            const Real share = wx / (wx + wy);
            const double rest = 1 - static_cast<double>(share);
            spread_[y] = static_cast<Real>(share * spread_[x] + rest * spread_[y] + share * rest * apart);
        }
        weight_[y] += weight_[x];
        weight_[x] = 1;
    }

    void pack() {  // close the gaps and arrange the places anew
        std::vector<Index> order;
        for (Index x = 0; x < live_; ++x)
            if (!is_empty(x)) order.push_back(x);
        arrange(order);
        live_ = static_cast<Index>(order.size());
        std::vector<Real> spare(live_);
        for (Count k = 0; k < d_; ++k) {
            for (Index x = 0; x < live_; ++x) spare[x] = at(k, order[x]);
            for (Index x = 0; x < live_; ++x) at(k, x) = spare[x];
        }
        for (auto* reals : {&weight_, &spread_}) reorder(*reals, order);
        reorder(bound, order);
        for (auto* indices : {&cluster, &this->nearest, &this->nearest_born}) reorder(*indices, order);
        for (Index x = 0; x < live_; ++x) this->place[cluster[x]] = x;
        for (Index b = 0; b < n_blocks(live_); ++b) {
            const Index lo = b * in_block, hi = std::min(lo + in_block, live_);
            for (Count k = 0; k < d_; ++k) {
                const auto [least, most] = std::minmax_element(&at(k, lo), &at(k, lo) + (hi - lo));
                low(k, b) = *least, high(k, b) = *most;
            }
            this->renew_least(lo, live_);
            lightest_[b] = *std::min_element(&weight_[lo], &weight_[lo] + (hi - lo));
            tightest_[b] = *std::min_element(&spread_[lo], &spread_[lo] + (hi - lo));
            first_[b] = *std::min_element(&cluster[lo], &cluster[lo] + (hi - lo));
        }
    }

   protected:
    static constexpr Count first_dimensions = 8;  // summed before a block is given up
    // A distance to a box times a Ward factor may be rounded up: by far less than this.
    static constexpr double slack = 1 - 1e-5;

    Count d_;
    Linkage linkage_;
    // [block][dimension][place in the block]: the centre at each place, infinite if that is empty. So a block is one
    // piece of memory: in columns of n numbers each, searches of wide data wait for pages.
    std::vector<Real> points_;
    std::vector<Real> low_, high_;         // [dimension][block]: the box
    std::vector<Real> weight_, lightest_;  // samples in the cluster; of each block at most the least one
    std::vector<Real> spread_,
        tightest_;              // mean squared distance to the centre, for average and weighted; at most the least
    std::vector<Index> first_;  // of each block: at most the least id in it
    std::vector<Real> distances_, reach_;  // scratch: to the places of one block, to all boxes

    Real& at(Count k, Index x) { return points_[(x / in_block * d_ + k) * in_block + x % in_block]; }
    Real at(Count k, Index x) const { return points_[(x / in_block * d_ + k) * in_block + x % in_block]; }
    Real& low(Count k, Index b) { return low_[k * n_blocks(bound.size()) + b]; }
    Real& high(Count k, Index b) { return high_[k * n_blocks(bound.size()) + b]; }
    bool has_spread() const { return linkage_ >= Linkage::average; }

    void finish(Index x, double factor, const Real* weights, const Real* spreads, Index n, Real* out) const {
        if (linkage_ == Linkage::ward) {
            // Ward's factor in double precision, whatever the precision of the weights
            const double here = factor * weight_[x];
            for (Index j = 0; j < n; ++j) {
                const Real sum = static_cast<Real>(here) + weights[j];
                out[j] = static_cast<Real>(out[j] * (2 * here * weights[j] / sum));
            }
        } else if (has_spread()) {
            for (Index j = 0; j < n; ++j) out[j] += spread_[x] + spreads[j];
        }
    }

    // Fills distances_ with those of place x to the places of block b. Returns whether any is at most the limit.
    bool measure(Index x, Index b, Index size, Real limit) {
        Real* out = distances_.data();
        std::fill_n(out, size, 0);
        const Real *rows = &at(0, b * in_block), *here = &at(0, x);
        const Count first = std::min(d_, first_dimensions);
        vectors::add_squares(rows, here, in_block, first, size, out);
        if (first < d_) {
            // a sum over dimensions only grows, so the others may be skipped. Ward's distance is not such a sum
            if (linkage_ != Linkage::ward && !vectors::any_at_most(out, size, limit)) return false;
            vectors::add_squares(rows + first * in_block, here + first * in_block, in_block, d_ - first, size, out);
        }
        finish(x, 1, &weight_[b * in_block], &spread_[b * in_block], size, out);
        return vectors::any_at_most(out, size, limit);
    }

    // Fills reach_ with a lower bound for each block: no place in it is nearer to place x. The distance to a box is
    // computed as that to a point, in the same order of dimensions, and rounding is monotone: it never exceeds the
    // computed distance to a point inside. Ward's factor 2 a b / (a + b) grows with b: the lightest cluster bounds it.
    void reach_boxes(Index x) {
        const Index blocks = n_blocks(live_);
        std::fill_n(reach_.begin(), blocks, 0);
        vectors::add_excess(low_.data(), high_.data(), n_blocks(bound.size()), &at(0, x), in_block, d_, blocks,
                            reach_.data());
        if (linkage_ != Linkage::ward && !has_spread()) return;
        finish(x, slack, lightest_.data(), tightest_.data(), blocks, reach_.data());
        if (has_spread())
            for (Index b = 0; b < blocks; ++b) reach_[b] = static_cast<Real>(reach_[b] * slack);
    }

    template <class T>
    static void reorder(std::vector<T>& values, const std::vector<Index>& order) {
        std::vector<T> spare(order.size());
        for (std::size_t x = 0; x < order.size(); ++x) spare[x] = values[order[x]];
        std::copy(spare.begin(), spare.end(), values.begin());
    }

    // Orders the places so that blocks have small boxes: the widest side is halved again and again, O(d n log n). Where
    // points are equal, blocks of small ids come first, since these win ties.
    void arrange(std::vector<Index>& items) const {
        std::vector<Real> along(points_.size() / d_);
        std::vector<std::pair<Index, Index>> parts{{0, static_cast<Index>(items.size())}};
        while (!parts.empty()) {
            const auto [lo, hi] = parts.back();
            parts.pop_back();
            if (hi - lo <= in_block) continue;
            // a whole number of blocks on the left, so that only the last block of all may be short
            const Index middle = lo + (hi - lo + in_block - 1) / in_block / 2 * in_block;
            const Count axis = widest(items, lo, hi);
            if (axis < 0) {
                halve(cluster, items, lo, hi, middle);
            } else {
                for (Index t = lo; t < hi; ++t) along[items[t]] = at(axis, items[t]);
                halve(along, items, lo, hi, middle);
            }
            parts.push_back({lo, middle});
            parts.push_back({middle, hi});
        }
    }

    Count widest(const std::vector<Index>& items, Index lo, Index hi) const {  // -1 if all are equal
        Count axis = -1;
        Real most = 0;
        for (Count k = 0; k < d_; ++k) {
            Real least = at(k, items[lo]), largest = least;
            for (Index t = lo + 1; t < hi; ++t) {
                const Real value = at(k, items[t]);
                least = std::min(least, value), largest = std::max(largest, value);
            }
            if (largest - least > most) most = largest - least, axis = k;
        }
        return axis;
    }

    template <class T>
    static void halve(const std::vector<T>& along, std::vector<Index>& items, Index lo, Index hi, Index middle) {
        std::nth_element(items.begin() + lo, items.begin() + middle, items.begin() + hi,
                         [&](Index x, Index y) { return along[x] < along[y]; });
    }
};

template <class Real>
class Centres : public CentreBlocks<Real, Centres<Real>> {
    using Base = CentreBlocks<Real, Centres<Real>>;
    using Base::cluster, Base::distances_, Base::first_, Base::in_block, Base::infinity, Base::live_, Base::reach_;

   public:
    using Base::Base;

    template <class Rejected>
    void search(Index x, Rejected& rejected) {  // the nearest that is not rejected, the first in the order of ties
        this->reach_boxes(x);
        Real best = infinity;
        Index found = none;
        const Index s = cluster[x], own = x / in_block, blocks = this->n_blocks(live_);
        for (Index step = -1; step < blocks; ++step) {  // the own block first, for a good start
            const Index b = step < 0 ? own : step;
            // of pairs with x at the same distance, that with the smaller id comes first
            if (step == own || reach_[b] > best || (reach_[b] == best && first_[b] >= found)) continue;
            const Index lo = b * in_block, size = std::min(in_block, live_ - lo);
            if (!this->measure(x, b, size, best)) continue;
            for (Index j = 0; j < size; ++j) {
                if (distances_[j] > best || distances_[j] == infinity || lo + j == x) continue;
                const Index t = cluster[lo + j];
                if (distances_[j] == best && t > found) continue;
                if (!rejected.is_found_rejected(s, t)) best = distances_[j], found = t;
            }
        }
        this->answer(x, best, found);
    }
};

}  // namespace tripletree
