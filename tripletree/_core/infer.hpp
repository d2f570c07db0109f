// Consequences of a consistent set of triplets: one walk down its Aho tree, over the sets that it splits in two.
//
// For leaves a, c let X be all leaves. Join the leaves of X by the edges ab of the triplets ab|c inside X. If a and c
// are in one component, it becomes X. If they are in two and there are more, those two together become X. If there
// are just two, A with a and C with c, the walk ends: ab|c is implied for the b in A, cb|a for those in C, and nothing
// else that parts a and c. Triplets whose walks agree so far walk together.
//
// X is never looked at leaf by leaf. While a and c are in one component the walk goes down the Aho tree, to the node
// where they meet. It leaves that node with the two children A and C. From then on X is some nodes of the Aho tree, and
// it needs the rows with leaves in several of them: each node inside X falls apart into its children, and only these
// rows can tie the children together again. A child that no row or query touches is a component in which nobody walks,
// so each node is first left for the lowest one that holds all its leaves touched, however deep that is. If several
// children of a node go on together, so do the rows that the node separates, between these children.
//
// The walk goes where its queries go. A query ab|c whose a and b have parted is never implied, and a pair of components
// with no row across never ends in two. With the triplets themselves as queries it meets every split that implies
// anything. Then no node of X has children on both sides, since it would be that split by itself.
//
// A frame is the rows and queries of one X, with the touched children of its nodes. The frame that follows is a copy of
// a part, and the component or pair with most queries comes last, in the frame's own place: memory
// O((n + m) log (n + m)). Time is O(log n) for each row and query of a frame: O((n + m) log n) where each walk ends
// with its first two nodes, as for the triplets of a decomposed hierarchy of any depth. At worst O(n m log n) for each
// pair.
//
// Oracle: all hierarchies, in tests/laws/test_inference_laws.py.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

// What is done at each split: tell whether queries are implied, note its sizes, list its triplets, flag rows that the
// others imply, or flag rows to be left out so that the others are as few as can be.
enum class AtSplit { answer, sizes, list, cycles, spare };

class Descents {
   public:
    struct Found {
        Flags flag;                 // of the queries
        std::vector<Count> sizes;   // leaves on either side of each split, two numbers each
        std::vector<Index> listed;  // triplets, three numbers each
        Count steps = 0;            // entries of frames. If they are more than was allowed, all else is void
    };

    // The Aho tree on n leaves of some triplets, which it displays. Without queries, the triplets are these.
    Descents(Parents parent, Index n, const std::vector<Triplet>& rows, const std::vector<Triplet>* queries,
             Interrupts& watch)
        : n_(n),
          n_nodes_(static_cast<Index>(parent.size())),
          parent_(parent),
          leaves_(leaf_intervals(parent, n)),
          children_(child_lists(parent)),
          table_(range_maximum_table(gap_nodes(parent, leaves_.stop, n))),
          meeting_{table_.get(), static_cast<std::size_t>(std::max(n - 1, 1))},
          watch_(watch),
          row_leaves_(rows),
          query_leaves_(queries ? *queries : rows),
          first_(n_nodes_),
          last_(n_nodes_),
          up_(n_nodes_),
          component_(n_nodes_),
          sibling_(n_nodes_),
          head_(n_nodes_, none),
          seen_(n_nodes_, 0) {
        rows_ = separated(row_leaves_);
        queries_ = queries ? separated(query_leaves_) : rows_;
        begin_.assign(n_nodes_ + 1, 0);
        for (const Separated& row : rows_) ++begin_[row.node + 1];
        for (Index u = 0; u < n_nodes_; ++u) begin_[u + 1] += begin_[u];
    }

    bool displays_all_rows() const { return rows_.size() == row_leaves_.size(); }

