// Source trees as leaf sequences, and counts that can be read off them without listing a triplet.
//
// A collection of trees is one sequence: the taxa of each tree in depth-first order. Beside each taxon stands the
// number of its last common ancestor with the next one, or `end` at the last leaf of a tree. Greater numbers are higher
// up, and equal numbers are one node. A tree restricted to some taxa is a part of its sequence, with the greatest of
// the numbers passed over: no tree is built for that, and all parts of a division come out of one pass.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

struct Sequence {
    static constexpr Index end = INT32_MAX;  // the gap after the last leaf of a tree

    std::span<const Index> taxon, gap;

    Index size() const { return static_cast<Index>(taxon.size()); }
};

// Which of n taxa the first splits of the trees tie together: the number of each one's part. Parts are numbered by
// their smallest taxa. Oracle: vote_components_definition.
inline std::vector<Index> parts(const Sequence& trees, Index n) {
    DisjointSets sets(n);
    for (Index begin = 0; begin < trees.size();) {
        // the greatest gap of a tree is its root: leaves on either side of it are below different children
        Index root = none, end = begin;
        for (; trees.gap[end] != Sequence::end; ++end) root = std::max(root, trees.gap[end]);
        for (Index i = begin; i < end; ++i) {
            if (trees.gap[i] == root) continue;
            const Index x = sets.find(trees.taxon[i]), y = sets.find(trees.taxon[i + 1]);
            if (x != y) sets.hang(std::max(x, y), std::min(x, y));  // the smallest taxon is the root of a part
        }
        begin = end + 1;
    }
    std::vector<Index> part(n);
    Index count = 0;
    for (Index x = 0; x < n; ++x) {
        const Index root = sets.find(x);
        part[x] = root == x ? count++ : part[root];
    }
    return part;
}

// The trees restricted to each of k parts of the taxa. Those left with fewer than three leaves are dropped. Taxa may be
// in no part. Part j is positions start[j] to start[j + 1] - 1.
struct Division {
    std::vector<Count> start;
    std::vector<Index> taxon, gap, tree;  // and the number of each leaf's tree
};

inline Division divide(const Sequence& trees, std::span<const Index> part, Index k) {
    struct Part {
        Count begin = 0, head = 0, first = 0;  // where the part, its next leaf, and its current tree are written
        Count last = 0;                        // the position of its latest leaf
        Index tree = none;                     // whose leaf that is
    };
    struct Leaf {
        Index taxon, gap, tree;
    };
    std::vector<Part> parts(k + 1);
    for (const Index x : trees.taxon)
        if (part[x] != none) ++parts[part[x] + 1].begin;
    for (Index j = 0; j < k; ++j) {
        parts[j + 1].begin += parts[j].begin;
        parts[j].head = parts[j].first = parts[j].begin;
    }
    // a tree with fewer than three leaves has no triplet in the part: it is written over
    const auto drop_small = [](Part& x) {
        if (x.head - x.first < 3) x.head = x.first;
    };
    std::vector<Leaf> leaves(trees.size());
    // a stack of the gaps of this tree that no later one exceeds, for all parts at once
    std::vector<std::pair<Count, Index>> open;  // position and gap
    Index tree = 0;
    for (Index i = 0; i < trees.size(); ++i) {
        const Index x = trees.taxon[i], gap = trees.gap[i];
        if (part[x] != none) {
            Part& own = parts[part[x]];
            if (own.tree == tree) {
                // the part's last leaf of this tree and this one meet at the greatest of the gaps passed over
                const auto passed = std::partition_point(open.begin(), open.end() - 1,
                                                         [&](const auto& x) { return x.first < own.last; });
                leaves[own.head - 1].gap = passed->second;
            } else {
                drop_small(own);
                own.tree = tree;
                own.first = own.head;
            }
            leaves[own.head++] = {x, Sequence::end, tree};
            own.last = i;
        }
        if (gap == Sequence::end) {
            open.clear();
            ++tree;
            continue;
        }
        while (!open.empty() && open.back().second <= gap) open.pop_back();
        open.emplace_back(i, gap);
    }
    Division out;
    out.start.assign(1, 0);
    for (Index j = 0; j < k; ++j) {
        drop_small(parts[j]);
        for (Count i = parts[j].begin; i < parts[j].head; ++i) {
            out.taxon.push_back(leaves[i].taxon);
            out.gap.push_back(leaves[i].gap);
            out.tree.push_back(leaves[i].tree);
        }
        out.start.push_back(static_cast<Count>(out.taxon.size()));
    }
    return out;
}

