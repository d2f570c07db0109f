// The Aho tree of a consistent set of rooted triplets. It changes one triplet, or one merge of two leaves, at a time.
//
// The children of an inner node are the components of the graph with an edge ab for each triplet ab|c inside it. A
// triplet ab|c belongs to the node that separates c from a and b: the last common ancestor of all three.
//
// Let v be the last common ancestor of the leaves a and b of a new triplet ab|c. If one child of v holds both, nothing
// changes. Otherwise the children A and B of v that hold a and b become one component: their trees are composed level
// by level along the triplets that cross between them. This cannot fail if c is in neither A nor B. If c is in one of
// them, the new triplet crosses, too, and it contradicts the others exactly if it ties together all of some level.
//
// A merge of two leaves i and j is the same with a triplet `ij|` that has no third leaf: it ties i and j together at
// every level, until they alone are a component. It is blocked where it ties together all of some level. What it ties
// are then two sets that the triplets inside hold together each: the blocking pair.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "basics.hpp"
#include "paths.hpp"
#include "splits.hpp"

namespace tripletree {

enum class Outcome { refused, same_tree, new_tree };

class AhoTree {
   public:
    // From the parents that BUILD gives for the triplets: leaves first, parents after their children. Triplet k gets
    // the number k. `all_leaves`: whether leaves without triplets hang in the tree, too.
    AhoTree(const std::vector<Index>& parent, Index n_leaves, const std::vector<Triplet>& triplets, bool all_leaves);

    // ------------------------------------------------------------------ a set of triplets
    Index add(Triplet x, Interrupts& watch);     // its number, `none` if it contradicts the others
    Outcome test(Triplet x, Interrupts& watch);  // what `add` would do
    bool remove(Index t);                        // whether the tree stays as it is, else it has to be built anew
    std::vector<Index> parents() const;          // leaves first, parents after their children, `none` of leaves outside

    // ------------------------------------------------------------------ merges of leaves
    bool is_named(Index x) const { return !ends_[x].empty(); }  // by a triplet
    struct Blocked {  // disjoint sets of leaves, the first one with x, the second one with y
        std::vector<Index> left, right;
    };
    // Makes the named leaves x and y one unless they are blocked, then the answer tells by whom. `kept` is the one of
    // the two that stands for both from now on. `is_test` leaves the tree as it is.
    std::optional<Blocked> join(Index x, Index y, Index& kept, bool is_test, Interrupts& watch);

    // ------------------------------------------------------------------ for tests, see aho_tree_check.hpp
    // When to take the ways of deep trees, and how much work a set of leaves is worth.
    struct Limits {
        // Steps up after which the tree counts as deep, and those that are climbed in a deep tree before paths are
        // asked.
        int long_way = 128, short_way = 48;
        // Noting a set of leaves waits until tests have gone through a triplet or block for so many of its leaves.
        Count leaves_per_step = 32;
    };
    void limit(Limits limits, Count most_sets) { limits_ = limits, splits_ = Splits(n_leaves_, most_sets); }
    struct Found {
        Index n_triplets = 0, n_memories = 0;  // memories of ancestors that still hold
        bool is_deep = false;
        Count n_refuting = 0;  // tests that found a contradiction. (Others are looked up.)
    };
    Found check();  // throws what is not as it has to be
    const Splits& splits() const { return splits_; }
    Index degree(Index x) const { return static_cast<Index>(ends_[x].size()); }  // how many triplets name the leaf
    bool holds(Index t) const {  // whether there is a triplet with this number
        return 0 <= t && t < static_cast<Index>(held_.size()) && held_[t].list != none;
    }
    bool plant_memory();  // a false one, which `check` has to find. False if the tree has no place for one

   private:
    // ------------------------------------------------------------------ data
    struct alignas(64) Node {
        Index parent = none;
        Index asked = none, answer = none;                       // the child of `asked` that holds this node,
        Index n_leaves = 0;                                      // below it. A deep tree counts them in paths_ instead
        Count asked_at = -1;                                     // while asked.changed is still this
        Count changed = 0;                                       // number of the last change among the children
        Index first_child = none, next = none, previous = none;  // the first child's previous is the last one
        Index n_children = 0;
        Count touched = 0;               // stamp: a triplet at hand has a close leaf in this block
        Index set = none, n_blocks = 0;  // disjoint sets of touched blocks
    };
    struct Note {                        // on a node, for one level
        Count whole = 0;                 // stamp: it is current, and a block by itself
        Count counted = 0;               // stamp: the next four hold
        Index n_hits = 0;                // touched children
        Index hit_leaves = 0;            // leaves below them
        Index largest = none, most = 0;  // the one of them with most leaves
        Index common = none;             // the set of all its touched children, or `mixed`
        Index level = none;              // of the representative of a set: its place among the levels that wait
        Index list = none;               // of the triplets that belong to the node
        Count below = 0;                 // see `lift`
        Count side = -1;                 // a set of leaves in splits_, all of them below this node
    };
    struct Held {  // a triplet, and the nodes that hold its leaves at the level at hand
        Triplet leaf, at;
        Index list = none, place = 0;      // where it stands in lists_
        std::array<Index, 3> end_place{};  // where its ends stand in ends_
        Count seen = 0;
    };
    struct Level {  // nodes that become one, and the triplets with their leaves below several of them
        std::vector<Index> nodes, triplets;
        Index above = none;  // the node below which the new one is to hang
    };
    static constexpr Index mixed = -2;
    static constexpr std::array ends{&Triplet::a, &Triplet::b, &Triplet::c};
    // A node gets a new set of leaves once its own has less than this share of its leaves, in sixteenths.
    static constexpr Count sixteenths = 15;

