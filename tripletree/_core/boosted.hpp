// k-means whose pairs are looked at in an order of priority and that never halts: one run. And k-means in the space of
// the kernel that weighs in how many clusterings two samples are together.
//
// With clusterings l_1, ..., l_T of importances a_t, the kernel is the sum of a_t * (+1 if l_t(i) == l_t(j) else -1).
// Up to a factor and a constant, which change no clustering, it is the scalar product of the vectors that hold, for
// each t, sqrt(a_t) at the place l_t(i) of k: so a mean is the shares in which its samples have each label, and no
// matrix of n x n is needed.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "lloyd.hpp"

namespace tripletree::boosted {

using Reals = Grid<const double>;

struct PriorityPairs {
    Grid<const Index> ends;  // the two samples of each pair
    Index n_must;            // the first so many pairs are must-links
    const Index* order;      // the pairs by descending priority
    Count n;                 // how many are looked at
};

// The cluster of each sample by its distances: first of those in pairs, then of the others.
class ConstrainedAssignment {
   public:
    ConstrainedAssignment(Reals distance, Index* label) : distance_(distance), label_(label) {}

    void run(const PriorityPairs& pairs, Interrupts& watch) {
        std::fill_n(label_, distance_.n_rows, none);
        for (Count turn = 0; turn < pairs.n; ++turn) {
            const Index e = pairs.order[turn], a = pairs.ends[e][0], b = pairs.ends[e][1];
            if (label_[a] >= 0 && label_[b] >= 0) continue;
            e < pairs.n_must ? together(a, b) : apart(a, b);
            watch.check(turn, distance_.n_columns);
        }
        for (Index i = 0; i < distance_.n_rows; ++i)
            if (label_[i] < 0) label_[i] = nearest(i);
    }

   private:
    Reals distance_;
    Index* label_;

    // The nearest cluster of a sample other than `but`, the lowest of several. Cluster 0 if there is no other.
    Index nearest(Index i, Index but = none) const {
        Index at = none;
        for (Index j = 0; j < distance_.n_columns; ++j)
            if (j != but && (at < 0 || distance_[i][j] < distance_[i][at])) at = j;
        return std::max<Index>(at, 0);
    }

    // A must-link: both go where the first of them is. If neither has a cluster, to the centre nearest to either.
    void together(Index a, Index b) {
        if (label_[a] >= 0) {
            label_[b] = label_[a];
        } else if (label_[b] >= 0) {
            label_[a] = label_[b];
        } else {
            const Index near_a = nearest(a), near_b = nearest(b);
            label_[a] = label_[b] = distance_[a][near_a] < distance_[b][near_b] ? near_a : near_b;
        }
    }

