// BUILD on deep inputs: components kept up to date while triplets die.
//
// The scheme of Even and Shiloach (1981): when a tree edge is deleted, two searches grow from its ends in turn, so that
// a split costs no more than its smaller side. A search that meets an edge across replaces the deleted one. A spanning
// forest is held in slots (half-edges 2 s and 2 s + 1 of slot s point at its two ends, in doubly linked lists), all
// other triplets in lists by end, all triplets in lists by third leaf. Entries that have died are swapped out when next
// seen. A triplet ab|c dies when c gets into another part than a and b: it is found from the smaller parts alone.
//
// O((n + m) log n), plus the searches that end in a replacement, which are short in practice. A minimal decomposition
// has none. The forest starts from triplets that die late, as far as can be told: a tenth of the steps on deep,
// redundant sets. Oracle: one_tree_definition in tests/oracles.py.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

// ---------------------------------------------------------------------- the triplets in a good order
//
// A spanning forest of the triplets' close pairs, and a numbering in which neighbours stand close together. Linear in
// leaves and triplets, up to the near constant cost of disjoint sets.

// The triplets by how often their third leaf is a third leaf: roughly, those that die last come first.
//
// A leaf that parts early is the third one in most of its triplets. Among triplets that are alike in this the order is
// scrambled, so that no order of the input can spoil it. Two passes: a counting sort.
inline std::vector<Index> late_ones_first(const std::vector<Triplet>& triplets, Index n) {
    const auto m = static_cast<Count>(triplets.size());
    std::vector<Index> third(n, 0), count(n, 0);
    for (const Triplet& t : triplets) {
        ++third[t.c];
        for (const Index x : {t.a, t.b, t.c}) ++count[x];
    }
    std::vector<std::uint8_t> share(m);
    std::array<Count, 257> start{};
    for (Count t = 0; t < m; ++t) {
        const Index x = triplets[t].c;
        share[t] = static_cast<std::uint8_t>(Count{255} * third[x] / count[x]);
        ++start[share[t] + 1];
    }
    for (int k = 0; k < 256; ++k) start[k + 1] += start[k];
    std::vector<Index> order(m);
    Count stride = static_cast<Count>(static_cast<double>(m) * 0.6180339887) | 1;
    while (std::gcd(stride, m) != 1) stride += 2;
    Count t = 0;
    for (Count k = 0; k < m; ++k) {
        order[start[share[t]]++] = static_cast<Index>(t);
        t += stride;
        if (t >= m) t -= m;
    }
    return order;
}

struct Forest {
    Flags is_tree;  // for each triplet
    Index n_components;
};

// The triplets that form a spanning forest, those that die last before others. A tree edge that outlives all others
// across has no replacement when it dies: only a split is left, which is cheap.
inline Forest spanning_forest(const std::vector<Triplet>& triplets, Index n) {
    DisjointSets sets(n);
    Forest out{Flags(triplets.size(), 0), n};
    for (const Index t : late_ones_first(triplets, n)) {
        if (!sets.unite(triplets[t].a, triplets[t].b)) continue;
        out.is_tree[t] = 1;
        --out.n_components;
    }
    return out;
}

// New numbers for the leaves, in depth-first order of the forest.
inline std::vector<Index> walk_order(const std::vector<Triplet>& triplets, const Flags& is_tree, Index n) {
    // start is two places ahead at first: after the sums and the filling, the neighbours of x begin at start[x]
    std::vector<Index> start(n + 2, 0);
    for (std::size_t t = 0; t < triplets.size(); ++t) {
        if (!is_tree[t]) continue;
        ++start[triplets[t].a + 2];
        ++start[triplets[t].b + 2];
    }
    for (Index x = 0; x <= n; ++x) start[x + 1] += start[x];
    std::vector<Index> ends(start[n + 1]);
    for (std::size_t t = 0; t < triplets.size(); ++t) {
        if (!is_tree[t]) continue;
        const auto [a, b, c] = triplets[t];
        ends[start[a + 1]++] = b;
        ends[start[b + 1]++] = a;
    }
    constexpr Index waiting = -2;
    std::vector<Index> number(n, none), stack;
    Index fresh = 0;
    for (Index root = 0; root < n; ++root) {
        if (number[root] >= 0) continue;
        stack.assign(1, root);
        while (!stack.empty()) {
            const Index x = stack.back();
            stack.pop_back();
            number[x] = fresh++;
            for (Index i = start[x]; i < start[x + 1]; ++i) {
                if (number[ends[i]] != none) continue;
                number[ends[i]] = waiting;
                stack.push_back(ends[i]);
            }
        }
    }
    return number;
}