    Index n_leaves_, root_;
    Limits limits_;
    std::vector<Node> node_;
    std::vector<Note> note_;
    std::vector<Index> free_nodes_;
    Paths paths_;  // empty until a way was long
    bool is_deep_ = false, was_long_ = false;

    std::vector<Held> held_;
    std::vector<Index> free_triplets_;
    std::vector<std::vector<Index>> lists_;  // of triplets. Each triplet knows its list, and the nodes swap lists
    std::vector<std::vector<Index>> ends_;   // of each leaf: end k of triplet t as 3 t + k

    Splits splits_;
    Count spared_ = 0;  // steps of tests since a set of leaves was noted
    Count n_refuting_ = 0;
    Count stamp_ = 0, changes_ = 0;
    Index pair_ = none;  // the triplet without third leaf while two leaves are joined

    std::vector<Index> touched_;           // the touched blocks of this level
    std::vector<Index> found_, found_in_;  // triplets inside one set, and that set
    std::vector<Index> rest_;              // those at hand that are not

    // ------------------------------------------------------------------ the tree
    bool is_leaf(Index u) const { return u < n_leaves_; }

    Index fresh_node() {
        Index u = static_cast<Index>(node_.size());
        if (free_nodes_.empty()) {
            node_.emplace_back();
            note_.emplace_back();
            note_[u].list = static_cast<Index>(lists_.size());
            lists_.emplace_back();
        } else {
            u = free_nodes_.back();
            free_nodes_.pop_back();
            const Index list = note_[u].list;
            node_[u] = Node{};
            note_[u] = Note{};
            note_[u].list = list;
        }
        if (is_deep_) paths_.lay(u, none, 0);
        return u;
    }

    void attach(Index p, Index u) {  // an inner node as first child, a leaf as last
        Node &child = node_[u], &up = node_[p];
        child.parent = p;
        if (up.first_child == none) {
            child.next = none;
            child.previous = u;
            up.first_child = u;
        } else {
            Node& first = node_[up.first_child];
            child.previous = first.previous;
            if (is_leaf(u)) {
                node_[first.previous].next = u;
                child.next = none;
                first.previous = u;
            } else {
                child.next = up.first_child;
                first.previous = u;
                up.first_child = u;
            }
        }
        ++up.n_children;
        up.changed = ++changes_;
        if (is_deep_) paths_.link(p, u);
    }

    void detach(Index u) {
        Node& child = node_[u];
        Node& up = node_[child.parent];
        const bool is_first = up.first_child == u;
        (is_first ? up.first_child : node_[child.previous].next) = child.next;
        if (child.next != none)
            node_[child.next].previous = child.previous;
        else if (!is_first)
            node_[up.first_child].previous = child.previous;
        --up.n_children;
        up.changed = ++changes_;
        child.parent = none;
        if (is_deep_) paths_.cut(u);
    }

    void lose_leaf(Index p) {  // one leaf less below every node from p up
        if (is_deep_) return;
        for (; p != none; p = node_[p].parent) --node_[p].n_leaves;
    }

    void deepen() {  // hold the tree as paths, too, from now on
        for (Index u = 0; u < static_cast<Index>(node_.size()); ++u) paths_.lay(u, node_[u].parent, node_[u].n_leaves);
        is_deep_ = true;
    }
    void deepen_if_long() {
        if (was_long_ && !is_deep_) deepen();
    }

    Index leaves_below(Index u) { return is_deep_ && !is_leaf(u) ? paths_.leaves_below(u) : node_[u].n_leaves; }

    template <class Visit>
    void for_each_leaf(Index top, Visit visit) const {
        Index u = top;
        while (true) {
            while (!is_leaf(u)) u = node_[u].first_child;
            visit(u);
            while (u != top && node_[u].next == none) u = node_[u].parent;
            if (u == top) return;
            u = node_[u].next;
        }
    }