// k source trees on taxa 0..n-1, with S leaves, and with what can be looked up about them.
struct Sources {
    Index n;
    std::vector<Index> taxon, gap;  // as a sequence
    std::vector<Index> tree;        // of each leaf
    std::vector<double> weight;     // of one triplet of each tree
    // Nodes: leaves 0..S-1 as they come, then inner nodes, tree by tree. Parents come after their children.
    std::vector<Index> parent;          // `none` at the root of a tree
    std::vector<Index> leaves, inners;  // where the leaves and the inner nodes of each tree begin. Its root comes last
    // The leaves that are taxon x: occurrence[occurs[x]] to occurrence[occurs[x + 1] - 1].
    std::vector<Index> occurs, occurrence;

    Sources(const Sequence& trees, std::vector<double> weights, Index n_taxa)
        : n(n_taxa),
          taxon(trees.taxon.begin(), trees.taxon.end()),
          gap(trees.gap.begin(), trees.gap.end()),
          tree(taxon.size()),
          weight(std::move(weights)),
          leaves(1, 0),
          inners(1, size()),
          occurs(n + 1, 0),
          occurrence(taxon.size()) {
        make_nodes();
        for (Index t = 0; t < n_trees(); ++t) std::fill(tree.begin() + leaves[t], tree.begin() + leaves[t + 1], t);
        for (const Index x : taxon) ++occurs[x + 1];
        std::partial_sum(occurs.begin(), occurs.end(), occurs.begin());
        std::vector<Index> next(occurs.begin(), occurs.end() - 1);
        for (Index i = 0; i < size(); ++i) occurrence[next[taxon[i]]++] = i;
    }

    Index size() const { return static_cast<Index>(taxon.size()); }
    Index n_trees() const { return static_cast<Index>(weight.size()); }
    Index n_nodes() const { return static_cast<Index>(parent.size()); }
    std::span<const Index> occurrences(Index x) const {
        return std::span(occurrence).subspan(occurs[x], occurs[x + 1] - occurs[x]);
    }

    // How many triplets each tree displays.
    std::vector<Count> n_triplets() const {
        std::vector<Count> below(n_nodes(), 0), total(n_trees(), 0);
        std::fill_n(below.begin(), size(), 1);
        for (Index u = 0; u < n_nodes(); ++u)
            if (parent[u] != none) below[parent[u]] += below[u];
        for (Index t = 0; t < n_trees(); ++t)
            for (Index u = inners[t]; u < inners[t + 1]; ++u)
                if (parent[u] != none) total[t] += below[u] * (below[u] - 1) / 2 * (below[parent[u]] - below[u]);
        return total;
    }

    // How many trees, given for how many each stands, have triplets that the edge above each node of a hierarchy alone
    // decides. The hierarchy displays all triplets of all trees, so nothing has to be counted.
    //
    // Each tree is the hierarchy on its leaves with some edges contracted. So a node of a tree is the hierarchy's node
    // w where its leaves meet, and the tree has triplets for the edge above w exactly if it has other leaves below the
    // parent of w. Leaves of one node of a tree stand together in the hierarchy's order, too, so neighbours tell.
    // Oracle: `EdgeVotes`.
    std::vector<Count> agreeing_trees(std::span<const Count> copies, Parents hierarchy) const {
        const LeafIntervals places = leaf_intervals(hierarchy, n);
        const auto table = range_maximum_table(gap_nodes(hierarchy, places.stop, n));
        const RangeMaxima meeting{table.get(), static_cast<std::size_t>(std::max(n - 1, 1))};
        std::vector<Count> n_trees_of(hierarchy.size(), 0);
        // the leaves of each tree in the order of the hierarchy, and of each node the first and the last of its own
        std::vector<Index> sorted(size()), place(size()), low(n_nodes(), size()), high(n_nodes(), none);
        std::iota(sorted.begin(), sorted.end(), 0);
        const auto place_of = [&](Index leaf) { return places.start[taxon[leaf]]; };
        for (Index t = 0; t < n_trees(); ++t)
            std::ranges::stable_sort(sorted.begin() + leaves[t], sorted.begin() + leaves[t + 1], {}, place_of);
        for (Index i = 0; i < size(); ++i) {
            low[sorted[i]] = high[sorted[i]] = i;
            place[i] = place_of(sorted[i]);
        }
        for (Index u = 0; u < n_nodes(); ++u) {
            if (parent[u] == none) continue;
            low[parent[u]] = std::min(low[parent[u]], low[u]);
            high[parent[u]] = std::max(high[parent[u]], high[u]);
        }
        for (Index t = 0; t < n_trees(); ++t)
            for (Index u = inners[t]; u + 1 < inners[t + 1]; ++u) {
                const Index w = meeting(place[low[u]], place[high[u]]);
                auto nearest = static_cast<Index>(hierarchy.size());  // with these leaves and others of the tree
                if (low[u] > leaves[t]) nearest = std::min(nearest, meeting(place[low[u] - 1], place[low[u]]));
                if (high[u] + 1 < leaves[t + 1])
                    nearest = std::min(nearest, meeting(place[high[u]], place[high[u] + 1]));
                if (nearest == hierarchy[w]) n_trees_of[w] += copies[t];
            }
        return n_trees_of;
    }