// The triplets with new numbers of leaves, so that neighbours are close in memory, sorted by their first end.
struct Prepared {
    std::vector<Triplet> triplets;
    Flags is_tree;              // the edges of a spanning forest
    std::vector<Index> number;  // the new number of each leaf
    Index n_components;
};

inline Prepared prepare(const std::vector<Triplet>& triplets, Index n) {
    const Forest forest = spanning_forest(triplets, n);
    Prepared out{std::vector<Triplet>(triplets.size()), Flags(triplets.size()), walk_order(triplets, forest.is_tree, n),
                 forest.n_components};
    const std::vector<Index>& number = out.number;
    std::vector<Index> next(n + 1, 0);
    for (const Triplet& t : triplets) ++next[number[t.a] + 1];
    for (Index x = 0; x < n; ++x) next[x + 1] += next[x];
    for (std::size_t t = 0; t < triplets.size(); ++t) {
        const auto [a, b, c] = triplets[t];
        const Index place = next[number[a]]++;
        out.triplets[place] = {number[a], number[b], number[c]};
        out.is_tree[place] = forest.is_tree[t];
    }
    return out;
}

// ---------------------------------------------------------------------- the scheme

// What is found of a group: the inner node above each leaf and above each inner node (node 0 is the top, parents come
// first), or else the leaves of a subproblem that does not split.
struct DeepSplit {
    std::vector<Index> leaf_up, inner_up, failed;
};

class DeepSplitting {
   public:
    // The group has at least two components.
    DeepSplitting(const std::vector<Triplet>& triplets, const Flags& is_tree, Index n)
        : triplets_(triplets),
          state_(triplets.size(), off_forest),
          halves_(2 * n),
          head_(n, none),
          slot_triplet_(n, none),
          part_(n),
          order_(n),
          place_(n),
          pending_(n, none),
          pending_next_(n, none),
          mark_(n, none) {
        list_triplets(is_tree, n);
        make_first_parts(is_tree, n);
        for (Search& search : searches_) search.queue.reserve(n);
        for (std::size_t t = 0; t < triplets.size(); ++t)
            if (is_tree[t]) link(n_slots_++, static_cast<Index>(t));
    }

    DeepSplit run(Interrupts& watch) {
        DeepSplit out;
        out.leaf_up.resize(part_.size());
        out.inner_up.assign(1, none);
        struct Waiting {
            Index part, node;
        };
        std::vector<Waiting> stack;
        // the parts of the node v at hand: `whole` is the rest of it, and new parts have the numbers from `first` on
        Index whole = 0, v = 0;
        std::size_t first = 1;
        const auto for_each_part = [&](auto&& visit) {
            visit(whole);
            for (std::size_t p = first; p < parts_.size(); ++p) visit(static_cast<Index>(p));
        };
        while (true) {
            Index largest = whole;
            for_each_part([&](Index p) {
                if (parts_[p].count > parts_[largest].count) largest = p;
            });
            // the triplets that end with the largest part are seen from the others
            for_each_part([&](Index p) {
                if (p != largest) bury(p);
            });
            for_each_part([&](Index p) {
                Index above = v;
                if (parts_[p].count > 1) {
                    above = static_cast<Index>(out.inner_up.size());
                    out.inner_up.push_back(v);
                }
                if (parts_[p].count <= 2) {
                    for (const Index x : leaves_of(p)) out.leaf_up[x] = above;
                } else {
                    stack.push_back({p, above});
                }
            });
            if (stack.empty()) return out;
            watch.check(0, 1 + static_cast<Count>(parts_.size() - first));
            whole = stack.back().part;
            v = stack.back().node;
            stack.pop_back();
            first = parts_.size();
            Index s = std::exchange(pending_[whole], none);
            while (s >= 0) {
                const Index after = pending_next_[s];
                delete_edge(s, watch);
                s = after;
            }
            if (parts_.size() == first) {
                const auto leaves = leaves_of(whole);
                return {{}, {}, {leaves.begin(), leaves.end()}};
            }
        }
    }