    Index climb(Index i, Index j, Index most) {  // both climb by turns. `none` if they do not meet after so many steps
        const Count mine = ++stamp_, other = ++stamp_;
        Index u = i, w = j;
        for (Index steps = 0; steps < most; ++steps) {
            if (u != none) {
                if (node_[u].touched == other) return u;
                node_[u].touched = mine;
                u = node_[u].parent;
            }
            if (w != none) {
                if (node_[w].touched == mine) return w;
                node_[w].touched = other;
                w = node_[w].parent;
            }
        }
        return none;
    }

    Index meeting(Index i, Index j) {  // last common ancestor
        Index v = climb(i, j, is_deep_ ? limits_.short_way : limits_.long_way);
        if (v != none) return v;
        if (is_deep_) return paths_.meeting(i, j);
        was_long_ = true;
        return climb(i, j, static_cast<Index>(node_.size()));
    }

    // The child of v that holds the leaf x, which is below v. The nodes on the way up keep the answer until they are
    // asked about another v, or the children of v change. A change further down needs no notice: a node moves from one
    // child of v to another only if the two become one.
    Index toward(Index v, Index x) {
        const Node& from = node_[x];
        if (from.parent == v) return x;
        if (from.asked == v && from.asked_at == node_[v].changed) return from.answer;
        return seek(v, x);
    }

    Index seek(Index v, Index x) {
        const Count changed = node_[v].changed;
        const Index first = node_[v].first_child, second = node_[first].next;
        if (second == none || is_leaf(second)) return first;  // the only inner child
        Index child = none, u = node_[x].parent;
        int steps = 1;
        for (; steps < limits_.long_way || !is_deep_; ++steps) {
            const Node& at = node_[u];
            if (at.parent == v)
                child = u;
            else if (at.asked == v && at.asked_at == changed)
                child = at.answer;
            if (child != none) break;
            u = at.parent;
        }
        was_long_ |= steps >= limits_.long_way;
        if (child == none) child = paths_.toward(v, x);
        for (u = x; steps > 0; --steps, u = node_[u].parent) {
            node_[u].asked = v;
            node_[u].asked_at = changed;
            node_[u].answer = child;
        }
        return child;
    }

    // ------------------------------------------------------------------ where the triplets are
    std::vector<Index>& listed(Index u) { return lists_[note_[u].list]; }
    void list(Index t, Index u) {
        auto& to = listed(u);
        held_[t].list = note_[u].list;
        held_[t].place = static_cast<Index>(to.size());
        to.push_back(t);
    }
    void unlist(Index t) {
        auto& from = lists_[held_[t].list];
        const Index last = from.back();
        from[held_[t].place] = last;
        held_[last].place = held_[t].place;
        from.pop_back();
        held_[t].list = none;
    }
    void join_lists(Index u, Index w) {  // the shorter list is moved
        if (listed(u).size() > listed(w).size()) std::swap(note_[u].list, note_[w].list);
        for (const Index t : listed(u)) list(t, w);
        listed(u).clear();
    }

    void put_end(Index t, int k) {
        auto& to = ends_[held_[t].leaf.*ends[k]];
        held_[t].end_place[k] = static_cast<Index>(to.size());
        to.push_back(3 * t + k);
    }
    void put_ends(Index t) {
        for (int k = 0; k < 3; ++k) put_end(t, k);
    }
    void take_end(Index t, int k) {
        auto& from = ends_[held_[t].leaf.*ends[k]];
        const Index last = from.back(), place = held_[t].end_place[k];
        from[place] = last;
        held_[last / 3].end_place[last % 3] = place;
        from.pop_back();
    }

    // ------------------------------------------------------------------ one level
    //
    // A level has current nodes, which become one, and triplets at hand, with leaves below several of these nodes. Its
    // blocks are the children of the nodes. A leaf, or a node whose children are all in one set, is a block itself: it
    // is whole. A block is touched if a triplet at hand has a close leaf in it. Touched blocks form disjoint sets: the
    // close leaves of a triplet are in one.

    Index set_of(Index u) {
        while (node_[u].set != u) u = node_[u].set = node_[node_[u].set].set;
        return u;
    }
    void touch(Index u) {
        Node& block = node_[u];
        if (block.touched == stamp_) return;
        block.touched = stamp_;
        block.set = u;
        block.n_blocks = 1;
        touched_.push_back(u);
    }
    bool is_touched(Index u) const { return node_[u].touched == stamp_; }
    bool is_whole(Index u) const { return note_[u].whole == stamp_; }