   private:
    void make_nodes() {
        // a node is opened before those below it are closed: numbered as they are closed, parents come last
        std::vector<Index> up(2 * taxon.size(), none), number(up.size());  // by the numbers of opening
        std::iota(number.begin(), number.end(), 0);
        struct Open {
            Index node, rank;
        };
        std::vector<Open> open;
        Index opened = size(), closed = size();
        for (Index i = 0; i < size(); ++i) {
            Index u = i;
            while (!open.empty() && open.back().rank < gap[i]) {
                const Index v = open.back().node;
                open.pop_back();
                up[u] = v;
                number[v] = closed++;
                u = v;
            }
            if (gap[i] == Sequence::end) {
                leaves.push_back(i + 1);
                inners.push_back(closed);
                continue;
            }
            if (open.empty() || open.back().rank > gap[i]) open.push_back({opened++, gap[i]});
            up[u] = open.back().node;
        }
        parent.assign(closed, none);
        for (Index u = 0; u < opened; ++u)
            if (up[u] != none) parent[number[u]] = number[up[u]];
    }
};

// Votes between two sets of taxa P and Q: source triplets pp'|q, qq'|p and pq|p', counted in one scan of each tree.
//
// A scan keeps the open nodes on a stack, each with its leaves in P and in Q and the pairs below one child: no triplet
// is listed, and no tree is built. A triplet is counted where its third leaf meets the other two, when the later one of
// the two children that hold them is added.
class VoteScan {
   public:
    enum class Side : unsigned char { neither, p, q };
    struct Votes {
        Count near = 0, cross = 0, far = 0;  // triplets pp'|q, pq|p' and qq'|p

        void add(const Votes& x) { near += x.near, cross += x.cross, far += x.far; }
    };

    VoteScan(const Sources& sources, Interrupts& watch)
        : sources_(sources), watch_(watch), side_(sources.n, Side::neither) {}

    void put(std::span<const Index> taxa, Side side) {
        for (const Index x : taxa) side_[x] = side;
    }

    Votes votes_of(Index tree) {
        Votes out;
        open_.clear();
        // Leaves outside P and Q are passed over: two leaves that remain meet at the greatest of the gaps between them.
        Index passed = none;
        Count p = 0, q = 0;  // the leaves of the node that was finished last, at first a leaf
        const auto finish = [&] {
            Open& top = open_.back();
            out.add(top.hang(p, q));
            p = top.p;
            q = top.q;
            open_.pop_back();
        };
        const Index begin = sources_.leaves[tree], end = sources_.leaves[tree + 1];
        for (Index i = begin; i < end; ++i) {
            const Side side = side_[sources_.taxon[i]];
            if (side != Side::neither) {
                if (p + q > 0) {
                    // nodes lower than where the two leaves meet get no more children
                    while (!open_.empty() && open_.back().rank < passed) finish();
                    if (open_.empty() || open_.back().rank > passed) open_.push_back({passed});
                    out.add(open_.back().hang(p, q));
                }
                p = side == Side::p;
                q = side == Side::q;
                passed = none;
            }
            passed = std::max(passed, sources_.gap[i]);
        }
        while (!open_.empty()) finish();
        watch_.check(0, end - begin);
        return out;
    }

    // Counts leaves by tree.
    class Tally {
       public:
        explicit Tally(const Sources& sources) : sources_(sources), count_(sources.n_trees(), 0) {}

        // Calls f(tree, leaves) for each tree with any of the taxa.
        template <class F>
        void for_trees(std::span<const Index> taxa, F f) {
            trees_.clear();
            for (const Index x : taxa)
                for (const Index leaf : sources_.occurrences(x)) {
                    const Index t = sources_.tree[leaf];
                    if (count_[t]++ == 0) trees_.push_back(t);
                }
            for (const Index t : trees_) f(t, std::exchange(count_[t], 0));
        }
        const std::vector<Index>& trees() const { return trees_; }  // of the last call

