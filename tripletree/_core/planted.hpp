// An Aho tree from the arrays that Python keeps of it.
#pragma once

#include <algorithm>

#include "aho_tree.hpp"
#include "python.hpp"

namespace tripletree {

inline AhoTree planted(const Vector<Index>& parent, Index n, const Rows& rows, bool all_leaves) {
    const auto size = static_cast<Index>(parent.size());
    require(size >= std::max<Index>(n, 1), "a parent for each leaf is needed");
    for (Index u = 0; u + 1 < size; ++u) require(std::max(u + 1, n) <= parent(u) && parent(u) < size, "parents come after their children");
    return AhoTree(copied(parent), n, triplets_of(rows, n), all_leaves);
}

}  // namespace tripletree