    // Walks from all leaves to the splits in two.
    Found walk(AtSplit task, Count most) {
        Found found;
        found.flag.assign(query_leaves_.size(), 0);
        std::deque<Frame> stack(1);  // references to frames stay when it grows
        for (std::size_t coming = 0; coming < queries_.size();) {
            // the queries that part at the same two children, and the rows that do
            const auto [_, node, key] = queries_[coming];
            const auto rows = rows_at(node, key);
            Frame& root = stack[0];
            root.clear();
            for (; coming < queries_.size() && queries_[coming].node == node && queries_[coming].key == key; ++coming)
                if (!rows.empty()) root.queries.push_back(entered(queries_[coming], query_leaves_));
            for (const Separated& row : rows) root.rows.push_back(entered(row, row_leaves_));
            std::size_t top = rows.empty() ? 0 : 1;
            while (top > 0) {
                Frame& frame = stack[top - 1];
                if (!frame.is_divided) {
                    found.steps += frame.rows.size() + frame.queries.size();
                    if (found.steps > most) return found;
                    if (divide(frame) == 2) at_split(frame, task, found);
                    frame.is_divided = true;
                    frame.largest = largest_run(frame.queries);
                }
                std::size_t at = frame.next;
                if (at == frame.largest) at = end_of_run(frame.queries, at);
                const bool is_last = at == frame.queries.size();
                if (is_last) {  // nothing else follows from the frame: what follows takes its place
                    at = frame.largest;
                    --top;
                    if (at == frame.queries.size()) continue;
                }
                frame.next = end_of_run(frame.queries, at);
                if (stack.size() < top + 2) stack.resize(top + 2);
                Frame& after = stack[is_last ? top + 1 : top];
                if (!follow(frame, {frame.queries.begin() + at, frame.queries.begin() + frame.next}, after)) continue;
                if (is_last) std::swap(frame, after);
                ++top;
            }
        }
        return found;
    }

   private:
    // ------------------------------------------------------------------ data
    struct Separated {
        Index number, node;  // of a triplet, and where its a and c meet in the tree
        Count key;           // the `pair` of the children of the node that hold a and b, and c
    };
    struct Entry {  // of a frame
        Index number;
        std::array<Index, 3> at;  // nodes that hold a, b and c
        Count key;                // the `pair` of components that a and b, and c are in. Entries are sorted by it
    };
    struct Block {  // a touched child and its component, by which they are sorted
        Index node, component;
    };
    struct Frame {
        std::vector<Block> blocks;
        std::vector<Entry> rows, queries;
        bool is_divided = false;
        std::size_t next = 0;     // the place of the query to look at next
        std::size_t largest = 0;  // the place where the longest run of equal keys begins, which comes last

        void clear() {
            rows.clear();
            queries.clear();
            is_divided = false;
            next = 0;
        }
    };
    static constexpr Count across = 1;  // the key of the two components of a frame that has no more

    Index n_, n_nodes_;
    Parents parent_;
    LeafIntervals leaves_;
    ChildLists children_;  // sorted by their places, too
    std::unique_ptr<Index[]> table_;
    RangeMaxima meeting_;  // the node where all leaves at places i to j - 1, and j, meet
    Interrupts& watch_;
    const std::vector<Triplet>&row_leaves_, &query_leaves_;
    std::vector<Separated> rows_, queries_;  // sorted by node and key
    std::vector<std::size_t> begin_;         // where the rows that each node separates begin

    // For dividing frames, an entry for each node unless it is said otherwise.
    std::vector<Index> first_;      // the first place among its leaves that is touched, then the node to leave it for
    std::vector<Index> last_;       // the last such place
    std::vector<Index> up_;         // disjoint sets
    std::vector<Index> component_;  // of each block
    std::vector<Index> sibling_;    // of each block: the next one with the same parent
    std::vector<Index> head_;       // the first of its children in a list of blocks, `none` between two uses
    std::vector<Count> seen_;       // the stamp of the step that met it last
    Count stamp_ = 0;
    std::vector<std::size_t> begin_of_key_;  // for sorting
    std::vector<Block> gathered_;            // blocks that go on together
    std::vector<Entry> spare_entries_;
    std::vector<Separated> spare_;

    // For the search of cycles.
    std::vector<std::size_t> next_, end_;  // the rest of a block's rows in neighbour_
    std::vector<std::size_t> neighbour_;   // places of rows
    std::vector<std::size_t> via_;         // of each block: the place of the row above it
    std::vector<Index> rank_;              // when a block was met
    std::vector<Index> low_;  // rank of the earliest block that it and those below it reach but by the row above it