    Index unite_children(const Level& level) {  // returns the number of blocks
        ++stamp_;
        touched_.clear();
        Index n_blocks = 0;
        for (const Index u : level.nodes) {
            n_blocks += is_leaf(u) ? 1 : node_[u].n_children;
            if (is_leaf(u)) note_[u].whole = stamp_;
        }
        for (const Index t : level.triplets) {
            Held& h = held_[t];
            for (const auto end : ends)
                if (h.at.*end >= n_leaves_) h.at.*end = toward(h.at.*end, h.leaf.*end);
            touch(h.at.a);
            touch(h.at.b);
            const Index a = set_of(h.at.a), b = set_of(h.at.b);
            if (a != b) {
                node_[b].set = a;
                node_[a].n_blocks += node_[b].n_blocks;
            }
        }
        return n_blocks;
    }

    void collapse(const Level& level) {  // replace the children of a node by the node if they are all in one set
        for (const Index u : level.nodes) note_[u].n_hits = 0, note_[u].common = none;
        for (const Index u : touched_)
            if (!is_whole(u)) {
                Note& up = note_[node_[u].parent];
                const Index s = set_of(u);
                ++up.n_hits;
                up.common = up.common == none || up.common == s ? s : mixed;
            }
        std::size_t kept = 0;
        for (const Index u : touched_) {
            const Index p = node_[u].parent;
            if (is_whole(u) || note_[p].common < 0 || note_[p].n_hits != node_[p].n_children) {
                touched_[kept++] = u;
            } else if (!is_touched(p)) {
                node_[p].touched = note_[p].whole = stamp_;
                node_[p].set = note_[p].common;
                node_[note_[p].common].n_blocks += 1 - node_[p].n_children;
                touched_[kept++] = p;
            }
        }
        if (kept == touched_.size()) return;
        touched_.resize(kept);
        for (const Index t : level.triplets)
            for (const auto end : ends) {
                Index& u = held_[t].at.*end;
                if (u != none && !is_whole(u) && is_whole(node_[u].parent)) u = node_[u].parent;
            }
    }

    bool is_inside_set(Index t) {  // whether a triplet at hand stays inside the set of its close leaves
        const Index c = held_[t].at.c;
        return c == none || (is_touched(c) && set_of(c) == set_of(held_[t].at.a));
    }

    // Last common ancestor of node `low`, `none` at first, and leaf x, both below `top`. Nodes known to be below it are
    // marked, so that the next leaf need not climb past them.
    Index lift(Index top, Index low, Index x, Count mark) {
        Index u = x;
        int steps = 0;
        while (low != none && u != low && note_[u].below != mark) {
            if (steps == limits_.short_way || u == top) {
                low = meeting(low, x);
                break;
            }
            u = node_[u].parent;
            ++steps;
        }
        if (low == none) low = u;
        for (u = x; steps > 0 && u != low; --steps, u = node_[u].parent) note_[u].below = mark;
        return low;
    }

    // Skips the levels of a deep tree at which one current node merely gives way to one of its children: all others
    // are whole, and fuse with this child. This goes on down to the last common ancestor of the leaves below it that
    // triplets at hand name, which becomes current in place of the node. Returns both nodes, or `none` twice.
    std::pair<Index, Index> narrow(Level& level) {
        constexpr std::pair<Index, Index> no_way{none, none};
        const Count stamp = stamp_;
        if (!is_deep_ || touched_.size() != level.nodes.size()) return no_way;
        if (node_[set_of(touched_[0])].n_blocks != static_cast<Index>(touched_.size())) return no_way;
        Index child = none;
        for (const Index u : touched_)
            if (!is_whole(u)) {
                if (child != none) return no_way;
                child = u;
            }
        if (child == none) return no_way;
        for (const Index t : level.triplets)
            if (held_[t].at.c != none && !is_touched(held_[t].at.c)) return no_way;
        Index low = none;
        for (const Index t : level.triplets)
            for (const auto end : ends)
                if (held_[t].at.*end == child) low = lift(child, low, held_[t].leaf.*end, stamp);
        for (const Index t : level.triplets)
            for (const auto end : ends)
                if (held_[t].at.*end == child) held_[t].at.*end = low;
        const Index high = node_[child].parent;
        std::replace(level.nodes.begin(), level.nodes.end(), high, low);
        return {high, low};
    }

    void count_hits(Index only) {  // for each current node: its touched children, the largest one, the leaves below
        const auto counts = [&](Index u) { return !is_whole(u) && (only == none || set_of(u) == only); };
        for (const Index u : touched_)
            if (counts(u)) {
                Note& up = note_[node_[u].parent];
                if (up.counted != stamp_) {
                    up.counted = stamp_;
                    up.n_hits = up.hit_leaves = 0;
                    up.largest = none;
                }
                ++up.n_hits;
            }
        for (const Index u : touched_) {
            Note& up = note_[is_whole(u) ? u : node_[u].parent];
            // a single child has no triplets with others, and counting its leaves takes time in a deep tree
            if (is_whole(u) || up.counted != stamp_ || up.n_hits < 2 || !counts(u)) continue;
            const Index size = leaves_below(u);
            up.hit_leaves += size;
            if (up.largest == none || size > up.most) up.largest = u, up.most = size;
        }
    }