   private:
    // The state of a triplet that is not a tree edge. That of a tree edge is its slot.
    static constexpr Index off_forest = -1, dead = -2;

    struct HalfEdge {
        Index to;              // the leaf that it points at
        Index next, previous;  // in the list of the leaf that it leaves
    };
    struct End {
        Index triplet, other;  // a triplet off the forest, and its other end
    };
    // A list for each leaf x: size[x] entries from start[x] on, dead ones included. It shrinks as they are dropped.
    template <class Entry>
    struct Lists {
        std::vector<Index> start, size;
        std::vector<Entry> entry;

        // Makes room for as many entries as each leaf has, which are counted in start[x + 1].
        void make_room(Index n) {
            for (Index x = 0; x < n; ++x) start[x + 1] += start[x];
            size.assign(n, 0);
            entry.resize(start[n]);
        }
        void push(Index x, Entry e) { entry[start[x] + size[x]++] = e; }
        Index stop(Index x) const { return start[x] + size[x]; }
        // Swaps entry i of x's list with its last one, and shortens the list.
        void drop(Index x, Index i) {
            --size[x];
            entry[i] = entry[stop(x)];
        }
    };
    struct Part {
        Index begin, count;  // its range of the order of leaves
    };
    // One of the two searches that grow from the ends of a tree edge.
    struct Search {
        std::vector<Index> queue;  // the leaves found
        std::size_t at;            // place in the queue
        Index half, entry;         // the next half-edge of the leaf there, and the next entry of its list
    };

    std::span<const Index> leaves_of(Index p) const {
        return std::span(order_).subspan(parts_[p].begin, parts_[p].count);
    }

    void list_triplets(const Flags& is_tree, Index n) {
        others_.start.assign(n + 1, 0);
        thirds_.start.assign(n + 1, 0);
        for (std::size_t t = 0; t < triplets_.size(); ++t) {
            ++thirds_.start[triplets_[t].c + 1];
            if (is_tree[t]) continue;
            ++others_.start[triplets_[t].a + 1];
            ++others_.start[triplets_[t].b + 1];
        }
        others_.make_room(n);
        thirds_.make_room(n);
        for (std::size_t k = 0; k < triplets_.size(); ++k) {
            const auto t = static_cast<Index>(k);
            const auto [a, b, c] = triplets_[k];
            thirds_.push(c, t);
            if (is_tree[k]) continue;
            others_.push(a, {t, b});
            others_.push(b, {t, a});
        }
    }

    // The components under the forest are the first parts, in the order of their smallest leaves.
    void make_first_parts(const Flags& is_tree, Index n) {
        DisjointSets sets(n);
        for (std::size_t t = 0; t < triplets_.size(); ++t)
            if (is_tree[t]) sets.unite(triplets_[t].a, triplets_[t].b);
        for (Index x = 0; x < n; ++x) {
            if (sets.is_root(x)) {
                part_[x] = static_cast<Index>(parts_.size());
                parts_.push_back({0, 0});
            } else {
                part_[x] = part_[sets.find(x)];
            }
            ++parts_[part_[x]].count;
        }
        for (std::size_t p = 1; p < parts_.size(); ++p) parts_[p].begin = parts_[p - 1].begin + parts_[p - 1].count;
        std::vector<Index> next(parts_.size());
        for (std::size_t p = 0; p < parts_.size(); ++p) next[p] = parts_[p].begin;
        for (Index x = 0; x < n; ++x) {
            place_[x] = next[part_[x]]++;
            order_[place_[x]] = x;
        }
    }

