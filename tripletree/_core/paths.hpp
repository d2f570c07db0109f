// A tree that changes, held as paths, each in a splay tree ordered by depth (link-cut trees: Sleator and Tarjan 1983,
// 1985). Every question, link and cut takes amortised O(log n), however deep the tree is.
#pragma once

#include <vector>

#include "basics.hpp"

namespace tripletree {

class Paths {
   public:
    bool empty() const { return at_.empty(); }

    // Node u becomes a path of its own below `parent`, with `n_leaves` leaves below it.
    void lay(Index u, Index parent, Index n_leaves) {
        if (u >= static_cast<Index>(at_.size())) at_.resize(u + 1);
        at_[u] = {parent, none, none, n_leaves, n_leaves};
    }

    void link(Index p, Index u) {  // u is the top of a tree
        splay(u);
        expose(p);
        at_[u].over = p;
        at_[p].own += at_[u].sum;
        at_[p].sum += at_[u].sum;
    }

    void cut(Index u) {  // take u from below its parent
        expose(u);
        at_[at_[u].left].over = none;
        at_[u].left = none;
        add_up(u);
    }

    Index leaves_below(Index u) {
        expose(u);
        return at_[u].own;
    }

    Index meeting(Index i, Index j) {  // last common ancestor
        expose(i);
        return expose(j);
    }

    Index toward(Index v, Index x) {  // the child of v that holds x, which is below v
        expose(x);
        splay(v);
        Index child = at_[v].right;
        while (at_[child].left != none) child = at_[child].left;
        splay(child);
        return child;
    }

   private:
    struct Node {
        Index over = none;  // the parent in the splay tree; at the root of one, the node above its path
        Index left = none, right = none;
        Index sum = 0;  // the `own` of all nodes of the splay subtree together
        Index own = 0;  // leaves below this node that are not below the next node of its path
    };
    std::vector<Node> at_;

    void add_up(Index u) {
        Node& node = at_[u];
        node.sum = node.own;
        if (node.left != none) node.sum += at_[node.left].sum;
        if (node.right != none) node.sum += at_[node.right].sum;
    }

    bool is_root(Index u) const {  // of its splay tree
        const Index p = at_[u].over;
        return p == none || (at_[p].left != u && at_[p].right != u);
    }

    void rotate(Index u) {  // bring u above its splay parent p
        const Index p = at_[u].over, g = at_[p].over;
        const bool is_left = at_[p].left == u;
        Index& inner = is_left ? at_[u].right : at_[u].left;
        (is_left ? at_[p].left : at_[p].right) = inner;
        if (inner != none) at_[inner].over = p;
        inner = p;
        at_[p].over = u;
        at_[u].over = g;
        if (g != none) {
            if (at_[g].left == p)
                at_[g].left = u;
            else if (at_[g].right == p)
                at_[g].right = u;
        }
        add_up(p);
    }

    void splay(Index u) {  // make u the root of its splay tree
        while (!is_root(u)) {
            const Index p = at_[u].over, g = at_[p].over;
            if (!is_root(p)) rotate((at_[g].left == p) == (at_[p].left == u) ? p : u);
            rotate(u);
        }
        add_up(u);
    }

    // Makes the way from the top to u one path that ends there. Returns where the former path from the top was left.
    Index expose(Index u) {
        Index last = none;
        for (Index y = u; y != none; last = y, y = at_[y].over) {  // `last` is the splay tree of the new path below y
            splay(y);
            Node& node = at_[y];
            if (node.right != none) node.own += at_[node.right].sum;  // the rest of the former path hangs from y now
            if (last != none) node.own -= at_[last].sum;
            node.right = last;
            add_up(y);
        }
        splay(u);
        return last;
    }
};

}  // namespace tripletree