    // Lists in found_ the triplets inside one set of touched blocks but not inside one block (of set `only`, or of all
    // sets). Returns how many of them were at hand, which come first. Those at hand that are not found are in rest_.
    // The others lie between children of one current node. They are found in its list, or in the lists of the leaves
    // below all its touched children but the largest: the shorter search is taken.
    std::size_t gather(const Level& level, Index only) {
        found_.clear(), found_in_.clear(), rest_.clear();
        for (const Index t : level.triplets) {
            const Index s = set_of(held_[t].at.a);
            if ((only == none || s == only) && is_inside_set(t))
                found_.push_back(t), found_in_.push_back(s);
            else
                rest_.push_back(t);
        }
        const std::size_t n_known = found_.size();
        count_hits(only);
        for (const Index u : touched_) {
            if (is_whole(u)) continue;
            const Index p = node_[u].parent;
            const Note& up = note_[p];
            if (up.counted != stamp_ || up.n_hits < 2) continue;
            if (static_cast<Index>(listed(p).size()) <= 2 * (up.hit_leaves - up.most)) {
                if (up.largest == u) find_in_list(p, only);  // once for p
            } else if (up.largest != u && (only == none || set_of(u) == only)) {
                find_below(u);
            }
        }
        return n_known;
    }

    void find_in_list(Index p, Index only) {
        for (const Index t : listed(p)) {
            Held& h = held_[t];
            const Index a = toward(p, h.leaf.a);
            if (!is_touched(a)) continue;
            const Index s = set_of(a);
            if (only != none && s != only) continue;
            const Index c = toward(p, h.leaf.c);
            if (!is_touched(c) || set_of(c) != s) continue;
            h.at = {a, a, c};
            found_.push_back(t), found_in_.push_back(s);
        }
    }

    // Calls visit(t, w, is_far) for each triplet of node p with a leaf below its child `top`. w: the child of p that
    // holds the other leaves, or the other leaf. is_far: whether the third leaf is the one below `top`.
    template <class Visit>
    void for_each_across(Index p, Index top, Visit visit) {
        const Index list_of_p = note_[p].list;
        for_each_leaf(top, [&](Index x) {
            for (const Index e : ends_[x]) {
                Held& h = held_[e / 3];
                if (h.list != list_of_p || h.seen == stamp_) continue;
                h.seen = stamp_;  // it may have two leaves below `top`
                const bool is_far = e % 3 == 2;
                visit(e / 3, toward(p, is_far ? h.leaf.a : h.leaf.c), is_far);
            }
        });
    }

    void find_below(Index top) {
        const Index s = set_of(top);
        for_each_across(node_[top].parent, top, [&](Index t, Index w, bool is_far) {
            if (!is_touched(w) || set_of(w) != s) return;
            held_[t].at = is_far ? Triplet{w, w, top} : Triplet{top, top, w};
            found_.push_back(t), found_in_.push_back(s);
        });
    }

    void crossing(Index v, Index a, Index b, std::vector<Index>& out) {  // the triplets between two children of v
        ++stamp_;
        const Index below_a = leaves_below(a), below_b = leaves_below(b);
        const Index top = below_a <= below_b ? a : b, other = below_a <= below_b ? b : a;
        if (static_cast<Index>(listed(v).size()) <= 2 * std::min(below_a, below_b)) {
            for (const Index t : listed(v)) {
                Held& h = held_[t];
                const Index p = toward(v, h.leaf.a);
                if (p != a && p != b) continue;
                const Index r = toward(v, h.leaf.c);
                if (r != a && r != b) continue;
                h.at = {p, p, r};
                out.push_back(t);
            }
            return;
        }
        for_each_across(v, top, [&](Index t, Index w, bool is_far) {
            if (w != other) return;
            held_[t].at = is_far ? Triplet{other, other, top} : Triplet{top, top, other};
            out.push_back(t);
        });
    }

    // ------------------------------------------------------------------ contradictions
    bool is_the_pair(const Level& level) const {  // whether the two leaves that are joined are alone
        if (pair_ == none || level.nodes.size() != 2) return false;
        const Triplet& pair = held_[pair_].leaf;
        return (level.nodes[0] == pair.a && level.nodes[1] == pair.b) ||
               (level.nodes[0] == pair.b && level.nodes[1] == pair.a);
    }

