// Pairs of samples, as the kin of k-means have them: must-links first, then cannot-links.
#pragma once

#include "python.hpp"

namespace tripletree {

// Which pairs each sample is in.
struct Links {
    const Index* start;  // of each sample i: its links are start[i]..start[i + 1] - 1
    const Index* other;  // of each link the sample at its far end
    const Index* pair;   // and the number of the pair
    Index n_must;        // the first so many pairs are must-links
};

inline Links links(const Vector<Index>& start, const Vector<Index>& other, const Vector<Index>& pair, Index n_must,
                   std::size_t n_samples, std::size_t n_pairs) {
    const auto n = static_cast<Index>(n_samples);
    require(require_lists(start, other.size()) == n, "links of each sample");
    require(other.size() == pair.size(), "a far end and a pair for each link");
    require_range(other, n, "a link leads to no sample");
    require_range(pair, static_cast<Count>(n_pairs), "a link is of no pair");
    return {start.data(), other.data(), pair.data(), n_must};
}

}  // namespace tripletree
