// Clusters by sparse centres: searches by products of vectors.
//
// The squared distance of two clusters is square[x] + square[y] - 2 x.y, where `square` is the squared length of the
// centre (centroid, median, Ward) or the mean of the squared lengths of the samples (average and weighted linkage of
// squared distances). Less than the rounding of this is 0.
//
// An index from features to clusters gives the products of one cluster with all others at once: a search takes as many
// steps as there are entries in the columns of its features. Clusters that were formed after the index was made are
// multiplied one by one, and it is made anew before there are many of them. Entries of a vector are in the order of
// their features, in the index, too, so a product is the same sum whichever way it is taken.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "nearest.hpp"

namespace tripletree {

template <class Real>
class SparseCentres : public NearestLoop<Real, SparseCentres<Real>> {
    using Base = NearestLoop<Real, SparseCentres<Real>>;
    using Base::bound, Base::cluster, Base::in_block, Base::infinity, Base::live_, Base::n_blocks;

   public:
    struct Entry {
        Index feature;
        Real value;
    };

    SparseCentres(const Count* start, const Index* feature, const Real* value, Index n, Index n_features,
                  std::vector<Real> square, std::vector<Real> weight, Linkage linkage)
        : Base(n),
          linkage_(linkage),
          vector_(n),
          column_(n_features),
          is_renewed_(n, false),
          here_(n_features),
          product_(n),
          square_(std::move(square)),
          weight_(std::move(weight)) {
        for (Index x = 0; x < n; ++x) {
            for (Count e = start[x]; e < start[x + 1]; ++e) vector_[x].push_back({feature[e], value[e]});
            std::stable_sort(vector_[x].begin(), vector_[x].end(),
                             [](const Entry& p, const Entry& q) { return p.feature < q.feature; });
        }
    }

    Count work() const { return live_; }
    bool is_empty(Index x) const { return weight_[x] == 0; }

    template <class Rejected>
    void search(Index x, Rejected& rejected) {
        multiply(x);
        constexpr Real rounding = 64 * std::numeric_limits<Real>::epsilon();
        double best = infinity;
        Index found = none;
        const Index s = cluster[x];
        for (Index z = 0; z < live_; ++z) {
            if (is_empty(z) || z == x) continue;
            const Real both = square_[x] + square_[z];
            double distance = both - 2.0 * product_[z];
            if (distance < rounding * both) distance = 0;
            if (linkage_ == Linkage::ward) {
                const Real sum = weight_[x] + weight_[z];
                distance *= 2.0 * weight_[x] * weight_[z] / sum;
            }
            if (distance > best) continue;
            const Index t = cluster[z];
            if (distance == best && found != none && t > found) continue;  // the smaller id comes first
            if (!rejected.is_rejected(s, t)) best = distance, found = t;
        }
        this->answer(x, static_cast<Real>(best), found);
    }

    void unite(Index x, Index y) {
        const bool halves = linkage_ == Linkage::median || linkage_ == Linkage::weighted;
        const Real wx = halves ? 1 : weight_[x], wy = halves ? 1 : weight_[y];
        const auto mean = [&](Real p, Real q) { return p == q ? q : (wx * p + wy * q) / (wx + wy); };
        std::vector<Entry> both;
        both.reserve(vector_[x].size() + vector_[y].size());
        auto i = vector_[x].begin(), j = vector_[y].begin();
        const auto end_i = vector_[x].end(), end_j = vector_[y].end();
        Real length = 0;
        while (i != end_i || j != end_j) {
            const bool from_x = j == end_j || (i != end_i && i->feature <= j->feature);
            const bool from_y = i == end_i || (j != end_j && j->feature <= i->feature);
            const Index feature = from_x ? i->feature : j->feature;
            const Real q = mean(from_x ? i->value : 0, from_y ? j->value : 0);
            both.push_back({feature, q});
            length += q * q;
            i += from_x, j += from_y;
        }
        vector_[x].clear();
        vector_[y].swap(both);
        const bool is_average = linkage_ == Linkage::average || linkage_ == Linkage::weighted;
        square_[y] = is_average ? mean(square_[x], square_[y]) : length;
        weight_[y] += weight_[x];
        weight_[x] = 0;
        if (!is_renewed_[y]) is_renewed_[y] = true, renewed_.push_back(y);
        if (static_cast<Index>(renewed_.size()) > 16 + live_ / 16) renew_index();
    }

    void pack() {  // close the gaps between places, and make the index anew
        Index kept = 0;
        for (Index x = 0; x < live_; ++x) {
            if (is_empty(x)) continue;
            for (auto* reals : {&square_, &weight_, &bound}) (*reals)[kept] = (*reals)[x];
            for (auto* indices : {&cluster, &this->nearest, &this->nearest_born}) (*indices)[kept] = (*indices)[x];
            if (kept != x) vector_[kept] = std::move(vector_[x]);
            this->place[cluster[kept]] = kept;
            ++kept;
        }
        live_ = kept;
        renew_index();
        for (Index x = 0; x < live_; x += in_block) this->renew_least(x, live_);
    }

   private:
    struct Owned {
        Index owner;
        Real value;
    };

    Linkage linkage_;
    std::vector<std::vector<Entry>> vector_;  // of each place
    std::vector<std::vector<Owned>> column_;  // the index, of each feature
    std::vector<Index> renewed_;              // places whose vectors are newer than the index
    std::vector<bool> is_renewed_;
    std::vector<Real> here_, product_;   // scratch, of each feature and place
    std::vector<Real> square_, weight_;  // of each place. An empty one weighs 0

    void renew_index() {
        for (auto& column : column_) column.clear();
        for (Index x = 0; x < live_; ++x)
            for (const auto& [feature, value] : vector_[x]) column_[feature].push_back({x, value});
        for (const Index x : renewed_) is_renewed_[x] = false;
        renewed_.clear();
    }

    void multiply(Index x) {  // the products of place x and all others
        std::fill_n(product_.begin(), live_, 0);
        for (const auto& [feature, value] : vector_[x])
            for (const auto& [owner, other] : column_[feature]) product_[owner] += value * other;
        if (renewed_.empty()) return;
        for (const auto& [feature, value] : vector_[x]) here_[feature] = value;
        for (const Index z : renewed_) {
            Real total = 0;
            for (const auto& [feature, value] : vector_[z]) total += here_[feature] * value;
            product_[z] = total;
        }
        for (const auto& [feature, value] : vector_[x]) here_[feature] = 0;
    }
};

}  // namespace tripletree