    // A key for two components or nodes: sorted by the smaller one, then by the other.
    static Count pair(Index p, Index q) { return static_cast<Count>(std::min(p, q)) << 32 | std::max(p, q); }
    static Index smaller(Count key) { return static_cast<Index>(key >> 32); }
    static Index larger(Count key) { return static_cast<Index>(key & 0xFFFFFFFF); }

    bool holds(Index u, Index x) const {
        return leaves_.start[u] <= leaves_.start[x] && leaves_.start[x] < leaves_.stop[u];
    }
    Index width(Index u) const { return leaves_.stop[u] - leaves_.start[u]; }

    // The child of node v that holds the leaf x, or v itself if it is a leaf.
    Index toward(Index v, Index x) const {
        if (v < n_) return v;
        const auto children = children_.of(v);
        const auto after =
            std::ranges::upper_bound(children, leaves_.start[x], {}, [&](Index u) { return leaves_.start[u]; });
        return *(after - 1);
    }

    // A stable sort by numbers from 0 to n_keys - 1.
    template <class T, class Key>
    void sort_by(std::vector<T>& items, std::vector<T>& spare, Index n_keys, Key key) {
        begin_of_key_.assign(n_keys + 1, 0);
        for (const T& item : items) ++begin_of_key_[key(item) + 1];
        for (Index j = 0; j < n_keys; ++j) begin_of_key_[j + 1] += begin_of_key_[j];
        spare.resize(items.size());
        for (const T& item : items) {
            spare[begin_of_key_[key(item)]++] = item;
            watch_.check(0, 2);
        }
        std::swap(items, spare);
    }

    // The triplets that the tree displays, sorted by where it separates them. O(log n) a triplet.
    std::vector<Separated> separated(const std::vector<Triplet>& triplets) {
        std::vector<Separated> out;
        for (std::size_t t = 0; t < triplets.size(); ++t) {
            const auto [a, b, c] = triplets[t];
            const auto [low, high] = std::minmax(leaves_.start[a], leaves_.start[c]);
            const Index node = meeting_(low, high), child = toward(node, a);
            if (holds(child, b)) out.push_back({static_cast<Index>(t), node, pair(child, toward(node, c))});
            watch_.check(0, 4);
        }
        sort_by(out, spare_, n_nodes_, [](const Separated& x) { return larger(x.key); });
        sort_by(out, spare_, n_nodes_, [](const Separated& x) { return smaller(x.key); });
        sort_by(out, spare_, n_nodes_, [](const Separated& x) { return x.node; });
        return out;
    }

