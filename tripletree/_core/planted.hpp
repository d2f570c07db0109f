// An Aho tree from the arrays that Python keeps of it.
#pragma once

#include <algorithm>

#include "aho_tree.hpp"
#include "python.hpp"

namespace tripletree {

inline AhoTree planted(const Vector<Index>& parent, Index n, const Rows& rows, bool all_leaves) {
    const auto size = static_cast<Index>(parent.size());
    require(size >= std::max<Index>(n, 1), "a parent for each leaf is needed");
    for (Index u = 0; u + 1 < size; ++u)
        require(std::max(u + 1, n) <= parent(u) && parent(u) < size, "parents come after their children");
    auto triplets = triplets_of(rows, n);
    std::vector<Index> n_children(size, 0);
    Flags is_there(size, all_leaves);
    for (const auto& [a, b, c] : triplets) is_there[a] = is_there[b] = is_there[c] = 1;
    for (Index u = 0; u + 1 < size; ++u) {
        require(u < n || n_children[u] > 1, "a node has two children or more");
        if (u >= n || is_there[u]) ++n_children[parent(u)];
    }
    return AhoTree(copied(parent), n, triplets, all_leaves);
}

}  // namespace tripletree