    // Puts the edge of triplet t into slot s of the forest.
    void link(Index s, Index t) {
        state_[t] = s;
        slot_triplet_[s] = t;
        const auto [a, b, c] = triplets_[t];
        halves_[2 * s].to = b;
        halves_[2 * s + 1].to = a;
        for (const Index half : {2 * s, 2 * s + 1}) {
            Index& first = head_[halves_[half ^ 1].to];
            halves_[half].next = first;
            halves_[half].previous = none;
            if (first >= 0) halves_[first].previous = half;
            first = half;
        }
    }

    // Takes the edge of slot s out of the lists of its two ends.
    void unlink(Index s) {
        for (const Index half : {2 * s, 2 * s + 1}) {
            const auto [to, after, before] = halves_[half];
            (before >= 0 ? halves_[before].next : head_[halves_[half ^ 1].to]) = after;
            if (after >= 0) halves_[after].previous = before;
        }
    }

    // Kills the triplets that end as part p leaves the others. Tree edges of them wait at the part of their ends.
    void bury(Index p) {
        const auto wait = [&](Index s, Index home) { pending_next_[s] = std::exchange(pending_[home], s); };
        for (const Index x : leaves_of(p)) {
            // ab|x, with a and b elsewhere
            for (Index i = thirds_.start[x]; i < thirds_.stop(x);) {
                const Index t = thirds_.entry[i], home = part_[triplets_[t].a];
                if (state_[t] != dead && home == p) {
                    ++i;
                    continue;
                }
                if (state_[t] >= 0) wait(state_[t], home);
                state_[t] = dead;
                thirds_.drop(x, i);
            }
            // xb|c, with c elsewhere: in the forest, and off it
            for (Index half = head_[x]; half >= 0; half = halves_[half].next) {
                const Index t = slot_triplet_[half >> 1];
                if (state_[t] == dead || part_[triplets_[t].c] == p) continue;
                wait(half >> 1, p);
                state_[t] = dead;
            }
            for (Index i = others_.start[x]; i < others_.stop(x);) {
                const Index t = others_.entry[i].triplet;
                if (state_[t] == off_forest && part_[triplets_[t].c] == p) {
                    ++i;
                    continue;
                }
                if (state_[t] == off_forest) state_[t] = dead;
                others_.drop(x, i);
            }
        }
    }

    // Takes the dead edge of slot s out of the forest: another triplet replaces it, or its part falls in two.
    void delete_edge(Index s, Interrupts& watch) {
        const std::array<Index, 2> edge{halves_[2 * s + 1].to, halves_[2 * s].to};
        unlink(s);
        const auto [t, side] = search_from(edge, watch);
        stamp_ += 2;
        if (t >= 0) {
            link(s, t);
        } else {
            split_off(searches_[side].queue, part_[edge[0]]);
        }
    }

    struct Found {
        Index triplet;  // that replaces the edge, or `none`: then the side's search has found all leaves of its side
        int side;
    };

    void look_at(Search& search) const {
        const Index x = search.queue[search.at];
        search.half = head_[x];
        search.entry = others_.start[x];
    }