    // Whether triplet t, one of those at hand between two siblings, ties together all blocks of some level. The others
    // do not, so only the levels that hold all leaves of t are visited. Then the touched blocks are left in two sets:
    // those that the others tie to a, and those that they tie to b.
    bool contradicts(Level level, Index t, Interrupts& watch) {
        while (level.triplets.size() > 1 || t != pair_) {  // without others nothing is tied that was not
            if (is_the_pair(level)) return false;
            const Index n_blocks = unite_children(level);
            const Index s = set_of(held_[t].at.a);
            const auto work = static_cast<Count>(level.triplets.size() + touched_.size());
            spared_ += work;
            watch.check(0, work);
            if (node_[s].n_blocks == n_blocks) {
                untie(level, t);
                return true;
            }
            if (!is_inside_set(t)) return false;
            collapse(level);
            if (narrow(level).first != none) continue;
            gather(level, s);
            level.triplets.swap(found_);
            level.nodes.clear();
            for (const Index u : touched_)
                if (set_of(u) == s) level.nodes.push_back(u);
        }
        return false;
    }

    void untie(const Level& level, Index t) {  // the sets again, without triplet t
        for (const Index u : touched_) node_[u].set = u;
        for (const Index k : level.triplets)
            if (k != t) node_[set_of(held_[k].at.b)].set = set_of(held_[k].at.a);
    }

    void note_split(Index t) {  // the two sets that `contradicts` has left
        const Index one = set_of(held_[t].at.a);
        Index n_one = 0, n_all = 0;
        std::array<Index, 2> largest{none, none}, most{0, 0};  // of the set of a, and of the other
        for (const Index u : touched_) {
            const Index size = leaves_below(u), k = set_of(u) != one;
            n_all += size;
            if (k == 0) n_one += size;
            if (size > most[k]) largest[k] = u, most[k] = size;
        }
        const bool small_is_one = 2 * n_one <= n_all;
        if (!splits_.has_room(small_is_one ? n_one : n_all - n_one)) return;
        const Index top = largest[small_is_one], larger = most[small_is_one];
        Count set = note_[top].side;
        if (!splits_.holds(set) || 16 * splits_.size(set) < sixteenths * larger) {
            if (larger <= limits_.leaves_per_step * spared_) {
                spared_ = 0;
                set = note_[top].side = splits_.new_set();
                for_each_leaf(top, [&](Index x) { splits_.put(set, x); });
            } else if (!splits_.holds(set)) {
                return;
            }
        }
        const Count split = splits_.next_split();
        for (const Index u : touched_)
            if ((set_of(u) == one) == small_is_one)
                for_each_leaf(u, [&](Index x) { splits_.put_small(split, set, x); });
    }

    // ------------------------------------------------------------------ additions
    void compose(Index v, Index a, Index b, std::vector<Index> at_hand, Interrupts& watch, Index gone = none) {
        detach(a), detach(b);
        std::vector<Level> waiting;
        waiting.push_back({{a, b}, std::move(at_hand), v});
        while (!waiting.empty()) {  // every round makes one node
            Level level = std::move(waiting.back());
            waiting.pop_back();
            if (is_the_pair(level)) {
                attach(level.above, level.nodes[0] == gone ? level.nodes[1] : level.nodes[0]);
                continue;
            }
            Index n_below = 0;
            for (const Index u : level.nodes) n_below += node_[u].n_leaves;
            unite_children(level);
            watch.check(0, level.triplets.size() + touched_.size());
            if (!level.triplets.empty()) {
                collapse(level);
                const auto [high, low] = narrow(level);
                if (high != none) {
                    attach(level.above, high);
                    level.above = node_[low].parent;
                    detach(low);
                    waiting.push_back(std::move(level));
                    continue;
                }
            }
            const std::size_t n_known = gather(level, none);
            for (std::size_t k = n_known; k < found_.size(); ++k) unlist(found_[k]);  // these move down
            Index w = none;  // the node with most children, which the others join
            for (const Index u : level.nodes)
                if (!is_leaf(u) && !is_whole(u) && (w == none || node_[u].n_children > node_[w].n_children)) w = u;
            if (w == none) w = fresh_node();
            deal_out(w, waiting);
            for (const Index u : level.nodes) {
                if (u == w) continue;
                if (is_leaf(u) || is_whole(u)) {
                    if (!is_touched(u) || node_[set_of(u)].n_blocks < 2) attach(w, u);  // else it waits
                    continue;
                }
                for (Index c = node_[u].first_child; c != none; c = node_[u].first_child) detach(c), attach(w, c);
                join_lists(u, w);
                free_nodes_.push_back(u);
            }
            const bool has_pair = pair_ != none && std::find(found_.begin(), found_.end(), pair_) != found_.end();
            node_[w].n_leaves = n_below - has_pair;
            attach(level.above, w);
            for (const Index t : rest_) list(t, w);
        }
    }

