// The look at a parent array that comes in from Python.
#pragma once

#include <algorithm>
#include <limits>

#include "python.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

// A parent array whose walks cannot leave it. (One pass without a branch: a millisecond for two million nodes.)
inline Parents tree(const Vector<Index>& parent) {
    require(parent.size() < std::numeric_limits<Index>::max(), "too many nodes");
    const Parents out = seen(parent);
    const auto size = static_cast<Index>(out.size());
    int wrong = size > 0 && out[size - 1] != none;
    for (Index u = 0; u + 1 < size; ++u) wrong |= (out[u] <= u) | (out[u] >= size);
    require(wrong == 0, "parents come after their children, and the root is last, with parent -1");
    return out;
}

// The same for a tree of n leaves, which come first and have no children.
inline Parents tree(const Vector<Index>& parent, Index n) {
    const Parents out = tree(parent);
    const auto size = static_cast<Index>(out.size());
    require(1 <= n && n <= size && (n < size || size == 1), "a tree has leaves, and nodes above them");
    int wrong = 0;
    for (Index u = 0; u < std::min(n, size - 1); ++u) wrong |= out[u] < n;
    require(wrong == 0, "leaves have no children");
    return out;
}

// The same for a tree whose inner nodes all have children.
inline Parents tree_without_gaps(const Vector<Index>& parent, Index n) {
    const Parents out = tree(parent, n);
    std::vector<char> has_child(out.size(), 0);
    for (const Index p : out)
        if (p != none) has_child[p] = 1;
    require(std::find(has_child.begin() + n, has_child.end(), 0) == has_child.end(), "an inner node has no children");
    return out;
}

}  // namespace tripletree
