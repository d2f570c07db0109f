// Parts of every k-means: nearest centres, weighted means, k-means++ starts.
//
// Points are columns of a table: a feature is a row, so that loops run along the points. Centres are rows. Distances
// are sums of squared differences, taken feature by feature, four features at a time: no digits are lost far from the
// origin. All functions add up in the same order, so a distance has the same bits whichever of them computes it.
#pragma once

#include <vector>

#include "basics.hpp"
#include "grid.hpp"

namespace tripletree::lloyd {

using Reals = Grid<const double>;

// The nearest centre of each point, the lowest of several, and its squared distance.
void nearest(Reals columns, Reals centres, Index* label, double* best, Interrupts& watch);

// Squared distances of all points to all centres, a point a row.
void squared_distances(Reals columns, Reals centres, double* out, Interrupts& watch);

// Squared distances of the points to their own centres: the same bits as `squared_distances`.
void own_distances(Reals columns, Reals centres, const Index* label, double* out);

// Weighted sums of the points of each cluster, k x d, and the clusters' weights. Both are zeros at first.
void sums(Reals columns, const double* weight, const Index* label, Grid<double> total, double* mass);

// Fills rows of a table with the costs of some points: weight times the sum of squared distance and offset. The points'
// features are multiplied by `factors`.
struct Costs {
    const Index* which;    // the points
    const Index* row;      // and the row of each
    Count n;               // how many these are
    const double* weight;  // of all points
    const double* offset;  // of the centres
    Grid<double> out;
};
void fill_costs(Reals columns, Reals centres, const double* factors, const Costs& costs, Interrupts& watch);

// The same with squared differences that are multiplied by factors for each centre and feature: `scale`, k x d.
void weighted_nearest(Reals columns, Reals centres, Reals scale, const double* offset, Index* label, Interrupts& watch);
void weighted_distances(Reals columns, Reals centres, Reals scale, double* out, Interrupts& watch);
void weighted_own(Reals columns, Reals centres, Reals scale, const Index* label, double* out);
void fill_weighted_costs(Reals columns, Reals centres, Reals scale, const Costs& costs, Interrupts& watch);

// Weighted sums of squared differences to the own centre, feature by feature, k x d, which are zeros at first.
void diagonal_scatter(Reals columns, const double* weight, const Index* label, Reals centres, Grid<double> total);

// Fills `label` with the number of the least offset less product of each point. It is -1 where that is less than all
// others by no more than `share` of the point's length and `least`, or where a product is no number. Returns how many
// these are. products: a row for each of k factors, which may have points more than n.
Count least_of_products(Reals products, const double* offset, const double* length, Count n, double share, double least,
                        Index* label);

// k-means++ with several candidates a step (greedy): numbers of points.
// order: in which weights are added up for the draws. draws: k x trials random numbers in [0, 1).
std::vector<Index> plus_plus(Reals columns, const double* weight, const Index* order, Reals draws, Interrupts& watch);

}  // namespace tripletree::lloyd