    void deal_out(Index w, std::vector<Level>& waiting) {  // each set of two blocks or more becomes a level below w
        for (const Index u : touched_) note_[set_of(u)].level = none;
        for (const Index u : touched_) {
            const Index s = set_of(u);
            if (node_[s].n_blocks < 2) continue;
            if (note_[s].level == none) {
                note_[s].level = static_cast<Index>(waiting.size());
                waiting.push_back({{}, {}, w});
            }
            if (node_[u].parent != none) detach(u);
            waiting[note_[s].level].nodes.push_back(u);
        }
        for (std::size_t k = 0; k < found_.size(); ++k)
            waiting[note_[found_in_[k]].level].triplets.push_back(found_[k]);
    }

    Outcome grow(Triplet x, Index t, bool is_test, Interrupts& watch) {
        deepen_if_long();
        if (splits_.separates(x)) return Outcome::refused;
        held_[t].leaf = x;
        const Index v = meeting(x.a, x.b), top = meeting(v, x.c);
        Outcome outcome = Outcome::same_tree;
        if (top == v) {
            const Index at_a = toward(v, x.a), at_b = toward(v, x.b), at_c = toward(v, x.c);
            const bool is_inside = at_c == at_a || at_c == at_b;
            if (is_inside && node_[v].n_children == 2) return Outcome::refused;  // v would have one child
            outcome = Outcome::new_tree;
            if (!is_test || is_inside) {
                std::vector<Index> at_hand;
                crossing(v, at_a, at_b, at_hand);
                const std::size_t n_crossing = at_hand.size();
                if (is_inside) {
                    held_[t].at = {at_a, at_b, at_c};
                    at_hand.push_back(t);
                    if (contradicts({{at_a, at_b}, at_hand, v}, t, watch)) {
                        ++n_refuting_;
                        note_split(t);
                        return Outcome::refused;
                    }
                }
                if (is_test) return outcome;
                if (is_inside) hold_at(v, at_hand);
                for (std::size_t k = 0; k < n_crossing; ++k) unlist(at_hand[k]);
                compose(v, at_a, at_b, std::move(at_hand), watch);
            }
            if (!is_test && !is_inside) list(t, v);
        } else if (!is_test) {  // the tree displays the triplet already
            list(t, top);
        }
        if (!is_test) put_ends(t);
        return outcome;
    }

    void hold_at(Index v, const std::vector<Index>& triplets) {  // their leaves are in children of v again
        for (const Index t : triplets)
            for (const auto end : ends)
                if (held_[t].leaf.*end != none) held_[t].at.*end = toward(v, held_[t].leaf.*end);
    }

    Index fresh_triplet() {
        if (free_triplets_.empty()) {
            held_.emplace_back();
            return static_cast<Index>(held_.size()) - 1;
        }
        const Index t = free_triplets_.back();
        free_triplets_.pop_back();
        held_[t] = Held{};
        return t;
    }

    // ------------------------------------------------------------------ merges
    void fuse_siblings(Index v, Index gone, Index kept) {  // both are children of v
        detach(gone);
        lose_leaf(v);
        if (node_[v].n_children > 1 || v == root_) return;
        const Index p = node_[v].parent;  // v has no triplets: these would lie between its two leaves
        detach(kept);
        detach(v);
        attach(p, kept);
        free_nodes_.push_back(v);
    }

    void settle(Index gone, Index kept) {  // end the triplets ij|c, which hold for good, and give all others to `kept`
        std::vector<Index> moved;
        moved.swap(ends_[gone]);
        for (const Index e : moved) {
            const Index t = e / 3, k = e % 3;
            Held& h = held_[t];
            const Index other = k == 2 ? none : k == 0 ? h.leaf.b : h.leaf.a;
            if (other != kept) {
                h.leaf.*ends[k] = kept;
                put_end(t, k);
                continue;
            }
            unlist(t);
            take_end(t, 1 - k);
            take_end(t, 2);
            if (!is_named(h.leaf.c)) leave(h.leaf.c);
        }
        if (!is_named(kept)) leave(kept);
    }

    void leave(Index x) {  // no triplet names the leaf any more
        const Index p = node_[x].parent;
        detach(x);
        lose_leaf(p);
    }

