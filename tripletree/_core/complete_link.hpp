// Shortest paths through must-linked groups, on condensed distances: the input of `ConstrainedCompleteLink`.
//
// Samples that are must-linked stand as one: N groups, q of them of two and more samples ("linked"). A path may pass
// only through linked groups, so only their q x N distances take part. Distances between linked groups come first, by
// Floyd and Warshall. Then, for each group, the *entries*: linked groups that are reached from it directly, no longer
// way through another one. Each path begins with an entry, hence the distance of i and j is the least over the few
// entries b of i of (i to b) + (b to j). Time O(q^3 + N q e + N^2 e) with e entries a group on average: few of q in few
// dimensions, nearly all where distances hardly differ.
#pragma once

#include <vector>

#include "basics.hpp"

namespace tripletree::complete_link {

// The place of the distance of i < j among the condensed distances of n.
inline Count place(Count i, Count j, Count n) {
    return i * n - i * (i + 1) / 2 + j - i - 1;
}

// Shrinks condensed distances of n samples to distances of groups, the least of any two members, in place: the first
// n_groups (n_groups - 1) / 2 entries are the result. group: of each sample, numbered by their first samples.
void contract(double* condensed, const Index* group, Index n, Index n_groups, Interrupts& watch);

// Lengths of paths between n groups that pass only through linked ones, instead of their distances, in place.
void shorten_paths(double* condensed, Index n, const std::vector<Index>& linked, Interrupts& watch);

// The greatest distance between the members of any two parts, n_parts x n_parts, zeros at first.
void farthest(const double* condensed, const Index* part, Index n, Index n_parts, double* out, Interrupts& watch);

}  // namespace tripletree::complete_link