    std::span<const Separated> rows_of(Index node) const {
        return std::span(rows_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
    }
    std::span<const Separated> rows_at(Index node, Count key) const {
        const auto found = std::ranges::equal_range(rows_of(node), key, {}, &Separated::key);
        return {found.begin(), found.end()};
    }

    // A triplet as an entry, held by the two nodes of its key.
    Entry entered(const Separated& x, const std::vector<Triplet>& triplets) const {
        Index one = smaller(x.key), other = larger(x.key);
        if (!holds(one, triplets[x.number].a)) std::swap(one, other);
        return {x.number, {one, one, other}, 0};
    }

    Index find(Index x) {
        while (up_[x] != x) x = up_[x] = up_[up_[x]];  // path halving
        return x;
    }
    bool unite(Index x, Index y) {  // whether they were two sets. The smaller root stays
        x = find(x);
        y = find(y);
        up_[std::max(x, y)] = std::min(x, y);
        return x != y;
    }

    // ------------------------------------------------------------------ one frame
    // Goes down from the nodes of a frame to their children, lists those touched, and sorts all by component. Queries
    // whose close pair is apart are dropped. Returns the number of components, those that nothing touches included.
    Index divide(Frame& frame) {
        note_places(frame.rows, row_leaves_, stamp_ + 1);
        note_places(frame.queries, query_leaves_, stamp_ + 1);
        Index n_components = lower_nodes(frame.rows, stamp_ + 1) + lower_nodes(frame.queries, stamp_ + 1);
        frame.blocks.clear();
        touch_children(frame.rows, row_leaves_, stamp_ + 2, frame.blocks);
        touch_children(frame.queries, query_leaves_, stamp_ + 2, frame.blocks);
        stamp_ += 2;
        for (const Entry& row : frame.rows) n_components -= unite(row.at[0], row.at[1]);
        const Index n_touched = number_components(frame.blocks);
        sort_entries(frame.rows, n_touched);  // none is dropped, as their close pairs made the components
        sort_entries(frame.queries, n_touched);
        return n_components;
    }

    static std::array<Index, 3> leaves_of(const Triplet& x) { return {x.a, x.b, x.c}; }

    // Notes the first and the last leaf touched below each node.
    void note_places(const std::vector<Entry>& entries, const std::vector<Triplet>& triplets, Count stamp) {
        for (const Entry& entry : entries) {
            const auto leaves = leaves_of(triplets[entry.number]);
            for (int end = 0; end < 3; ++end) {
                const Index u = entry.at[end], place = leaves_.start[leaves[end]];
                if (seen_[u] != stamp) {
                    seen_[u] = stamp;
                    first_[u] = last_[u] = place;
                } else {
                    first_[u] = std::min(first_[u], place);
                    last_[u] = std::max(last_[u], place);
                }
            }
            watch_.check(0, 4);
        }
    }

    // Leaves each node for the lowest one that holds all leaves touched. Returns how many children these have in all.
    Index lower_nodes(const std::vector<Entry>& entries, Count stamp) {
        Index count = 0;
        for (const Entry& entry : entries)
            for (const Index u : entry.at) {
                if (seen_[u] != stamp) continue;
                seen_[u] = 0;
                const Index v = first_[u] == last_[u] ? leaves_.order[first_[u]] : meeting_(first_[u], last_[u]);
                first_[u] = v;
                count += std::max<Index>(static_cast<Index>(children_.of(v).size()), 1);
            }
        return count;
    }

    // Has the children of the nodes hold the leaves, and lists those met first.
    void touch_children(std::vector<Entry>& entries, const std::vector<Triplet>& triplets, Count stamp,
                        std::vector<Block>& blocks) {
        for (Entry& entry : entries) {
            const auto leaves = leaves_of(triplets[entry.number]);
            for (int end = 0; end < 3; ++end) {
                const Index u = toward(first_[entry.at[end]], leaves[end]);
                entry.at[end] = u;
                if (seen_[u] == stamp) continue;
                seen_[u] = stamp;
                up_[u] = u;
                blocks.push_back({u, none});
            }
            watch_.check(0, 8);
        }
    }

    // Numbers the components of the blocks, and sorts these by them. Returns how many there are.
    Index number_components(std::vector<Block>& blocks) {
        Index count = 0;
        for (const Block& block : blocks)
            if (up_[block.node] == block.node) component_[block.node] = count++;  // so others find its number below
        for (Block& block : blocks) block.component = component_[block.node] = component_[find(block.node)];
        begin_of_key_.assign(count + 1, 0);
        for (const Block& block : blocks) ++begin_of_key_[block.component + 1];
        for (Index j = 0; j < count; ++j) begin_of_key_[j + 1] += begin_of_key_[j];
        gathered_.resize(blocks.size());
        for (const Block& block : blocks) gathered_[begin_of_key_[block.component]++] = block;
        std::swap(blocks, gathered_);
        return count;
    }

    // Sorts entries by the k components they touch, and drops those whose close pair is apart. Rows stay in their order
    // otherwise, on which it depends which are left out as spare.
    void sort_entries(std::vector<Entry>& entries, Index k) {
        std::erase_if(entries, [&](const Entry& x) { return component_[x.at[0]] != component_[x.at[1]]; });
        for (Entry& x : entries) x.key = pair(component_[x.at[0]], component_[x.at[2]]);
        if (k < 2) return;
        sort_by(entries, spare_entries_, k, [](const Entry& x) { return larger(x.key); });
        sort_by(entries, spare_entries_, k, [](const Entry& x) { return smaller(x.key); });
    }

    static std::size_t end_of_run(const std::vector<Entry>& entries, std::size_t at) {  // of equal keys
        if (at == entries.size()) return at;
        const auto rest = std::span(entries).subspan(at);
        const auto after = std::ranges::upper_bound(rest, entries[at].key, {}, &Entry::key);
        return at + static_cast<std::size_t>(after - rest.begin());
    }

    static std::size_t largest_run(const std::vector<Entry>& entries) {  // where it begins
        std::size_t longest = 0, best = 0;
        for (std::size_t at = 0; at < entries.size();) {
            const std::size_t end = end_of_run(entries, at);
            if (end - at > longest) {
                longest = end - at;
                best = at;
            }
            at = end;
        }
        return best;
    }

    // ------------------------------------------------------------------ at a split in two
    void at_split(Frame& frame, AtSplit task, Found& found) {
        // the queries across the split have come to their end
        const auto done = std::ranges::equal_range(frame.queries, across, {}, &Entry::key);
        if (done.empty()) return;
        if (task == AtSplit::answer)
            for (const Entry& query : done) found.flag[query.number] = 1;
        frame.queries.erase(done.begin(), done.end());
        if (task == AtSplit::sizes) {
            std::array<Count, 2> sizes{};
            for (const Block& block : frame.blocks) sizes[block.component] += width(block.node);
            found.sizes.insert(found.sizes.end(), sizes.begin(), sizes.end());
        }
        if (task == AtSplit::list) list_split(frame.blocks, found.listed);
        if (task == AtSplit::spare) flag_spare(frame, found.flag);
        if (task == AtSplit::cycles) flag_cycles(frame, found.flag);
    }

    void list_split(const std::vector<Block>& blocks, std::vector<Index>& out) {
        const auto places = [&](const Block& x) {
            return std::span(leaves_.order).subspan(leaves_.start[x.node], width(x.node));
        };
        for (auto one = blocks.begin(); one != blocks.end(); ++one)
            for (auto two = one; two != blocks.end() && two->component == one->component; ++two)
                for (std::size_t p = 0; p < places(*one).size(); ++p)
                    for (const Index b : places(*two).subspan(one == two ? p + 1 : 0))
                        for (const Block& third : blocks) {
                            if (third.component == one->component) continue;
                            for (const Index c : places(third)) out.insert(out.end(), {places(*one)[p], b, c});
                            watch_.check(0, width(third.node));
                        }
    }

    // Flags the rows across a split that close a cycle of the rows inside its sides and those across before them.
    void flag_spare(const Frame& frame, Flags& flag) {
        for (const Block& block : frame.blocks) up_[block.node] = block.node;
        for (const Entry& row : frame.rows)
            if (row.key != across) unite(row.at[0], row.at[1]);
        for (const Entry& row : frame.rows)
            if (row.key == across && !unite(row.at[0], row.at[1])) flag[row.number] = 1;
    }

    // The rows at block x, by their places, become those of neighbour_ from next_[x] to end_[x].
    void list_neighbours(const Frame& frame) {
        next_.resize(n_nodes_);
        end_.resize(n_nodes_);
        neighbour_.resize(2 * frame.rows.size());
        for (const Block& block : frame.blocks) end_[block.node] = 0;
        for (const Entry& row : frame.rows) ++end_[row.at[0]], ++end_[row.at[1]];
        std::size_t at = 0;
        for (const Block& block : frame.blocks) {
            next_[block.node] = at;
            at += std::exchange(end_[block.node], at);
        }
        for (std::size_t i = 0; i < frame.rows.size(); ++i)
            for (const int side : {0, 1}) neighbour_[end_[frame.rows[i].at[side]]++] = i;
    }

    // Flags the rows across a split that lie on a cycle, equal close pairs included: all but the bridges. Each block is
    // tied together by rows inside it, so a row inside one block lies on a cycle.
    void flag_cycles(const Frame& frame, Flags& flag) {
        constexpr auto no_row = static_cast<std::size_t>(-1);
        list_neighbours(frame);
        rank_.resize(n_nodes_);
        low_.resize(n_nodes_);
        via_.resize(n_nodes_);
        for (const Entry& row : frame.rows)
            if (row.key == across) flag[row.number] = 1;
        for (const Block& block : frame.blocks) rank_[block.node] = none;
        Index fresh = 0;
        std::vector<Index> path;  // of a depth-first search over blocks, joined by rows
        const auto enter = [&](Index u, std::size_t via) {
            path.push_back(u);
            via_[u] = via;
            rank_[u] = low_[u] = fresh++;
        };
        for (const Block& block : frame.blocks) {
            if (rank_[block.node] != none) continue;
            enter(block.node, no_row);
            while (!path.empty()) {
                watch_.check(0);
                const Index x = path.back();
                if (next_[x] < end_[x]) {
                    const std::size_t place = neighbour_[next_[x]++];
                    // the row that led here is no way back, but a second row with the same close pair is one
                    if (place == via_[x]) continue;
                    const auto& at = frame.rows[place].at;
                    const Index y = at[0] == x ? at[1] : at[0];
                    if (rank_[y] == none)
                        enter(y, place);
                    else
                        low_[x] = std::min(low_[x], rank_[y]);
                    continue;
                }
                path.pop_back();
                if (path.empty()) continue;
                low_[path.back()] = std::min(low_[path.back()], low_[x]);
                const Entry& row = frame.rows[via_[x]];
                // nothing below x reaches above it: a bridge
                if (low_[x] == rank_[x] && row.key == across) flag[row.number] = 0;
            }
        }
    }

    // ------------------------------------------------------------------ the frame that follows
    // Makes the frame with which some queries of equal keys go on. Returns whether anything can follow.
    bool follow(const Frame& frame, std::span<const Entry> queries, Frame& after) {
        const Count key = queries.front().key;
        const Index p = smaller(key), q = larger(key);
        after.clear();
        const auto add_rows = [&](Count key) {
            const auto found = std::ranges::equal_range(frame.rows, key, {}, &Entry::key);
            after.rows.insert(after.rows.end(), found.begin(), found.end());
            watch_.check(0, 1 + static_cast<Count>(found.size()));
        };
        add_rows(key);
        if (p != q && after.rows.empty()) return false;  // no row touches both: their walk never ends in two
        gathered_.clear();
        const auto add_blocks = [&](Index x) {
            const auto found = std::ranges::equal_range(frame.blocks, x, {}, &Block::component);
            gathered_.insert(gathered_.end(), found.begin(), found.end());
        };
        add_blocks(p);
        if (p != q) {
            add_blocks(q);
            add_rows(pair(p, p));
            add_rows(pair(q, q));
        }
        gather(after.rows);
        after.queries.assign(queries.begin(), queries.end());
        return !after.rows.empty();
    }

    // Adds the rows that the parents of the blocks in gathered_ separate, with all leaves in two of the blocks.
    void gather(std::vector<Entry>& out) {
        ++stamp_;
        for (const auto& [u, _] : gathered_) {
            seen_[u] = stamp_;
            sibling_[u] = std::exchange(head_[parent_[u]], u);
        }
        for (const auto& [u, _] : gathered_) {
            const Index first = head_[parent_[u]];
            if (sibling_[first] == none) continue;  // the only one
            const auto rows = rows_of(parent_[u]);
            const auto low = std::ranges::lower_bound(rows, static_cast<Count>(u) << 32, {}, &Separated::key);
            const auto high =
                std::ranges::lower_bound(low, rows.end(), static_cast<Count>(u + 1) << 32, {}, &Separated::key);
            // the rows of u and a larger sibling: either all are looked at, or each such sibling among the blocks is
            Count n_siblings = 0;
            Index w = first;
            for (; w != none && 16 * n_siblings < high - low; w = sibling_[w]) ++n_siblings;
            watch_.check(0, 1 + n_siblings);
            if (w != none) {
                for (auto row = low; row != high; ++row)
                    if (seen_[larger(row->key)] == stamp_) out.push_back(entered(*row, row_leaves_));
                continue;
            }
            for (w = first; w != none && low != high; w = sibling_[w]) {
                if (w < u) continue;
                for (const Separated& row : std::ranges::equal_range(low, high, pair(u, w), {}, &Separated::key))
                    out.push_back(entered(row, row_leaves_));
            }
        }
        for (const auto& [u, _] : gathered_) head_[parent_[u]] = none;
    }
};

}  // namespace tripletree