    Blocked list_sides(Index t) {  // the two sets that `contradicts` has left
        Blocked out;
        const Index one = set_of(held_[t].at.a);
        for (const Index u : touched_) {
            auto& side = set_of(u) == one ? out.left : out.right;
            for_each_leaf(u, [&](Index x) { side.push_back(x); });
        }
        return out;
    }
};

inline AhoTree::AhoTree(const std::vector<Index>& parent, Index n_leaves, const std::vector<Triplet>& triplets,
                        bool all_leaves)
    : n_leaves_(n_leaves),
      root_(std::max(static_cast<Index>(parent.size()) - 1, n_leaves)),
      node_(root_ + 1),
      note_(root_ + 1),
      held_(triplets.size()),
      lists_(root_ + 1),
      ends_(n_leaves),
      splits_(n_leaves) {
    for (Index u = 0; u <= root_; ++u) note_[u].list = u;
    for (Index t = 0; t < static_cast<Index>(triplets.size()); ++t) {
        held_[t].leaf = triplets[t];
        put_ends(t);
    }
    const auto last = static_cast<Index>(parent.size()) - 1;
    for (Index u = 0; u < last; ++u) {  // children before parents, so that leaves are counted
        if (is_leaf(u)) {
            if (!all_leaves && !is_named(u)) continue;
            node_[u].n_leaves = 1;
        }
        const Index p = parent[u] == last ? root_ : parent[u];
        attach(p, u);
        node_[p].n_leaves += node_[u].n_leaves;
    }
    for (Index t = 0; t < static_cast<Index>(triplets.size()); ++t) {
        deepen_if_long();
        const auto [a, b, c] = triplets[t];
        const Index v = meeting(a, c);
        if (is_leaf(v) || a == b || toward(v, a) != toward(v, b) || toward(v, b) == toward(v, c))
            throw std::invalid_argument("the tree does not display a triplet");
        list(t, v);
    }
}

inline Index AhoTree::add(Triplet x, Interrupts& watch) {
    const Index t = fresh_triplet();
    if (grow(x, t, false, watch) != Outcome::refused) return t;
    free_triplets_.push_back(t);
    return none;
}

inline Outcome AhoTree::test(Triplet x, Interrupts& watch) {
    const Index t = fresh_triplet();
    const Outcome outcome = grow(x, t, true, watch);
    free_triplets_.push_back(t);
    return outcome;
}

// The node that separates c from a and b has a child that holds these two. If one child of that one holds both,
// triplets inside tie a and b together without this one, and the tree stays as it is.
inline bool AhoTree::remove(Index t) {
    splits_.forget();  // one may have needed the triplet
    const Triplet x = held_[t].leaf;
    const Index v = meeting(x.a, x.b), top = meeting(v, x.c);
    unlist(t);
    for (int k = 0; k < 3; ++k) take_end(t, k);
    free_triplets_.push_back(t);
    return node_[v].parent != top;
}

inline std::optional<AhoTree::Blocked> AhoTree::join(Index x, Index y, Index& kept, bool is_test, Interrupts& watch) {
    deepen_if_long();
    const Index v = meeting(x, y), a = toward(v, x), b = toward(v, y);
    const bool are_siblings = a == x && b == y;
    const Index gone = ends_[x].size() <= ends_[y].size() ? x : y;  // the shorter list is moved
    kept = gone == x ? y : x;
    if (are_siblings) {
        if (!is_test) fuse_siblings(v, gone, kept);
    } else {
        if (node_[v].n_children == 2) {  // all below v is tied together
            Blocked out;
            for_each_leaf(a, [&](Index u) { out.left.push_back(u); });
            for_each_leaf(b, [&](Index u) { out.right.push_back(u); });
            return out;
        }
        std::vector<Index> at_hand;
        crossing(v, a, b, at_hand);
        const std::size_t n_crossing = at_hand.size();
        pair_ = fresh_triplet();
        free_triplets_.push_back(pair_);
        held_[pair_].leaf = {x, y, none};
        held_[pair_].at = {a, b, none};
        at_hand.push_back(pair_);
        const bool is_blocked = contradicts({{a, b}, at_hand, v}, pair_, watch);
        std::optional<Blocked> out;
        if (is_blocked) {
            out = list_sides(pair_);
        } else if (!is_test) {
            hold_at(v, at_hand);
            for (std::size_t k = 0; k < n_crossing; ++k) unlist(at_hand[k]);
            lose_leaf(v);
            compose(v, a, b, std::move(at_hand), watch, gone);
        }
        pair_ = none;
        if (is_blocked) return out;
    }
    if (!is_test) settle(gone, kept);
    return std::nullopt;
}

inline std::vector<Index> AhoTree::parents() const {
    std::vector<Index> order{root_};
    for (std::size_t done = 0; done < order.size(); ++done)
        for (Index u = node_[order[done]].first_child; u != none && !is_leaf(u); u = node_[u].next) order.push_back(u);
    const auto count = static_cast<Index>(order.size());
    std::vector<Index> number(node_.size(), none), parent(n_leaves_ + count, none);
    for (Index k = 0; k < count; ++k) number[order[k]] = n_leaves_ + count - 1 - k;
    for (Index x = 0; x < n_leaves_; ++x)
        if (node_[x].parent != none) parent[x] = number[node_[x].parent];
    for (Index k = 1; k < count; ++k) parent[number[order[k]]] = number[node_[order[k]].parent];
    return parent;
}

}  // namespace tripletree