    // Grows two searches in turn from the ends of a deleted tree edge. They mark leaves by the stamp of their side.
    Found search_from(const std::array<Index, 2>& edge, Interrupts& watch) {
        for (const int side : {0, 1}) {
            Search& search = searches_[side];
            search.queue.assign(1, edge[side]);
            search.at = 0;
            mark_[edge[side]] = stamp_ + side;
            look_at(search);
        }
        int side = 1;
        while (true) {
            watch.check(0);
            side = 1 - side;
            Search& search = searches_[side];
            const Index x = search.queue[search.at];
            if (search.half >= 0) {
                const Index y = halves_[search.half].to;
                search.half = halves_[search.half].next;
                if (mark_[y] == stamp_ + side) continue;
                mark_[y] = stamp_ + side;
                search.queue.push_back(y);
            } else if (search.entry < others_.stop(x)) {
                const auto [t, other] = others_.entry[search.entry];
                if (state_[t] != off_forest) {
                    others_.drop(x, search.entry);
                } else if (mark_[other] == stamp_ + 1 - side) {
                    return {t, side};
                } else {
                    ++search.entry;
                }
            } else {
                if (++search.at == search.queue.size()) break;
                look_at(search);
            }
        }
        // this side has no more leaves: the other search may have passed entries that lead across, so they are asked
        // again. Dead entries were dropped by the search. The other edges that lead out of this side cross to the other
        for (const Index x : searches_[side].queue)
            for (Index i = others_.start[x]; i < others_.stop(x); ++i)
                if (const auto [t, other] = others_.entry[i]; mark_[other] != stamp_ + side && state_[t] == off_forest)
                    return {t, side};
        return {none, side};
    }

    // Makes some leaves of part p a new part, at the end of its range.
    void split_off(const std::vector<Index>& moved, Index p) {
        const auto fresh = static_cast<Index>(parts_.size());
        Index stop = parts_[p].begin + parts_[p].count;
        for (const Index x : moved) {
            --stop;
            const Index y = order_[stop], i = place_[x];
            order_[i] = y;
            order_[stop] = x;
            place_[y] = i;
            place_[x] = stop;
            part_[x] = fresh;
        }
        const auto count = static_cast<Index>(moved.size());
        parts_[p].count -= count;
        parts_.push_back({stop, count});
    }

    const std::vector<Triplet>& triplets_;
    std::vector<Index> state_;  // of each triplet
    Lists<End> others_;         // the triplets off the forest, by each end of ab
    Lists<Index> thirds_;       // all triplets, by c
    // the spanning forest
    std::vector<HalfEdge> halves_;
    std::vector<Index> head_;          // the first half-edge that leaves a leaf
    std::vector<Index> slot_triplet_;  // of each slot
    Index n_slots_ = 0;
    // the parts that leaves are in, numbered in the order in which they split off
    std::vector<Part> parts_;
    std::vector<Index> part_, order_, place_;  // the part of each leaf, the leaves part by part, where each leaf stands
    // dead tree edges stay in the forest until the part of their ends is split: a list of slots for each part
    std::vector<Index> pending_, pending_next_;
    std::array<Search, 2> searches_;
    std::vector<Count> mark_;  // the stamp of the search that last found the leaf
    Count stamp_ = 0;
};

// Splits the leaves 0..n-1 of a group down to single ones.
inline DeepSplit split_deep(const std::vector<Triplet>& triplets, Index n, Interrupts& watch) {
    const Prepared prepared = prepare(triplets, n);
    if (prepared.n_components == 1) {
        DeepSplit out;
        out.failed.resize(n);
        std::iota(out.failed.begin(), out.failed.end(), 0);
        return out;
    }
    const DeepSplit found = DeepSplitting(prepared.triplets, prepared.is_tree, n).run(watch);
    // back to the numbers of the leaves that came in
    std::vector<Index> leaf_at(n);
    for (Index x = 0; x < n; ++x) leaf_at[prepared.number[x]] = x;
    DeepSplit out{{}, found.inner_up, found.failed};
    for (Index& x : out.failed) x = leaf_at[x];
    if (out.failed.empty())
        for (Index x = 0; x < n; ++x) out.leaf_up.push_back(found.leaf_up[prepared.number[x]]);
    return out;
}

}  // namespace tripletree
