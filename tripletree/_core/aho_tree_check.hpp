// What holds of an Aho tree after each change. For tests: it takes O(n depth).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "aho_tree.hpp"

namespace tripletree {

inline AhoTree::Found AhoTree::check() {
    const auto hold = [](bool holds, const char* what) {
        if (!holds) throw std::logic_error(std::string("the Aho tree is not right: ") + what);
    };
    const auto size = static_cast<Index>(node_.size());
    Found out{0, 0, is_deep_, n_refuting_};

    // links: parents, siblings, the first child's way to the last one, inner nodes before leaves
    std::vector<Index> order{root_};
    Flags is_there(size, 0);
    is_there[root_] = 1;
    hold(node_[root_].parent == none, "the root has a parent");
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Index u = order[k];
        if (is_leaf(u)) continue;
        Index count = 0, before = none;
        for (Index c = node_[u].first_child; c != none; before = c, c = node_[c].next, ++count) {
            hold(0 <= c && c < size && !is_there[c], "a node is the child of two");
            hold(node_[c].parent == u, "a child has another parent");
            hold(before == none || node_[c].previous == before, "the previous sibling");
            hold(before == none || is_leaf(c) || !is_leaf(before), "an inner node stands after a leaf");
            is_there[c] = 1;
            order.push_back(c);
        }
        hold(before == none || node_[node_[u].first_child].previous == before, "the last child");
        hold(count == node_[u].n_children, "the number of children");
        hold(u == root_ || count >= 2, "an inner node has one child");
    }
    const auto n_inner = std::count(is_there.begin() + n_leaves_, is_there.end(), 1);
    hold(n_inner + static_cast<Index>(free_nodes_.size()) == size - n_leaves_, "a node is lost");
    for (const Index u : free_nodes_) hold(!is_there[u] && listed(u).empty(), "a free node is in use");

    // numbers of leaves, by fields or by paths
    std::vector<Index> below(size, 0);
    for (auto u = order.rbegin(); u != order.rend(); ++u) {
        if (is_leaf(*u)) below[*u] = 1;
        hold(leaves_below(*u) == below[*u], "the number of leaves below a node");
        if (*u != root_) below[node_[*u].parent] += below[*u];
    }

    // each triplet is in the list of the node that separates its third leaf from the others, and in its leaves' lists
    const auto meet = [&](Index a, Index b) {
        std::vector<Index> way{a};
        while (way.back() != root_) way.push_back(node_[way.back()].parent);
        while (std::find(way.begin(), way.end(), b) == way.end()) b = node_[b].parent;
        return b;
    };
    const auto child_towards = [&](Index v, Index x) {
        while (node_[x].parent != v) x = node_[x].parent;
        return x;
    };
    Flags is_used(lists_.size(), 0);
    std::vector<Index> tied(size, none);  // the children of a node that triplets tie together, as disjoint sets
    for (Index u = 0; u < size; ++u) tied[u] = u;
    const auto set_among = [&](Index u) {
        while (tied[u] != u) u = tied[u];
        return u;
    };
    for (const Index u : order) {
        const Index its_list = note_[u].list;
        hold(!is_used[its_list], "two nodes have one list");
        is_used[its_list] = 1;
        for (std::size_t k = 0; k < lists_[its_list].size(); ++k) {
            const Index t = lists_[its_list][k];
            const Held& h = held_[t];
            const auto [a, b, c] = h.leaf;
            hold(h.list == its_list && h.place == static_cast<Index>(k), "a triplet's place in its list");
            hold(is_there[a] && is_there[b] && is_there[c], "a triplet names a leaf that is not there");
            const Index low = meet(a, b);
            hold(meet(low, c) == u && low != u, "a triplet is listed at another node");
            if (node_[low].parent == u) tied[set_among(child_towards(low, a))] = set_among(child_towards(low, b));
            for (int e = 0; e < 3; ++e) {
                const auto& own = ends_[h.leaf.*ends[e]];
                const auto place = static_cast<std::size_t>(h.end_place[e]);
                hold(place < own.size() && own[place] == 3 * t + e, "the end of a triplet");
            }
            ++out.n_triplets;
        }
    }
    Index n_ends = 0;
    for (const auto& own : ends_) n_ends += static_cast<Index>(own.size());
    hold(n_ends == 3 * out.n_triplets, "the number of ends");
    const auto n_listed = std::count_if(held_.begin(), held_.end(), [](const Held& h) { return h.list != none; });
    hold(n_listed == out.n_triplets, "a triplet is listed nowhere");

    // the children of a node are one component of the graph of the node above, by the triplets that belong there
    for (const Index u : order)
        if (u != root_ && !is_leaf(u))
            for (Index c = node_[u].first_child; c != none; c = node_[c].next)
                hold(set_among(c) == set_among(node_[u].first_child), "a node is two components");

    // what nodes remember of their ancestors
    for (const Index u : order) {
        const Index v = node_[u].asked;
        if (v == none || !is_there[v] || node_[u].asked_at != node_[v].changed) continue;
        Index above = node_[u].parent, child = u;
        for (; above != none && above != v; above = node_[above].parent) child = above;
        if (above == none) continue;  // v is no ancestor, and is not asked about
        hold(node_[u].answer == child, "a node remembers another child of its ancestor");
        ++out.n_memories;
    }
    return out;
}

// A leaf below an inner child of the root remembers that another child of the root holds it.
inline bool AhoTree::plant_memory() {
    const Index first = node_[root_].first_child;
    if (first == none || is_leaf(first) || node_[first].next == none) return false;
    Index x = first;
    while (!is_leaf(x)) x = node_[x].first_child;
    node_[x].asked = root_, node_[x].answer = node_[first].next, node_[x].asked_at = node_[root_].changed;
    return true;
}

}  // namespace tripletree