       private:
        const Sources& sources_;
        std::vector<Count> count_;
        std::vector<Index> trees_;
    };

   private:
    struct Open {                                    // a node of a source tree that may get more children
        Index rank;                                  // its number, which is that of the gaps at which its children meet
        Count p = 0, q = 0, pp = 0, qq = 0, pq = 0;  // leaves in P and Q below it so far, and pairs below one child

        // Adds a finished child. Returns the triplets that it has with the earlier ones: it holds either the pair or
        // the third leaf.
        Votes hang(Count more_p, Count more_q) {
            const Count more_pp = more_p * (more_p - 1) / 2, more_qq = more_q * (more_q - 1) / 2;
            const Votes out{more_pp * q + more_q * pp, more_p * more_q * p + more_p * pq, more_qq * p + more_p * qq};
            p += more_p;
            q += more_q;
            pp += more_pp;
            qq += more_qq;
            pq += more_p * more_q;
            return out;
        }
    };

    const Sources& sources_;
    Interrupts& watch_;
    std::vector<Side> side_;
    std::vector<Open> open_;
};

// The votes of each tree on the triples that each edge of a hierarchy from a node u to an inner node w below decides.
struct EdgeVote {
    Count node, tree;               // w, and a tree that says anything
    Count near, cross;              // triplets pp'|q and pq|p' with p, p' below w, and q below u but not w
    Count near_alone, cross_alone;  // those with p and p' below different children of w, which no other edge decides
};

// Oracle: edge_votes_definition.
inline std::vector<EdgeVote> edge_votes(const Sources& sources, Parents hierarchy, Interrupts& watch) {
    using Side = VoteScan::Side;
    const Index n = sources.n;
    const LeafIntervals places = leaf_intervals(hierarchy, n);
    const ChildLists children = child_lists(hierarchy);
    const auto taxa = [&](Index u) {
        return std::span(places.order).subspan(places.start[u], places.stop[u] - places.start[u]);
    };
    VoteScan scan(sources, watch);
    VoteScan::Tally trees(sources), inside(sources);
    std::vector<EdgeVote> of_tree(sources.n_trees()), out;
    for (Index u = n; u < static_cast<Index>(hierarchy.size()); ++u) {
        scan.put(taxa(u), Side::q);
        for (const Index w : children.of(u)) {
            if (w < n) continue;
            scan.put(taxa(w), Side::p);
            trees.for_trees(taxa(w), [&](Index t, Count n_leaves) {
                const auto votes = n_leaves > 1 ? scan.votes_of(t) : VoteScan::Votes{};
                of_tree[t] = {w, t, votes.near, votes.cross, votes.near, votes.cross};
            });
            scan.put(taxa(w), Side::neither);
            // triples with p and p' below one child are taken away: an edge further down decides them, too
            for (const Index x : children.of(w)) {
                if (x < n) continue;
                scan.put(taxa(x), Side::p);
                inside.for_trees(taxa(x), [&](Index t, Count n_leaves) {
                    // fewer than two leaves below the child make no pair p, p'. Silence on w is silence on its child
                    if (n_leaves < 2 || of_tree[t].near + of_tree[t].cross == 0) return;
                    const auto votes = scan.votes_of(t);
                    of_tree[t].near_alone -= votes.near;
                    of_tree[t].cross_alone -= votes.cross;
                });
                scan.put(taxa(x), Side::neither);
            }
            for (const Index t : trees.trees())
                if (of_tree[t].near + of_tree[t].cross > 0) out.push_back(of_tree[t]);
            scan.put(taxa(w), Side::q);
            watch.check(u, 1 + static_cast<Count>(taxa(w).size()));
        }
        scan.put(taxa(u), Side::neither);
    }
    return out;
}

// The weight of the source triplets that a split of a set of taxa in two displays, given the set and one side of it.
inline double split_vote(const Sources& sources, VoteScan& scan, VoteScan::Tally& trees, std::span<const Index> taxa,
                         std::span<const Index> side) {
    double vote = 0;
    scan.put(taxa, VoteScan::Side::q);
    scan.put(side, VoteScan::Side::p);
    trees.for_trees(taxa, [&](Index t, Count n_leaves) {
        if (n_leaves < 3) return;
        const auto votes = scan.votes_of(t);
        vote += sources.weight[t] * static_cast<double>(votes.near + votes.far);
    });
    scan.put(taxa, VoteScan::Side::neither);
    return vote;
}

}  // namespace tripletree