    // A cannot-link: each goes to its nearest centre. If both have the same one, the farther one goes to its second.
    void apart(Index a, Index b) {
        if (label_[a] >= 0) {
            label_[b] = nearest(b, label_[a]);
        } else if (label_[b] >= 0) {
            label_[a] = nearest(a, label_[b]);
        } else {
            Index near_a = nearest(a), near_b = nearest(b);
            if (near_a == near_b) {
                if (distance_[a][near_a] < distance_[b][near_b])
                    near_b = nearest(b, near_a);
                else
                    near_a = nearest(a, near_b);
            }
            label_[a] = near_a;
            label_[b] = near_b;
        }
    }
};

// Labels, their means (an empty cluster keeps its centre), and the scatter of the labels around these.
struct ClusterMeans {
    std::vector<Index> label;
    std::vector<double> centres;  // k x d
    double scatter = std::numeric_limits<double>::infinity();
};

// Assigns and takes means by turns, at most so many times, while the scatter decreases. `to_the_end`: whatever the
// scatter, until no label changes.
inline ClusterMeans constrained_run(Reals columns, const double* weight, const PriorityPairs& pairs, Reals centres,
                                    Count most, bool to_the_end, Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows, k = centres.n_rows;
    ClusterMeans now{std::vector<Index>(n, none), {centres.data, centres.data + k * d}};
    std::vector<double> distance(n * k);
    for (Count turn = 0; turn < most; ++turn) {
        ClusterMeans next{std::vector<Index>(n), std::vector<double>(k * d)};
        lloyd::squared_distances(columns, {now.centres.data(), k, d}, distance.data(), watch);
        ConstrainedAssignment({distance.data(), n, k}, next.label.data()).run(pairs, watch);
        std::vector<double> mass(k);
        lloyd::sums(columns, weight, next.label.data(), {next.centres.data(), k, d}, mass.data());
        for (Count j = 0; j < k; ++j)
            for (Count t = j * d; t < (j + 1) * d; ++t)
                next.centres[t] = mass[j] > 0 ? next.centres[t] / mass[j] : now.centres[t];
        double scatter = 0;
        for (Count t = 0; t < d; ++t)
            for (Count i = 0; i < n; ++i) {
                const double difference = columns[t][i] - next.centres[next.label[i] * d + t];
                scatter += difference * difference;
            }
        next.scatter = scatter;
        if (next.scatter >= now.scatter && !to_the_end) break;
        const bool same = next.label == now.label;
        now = std::move(next);
        if (same) break;
    }
    return now;
}

// The labels of m samples in T clusterings. (Equal rows stand for many samples.)
struct Votes {
    Grid<const Index> rows;
    const double* importance;  // of each clustering
};

// Squared distances of all rows to row i: twice the importance of the clusterings that part them.
inline std::vector<double> disagreement(const Votes& votes, Index i) {
    std::vector<double> out(votes.rows.n_rows);
    for (Count r = 0; r < votes.rows.n_rows; ++r)
        for (Count t = 0; t < votes.rows.n_columns; ++t)
            if (votes.rows[r][t] != votes.rows[i][t]) out[r] += 2.0 * votes.importance[t];
    return out;
}

// The means of q clusters of the rows: share[t][v][j] of the weight of cluster j has label v in clustering t, 0 in an
// empty one. Also the clusters' weights. weight: how many samples a row stands for.
inline void shares(Grid<const Index> rows, const double* weight, const Index* label, Count k, Count q, double* share,
                   double* mass) {
    for (Count i = 0; i < rows.n_rows; ++i) {
        const double w = weight[i];
        mass[label[i]] += w;
        double* column = share + label[i];
        for (Count t = 0; t < rows.n_columns; ++t) column[(t * k + rows[i][t]) * q] += w;
    }
    for (Count place = 0; place < rows.n_columns * k; ++place)
        for (Count j = 0; j < q; ++j)
            if (mass[j] > 0) share[place * q + j] /= mass[j];
}

// Squared distances of all rows to all means, m x q.
inline std::vector<double> vote_distances(const Votes& votes, const double* share, Count k, Count q,
                                          Interrupts& watch) {
    const Count rounds = votes.rows.n_columns;
    std::vector<double> own(q);  // the part that does not depend on the row
    for (Count t = 0; t < rounds; ++t)
        for (Count v = 0; v < k; ++v)
            for (Count j = 0; j < q; ++j) {
                const double x = share[(t * k + v) * q + j];
                own[j] += votes.importance[t] * x * x;
            }
    std::vector<double> out(votes.rows.n_rows * q);
    for (Count i = 0; i < votes.rows.n_rows; ++i) {
        double* here = &out[i * q];
        std::copy(own.begin(), own.end(), here);
        for (Count t = 0; t < rounds; ++t) {
            const double* shares = share + (t * k + votes.rows[i][t]) * q;
            const double a = votes.importance[t];
            for (Count j = 0; j < q; ++j) here[j] += a * (1.0 - 2.0 * shares[j]);
        }
        for (Count j = 0; j < q; ++j) here[j] = std::max(here[j], 0.0);
        watch.check(i, 1 + rounds * q / 4);
    }
    return out;
}

}  // namespace tripletree::boosted
