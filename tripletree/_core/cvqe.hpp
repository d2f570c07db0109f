// Constrained vector quantisation: pairs of samples, one after the other, get the clusters that cost least.
//
// A must-link between clusters g and h costs weight * apart[g][h], a cannot-link within g weight * near[g].
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "grid.hpp"
#include "links.hpp"

namespace tripletree::cvqe {

using Reals = Grid<const double>;

constexpr double rounding = 1e-12;  // savings of so small a part of the costs are rounding
// A sample is farther than another if its squared distance exceeds so many times the other one. Less is rounding.
constexpr double farther = 1.0 + 1e-9;

struct PairsInTurn {
    const Index* order;  // the pairs in the order in which they are looked at
    Grid<const Index> ends;
    const double* weight;
    Index n_must;  // the first so many are must-links
};

// Squared distances between the centres.
struct BetweenCentres {
    Reals apart;
    const double* near;  // of each centre to the nearest other one
};

// The pairs between two samples: a must-link, a cannot-link, or both. A weight is 0 for none.
struct TwoWeights {
    double must, cannot;
};

// The cost of a must-link and a cannot-link of these weights if their samples are in clusters g and h.
inline double price(Index g, Index h, const TwoWeights& weights, const BetweenCentres& between) {
    return weights.must * between.apart[g][h] + (g == h ? weights.cannot * between.near[g] : 0.0);
}

// Clusters p, q of least a[p] + b[q] and price, or g and h if only rounding would be saved. All k^2 are considered.
// Whole rows are passed over where the price alone could not make up for a[p].
inline std::pair<Index, Index> best_two(const double* a, const double* b, Index k, const TwoWeights& weights,
                                        const BetweenCentres& between, Index g, Index h) {
    const double now = a[g] + b[h] + price(g, h, weights, between);
    double limit = now - rounding * (std::abs(a[g]) + std::abs(b[h]) + std::abs(now));
    double least = b[0];
    for (Index q = 1; q < k; ++q)
        if (b[q] < least) least = b[q];
    for (Index p = 0; p < k; ++p) {
        if (a[p] + least >= limit) continue;
        for (Index q = 0; q < k; ++q) {
            const double value = a[p] + b[q] + price(p, q, weights, between);
            if (value < limit) limit = value, g = p, h = q;
        }
    }
    return {g, h};
}

// The cluster of least cost of each sample, the lowest of several.
inline std::vector<Index> nearest(Reals base) {
    std::vector<Index> label(base.n_rows);
    for (Count i = 0; i < base.n_rows; ++i)
        for (Index h = 1; h < base.n_columns; ++h)
            if (base[i][h] < base[i][label[i]]) label[i] = h;
    return label;
}

// CVQE: the two samples of each pair go where they and this pair cost least, whatever other pairs say.
// base: weight times squared distance of sample i to centre h.
inline std::vector<Index> assign_alone(Reals base, const PairsInTurn& pairs, const BetweenCentres& between,
                                       Interrupts& watch) {
    const auto k = static_cast<Index>(base.n_columns);
    const std::vector<Index> first = nearest(base);
    std::vector<Index> label = first;
    for (Count turn = 0; turn < pairs.ends.n_rows; ++turn) {
        const Index e = pairs.order[turn], i = pairs.ends[e][0], j = pairs.ends[e][1];
        const TwoWeights weights = e < pairs.n_must ? TwoWeights{pairs.weight[e], 0} : TwoWeights{0, pairs.weight[e]};
        const auto [p, q] = best_two(base[i], base[j], k, weights, between, first[i], first[j]);
        label[i] = p;
        label[j] = q;
        watch.check(turn, Count{k} * k);
    }
    return label;
}

// CVQE+: the two samples of each pair go where they and all of their pairs cost least. Labels are changed in place. The
// sum of all costs never increases. Returns the number of moves.
// twin: of each pair the other pair of the same two samples (a cannot-link, a must-link), -1 for none.
inline Count assign_joint(Reals base, const PairsInTurn& pairs, const Links& links, const Index* twin,
                          const BetweenCentres& between, Index* label, Interrupts& watch) {
    const auto k = static_cast<Index>(base.n_columns);
    std::vector<double> costs(base.data, base.data + base.n_rows * k);
    const Grid<double> cost{costs.data(), base.n_rows, k};  // of sample i in cluster h, with all others where they are
    // adds or takes away the costs that the pairs of sample i cause to its partners in each cluster
    const auto recount = [&](Index i, double sign) {
        const Index here = label[i];
        for (Index p = links.start[i]; p < links.start[i + 1]; ++p) {
            const Index j = links.other[p], e = links.pair[p];
            const double w = sign * pairs.weight[e];
            if (e < pairs.n_must)
                for (Index h = 0; h < k; ++h) cost[j][h] += w * between.apart[here][h];
            else
                cost[j][here] += w * between.near[here];
        }
        watch.check(0, 1 + Count{links.start[i + 1] - links.start[i]} * k);
    };
    for (Index i = 0; i < base.n_rows; ++i) recount(i, 1);
    std::vector<double> a(k), b(k);
    Count moves = 0;
    for (Count turn = 0; turn < pairs.ends.n_rows; ++turn) {
        const Index e = pairs.order[turn], i = pairs.ends[e][0], j = pairs.ends[e][1];
        const double w = pairs.weight[e], v = twin[e] >= 0 ? pairs.weight[twin[e]] : 0;
        const TwoWeights weights = e < pairs.n_must ? TwoWeights{w, v} : TwoWeights{v, w};
        const Index g = label[i], h = label[j];
        for (Index p = 0; p < k; ++p) {  // all costs but those between the two samples
            a[p] = cost[i][p] - price(p, h, weights, between);
            b[p] = cost[j][p] - price(g, p, weights, between);
        }
        const auto [p, q] = best_two(a.data(), b.data(), k, weights, between, g, h);
        for (const auto& [r, to] : {std::pair(i, p), std::pair(j, q)}) {
            if (label[r] == to) continue;
            recount(r, -1);
            label[r] = to;
            recount(r, 1);
            ++moves;
        }
        watch.check(turn, Count{k} * k);
    }
    return moves;
}

// LCVQE: only pairs that are violated are looked at, each with two or three ways out.
// distance: squared distances of samples to centres, without weights.
inline std::vector<Index> assign_linear(Reals base, const PairsInTurn& pairs, Reals distance, Interrupts& watch) {
    const auto k = static_cast<Index>(base.n_columns);
    std::vector<Index> label = nearest(base);
    for (Count turn = 0; turn < pairs.ends.n_rows; ++turn) {
        const Index e = pairs.order[turn], i = pairs.ends[e][0], j = pairs.ends[e][1], g = label[i], h = label[j];
        const double w = pairs.weight[e];
        watch.check(turn, k);
        if (e < pairs.n_must) {
            if (g == h) continue;
            const double apart = base[i][g] + base[j][h] + 0.5 * w * (distance[i][h] + distance[j][g]);
            const double at_g = base[i][g] + base[j][g], at_h = base[i][h] + base[j][h];
            if (at_g < apart && at_g <= at_h)
                label[j] = g;
            else if (at_h < apart)
                label[i] = h;
        } else if (g == h && k > 1) {
            const Index far = distance[j][g] > distance[i][g] * farther ? j : i;
            Index to = g == 0 ? 1 : 0;
            for (Index p = 0; p < k; ++p)
                if (p != g && distance[far][p] < distance[far][to]) to = p;
            if (base[far][to] < base[far][g] + w * distance[far][to]) label[far] = to;
        }
    }
    return label;
}

}  // namespace tripletree::cvqe
