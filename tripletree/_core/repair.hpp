// Splits of leaves by the triplets inside them, and subtrees pruned and regrafted: the parts of `repair`.
//
// The splits: components, two sides that few triplets lose by, one leaf at a time, and the best of all for few leaves.
//
// A split in two displays ab|c when a and b are on one side and c is on the other, and loses it when a and b are
// parted. With a weight of w/2 on the pairs ac and bc and of -w/2 - penalty * w on ab, the weight displayed less
// `penalty` times the weight lost is the sum over all pairs that the split parts: a cut in a graph with positive and
// negative weights.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "keyed_heap.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

using Row = std::array<Index, 3>;  // the triplet ab|c by columns: three leaves that differ

// Triplets with their weights.
struct WeighedRows {
    std::vector<Row> rows;
    std::span<const double> weight;

    Count size() const { return static_cast<Count>(rows.size()); }
};

// The components of the leaves under an edge ab for each triplet ab|c, numbered by their smallest leaf.
struct Components {
    std::vector<Index> label;
    Index n_parts;
};

inline Components components(const std::vector<Row>& rows, Index k) {
    DisjointSets sets(k);
    Components out{std::vector<Index>(k, 0), k};
    for (const auto& [a, b, c] : rows) {
        if (out.n_parts == 1) break;
        out.n_parts -= sets.unite(a, b);
    }
    if (out.n_parts <= 1) return out;
    Index fresh = 0;
    for (Index x = 0; x < k; ++x) {
        const Index root = sets.find(x);  // the smallest of its set, so it comes first
        out.label[x] = root == x ? fresh++ : out.label[root];
    }
    return out;
}

// Splits leaves in two by passes of Fiduccia and Mattheyses. Time O((k + m) log k) a pass, memory O(k + m).
class Bisection {
   public:
    Bisection(const WeighedRows& triplets, Index k, double penalty, Interrupts& watch)
        : k_(k), gain_(k), heap_(gain_), side_(k), moved_(k), watch_(watch) {
        make_graph(triplets, penalty);
        for (const double weight : triplets.weight) slack_ += weight;
        slack_ *= 1e-12;
        steps_ = 6 * triplets.size();
    }

    // Makes passes from a start, 0 or 1 for each leaf. The best of all starts is kept.
    void improve(std::span<const Index> start, Count most_passes) {
        std::copy(start.begin(), start.end(), side_.begin());
        const Index ones = std::accumulate(side_.begin(), side_.end(), Index{0});
        if (ones == 0 || ones == k_) side_[0] = 1 - side_[0];
        for (Count pass = 0; pass < most_passes; ++pass) {
            find_gains();
            if (make_pass() <= slack_) break;
        }
        const double cut = find_gains();
        if (cut > best_cut_) {
            best_cut_ = cut;
            best_side_ = side_;
        }
    }

    std::vector<Index>& best_side() { return best_side_; }  // both sides occur
    Count steps() const { return steps_; }

   private:
    struct Neighbour {
        Index leaf;
        double weight;  // of the pair
    };

    std::span<const Neighbour> neighbours(Index x) const {
        return std::span(neighbour_).subspan(start_[x], stop_[x] - start_[x]);
    }

    void make_graph(const WeighedRows& triplets, double penalty) {
        start_.assign(k_ + 1, 0);
        for (const Row& row : triplets.rows)
            for (const Index x : row) start_[x + 1] += 2;
        for (Index x = 0; x < k_; ++x) start_[x + 1] += start_[x];
        stop_.assign(start_.begin(), start_.end() - 1);
        neighbour_.resize(6 * triplets.rows.size());
        for (Count t = 0; t < triplets.size(); ++t) {
            watch_.check(0, 6);
            const Row& row = triplets.rows[t];
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    if (i != j) {
                        const double factor = i == 2 || j == 2 ? 0.5 : -0.5 - penalty;
                        neighbour_[stop_[row[i]]++] = {row[j], factor * triplets.weight[t]};
                    }
        }
        // Adds up the weights of one pair. `at` is the place of the neighbour, in another leaf's list if before
        // start[x].
        std::vector<Count> at(k_, -1);
        for (Index x = 0; x < k_; ++x) {
            Count end = start_[x];
            watch_.check(0, stop_[x] - start_[x]);
            for (Count e = start_[x]; e < stop_[x]; ++e) {
                const Neighbour one = neighbour_[e];
                if (at[one.leaf] < start_[x]) {
                    at[one.leaf] = end;
                    neighbour_[end++] = one;
                } else {
                    neighbour_[at[one.leaf]].weight += one.weight;
                }
            }
            stop_[x] = end;
        }
    }

    // Fills in the gain of the cut when each leaf changes sides. Returns the weight of the cut.
    double find_gains() {
        double twice = 0.0;
        for (Index x = 0; x < k_; ++x) {
            watch_.check(0, 1 + stop_[x] - start_[x]);
            gain_[x] = 0.0;
            for (const auto& [y, weight] : neighbours(x)) {
                if (side_[y] == side_[x]) {
                    gain_[x] += weight;
                } else {
                    gain_[x] -= weight;
                    twice += weight;
                }
            }
        }
        return 0.5 * twice;
    }

    // Each leaf changes sides at most once, the one that gains most first. Back to the best cut that was met. Returns
    // its gain.
    //
    // Moves that lose are made, too: the way out of a cut that no single leaf improves leads through worse ones. After
    // `patience` of them without a new best cut the pass ends.
    double make_pass() {
        const Index patience = 50 + k_ / 4;
        heap_.fill();
        Index ones = std::accumulate(side_.begin(), side_.end(), Index{0});
        double gained = 0.0, best = 0.0;
        Index n_kept = 0;
        steps_ += k_;
        for (Index i = 0; i < k_; ++i) {
            const Index x = heap_.pop();
            gained += gain_[x];
            side_[x] = 1 - side_[x];
            ones += 2 * side_[x] - 1;
            moved_[i] = x;
            for (const auto& [y, weight] : neighbours(x)) {
                if (!heap_.has(y)) continue;
                gain_[y] += side_[y] == side_[x] ? 2.0 * weight : -2.0 * weight;
                heap_.renew(y);
            }
            steps_ += stop_[x] - start_[x];
            watch_.check(0, 1 + stop_[x] - start_[x]);
            if (0 < ones && ones < k_ && gained > best) {  // with all leaves on one side it is no split
                best = gained;
                n_kept = i + 1;
            }
            if (i + 1 - n_kept >= patience || i + 1 == k_) {
                for (Index j = i; j >= n_kept; --j) side_[moved_[j]] = 1 - side_[moved_[j]];
                break;
            }
        }
        return best;
    }

    Index k_;
    std::vector<Count> start_, stop_;  // the neighbours of leaf x, once each, are at start[x]..stop[x] - 1
    std::vector<Neighbour> neighbour_;
    std::vector<double> gain_;  // of each leaf: the gain of the cut when it changes sides
    KeyedHeap heap_;            // the leaves that may still move, by gain
    std::vector<Index> side_;
    std::vector<Index> moved_;  // the leaves that have moved in this pass, in order
    std::vector<Index> best_side_;
    double best_cut_ = -std::numeric_limits<double>::infinity();
    double slack_ = 0.0;  // a pass that gains less gains by rounding, and would never end
    Count steps_;
    Interrupts& watch_;
};

// Splits the leaves off one by one, the leaf next to the root first. The ladder displays at least a third of the
// weight.
//
// Each time the leaf leaves whose displayed weight (triplets ab|c of which it is the c), less a third of the weight of
// all its triplets at hand, is greatest: it is at least 0, as the sum of this over all leaves is 0. Time O((k + m) log
// k), memory O(k + m).
inline std::vector<Index> peel(const WeighedRows& triplets, Index k, Interrupts& watch) {
    // three times the weight displayed less a third of all
    const auto share = [&](Count t, int column) { return (column == 2 ? 2.0 : -1.0) * triplets.weight[t]; };
    std::vector<Count> start(k + 1, 0);
    std::vector<double> key(k, 0.0);
    for (Count t = 0; t < triplets.size(); ++t)
        for (int i = 0; i < 3; ++i) {
            ++start[triplets.rows[t][i] + 1];
            key[triplets.rows[t][i]] += share(t, i);
        }
    for (Index x = 0; x < k; ++x) start[x + 1] += start[x];
    std::vector<Count> stop(start.begin(), start.end() - 1), of(3 * triplets.rows.size());
    for (Count t = 0; t < triplets.size(); ++t)
        for (const Index x : triplets.rows[t]) of[stop[x]++] = t;
    Flags alive(triplets.rows.size(), 1);  // all three leaves are left
    KeyedHeap heap(key);
    heap.fill();
    std::vector<Index> order(k);
    for (Index i = 0; i < k; ++i) {
        const Index x = order[i] = heap.pop();
        watch.check(i, 1 + start[x + 1] - start[x]);
        for (Count e = start[x]; e < start[x + 1]; ++e) {
            const Count t = of[e];
            if (!alive[t]) continue;
            alive[t] = 0;
            for (int j = 0; j < 3; ++j) {
                const Index y = triplets.rows[t][j];
                if (y == x) continue;
                key[y] -= share(t, j);  // the triplet is decided, so it no longer counts for its other leaves
                heap.renew(y);
            }
        }
    }
    return order;
}

// The first split of a hierarchy that displays the greatest weight, by dynamic programming over the subsets of few
// leaves. Time O(3^k k + 2^k m), memory O(2^k). Oracle: enumeration in tests/laws/test_repair_laws.py.
//
// A first split (X, Y) of leaves S displays ab|c when a and b are on one side and c is on the other. With a weight of
// w/2 on the pairs ac and bc and of -w/2 on ab, that is w times the sum over the pairs that the split parts: the weight
// that a split displays is the weight of a cut. The subsets X of a set S are gone through by Gray code, one leaf
// changing sides at each step.
class BestSplit {
   public:
    using Set = std::uint32_t;  // of leaves, a bit for each

    BestSplit(const WeighedRows& triplets, Index k)
        : triplets_(triplets), k_(k), best_(std::size_t{1} << k, 0.0), edge_(k * k), member_(k), gain_(k) {}

    // The side of each leaf, 0 or 1. There are at least two leaves.
    std::vector<Index> find(Interrupts& watch) {
        Set side = 0;
        for (Set group = 1; group < best_.size(); ++group) {
            if ((group & (group - 1)) == 0) continue;
            watch.check(group, triplets_.size() + (Count{1} << std::popcount(group)));
            weigh_pairs(group);
            side = split(group);
        }
        std::vector<Index> out(k_);
        for (Index i = 0; i < k_; ++i) out[i] = side >> i & 1;
        return out;
    }

   private:
    double& edge(Index x, Index y) { return edge_[x * k_ + y]; }

    // Fills in the weights of the pairs of leaves in a group, by the triplets inside it, and 0 elsewhere.
    void weigh_pairs(Set group) {
        std::fill(edge_.begin(), edge_.end(), 0.0);
        for (Count t = 0; t < triplets_.size(); ++t) {
            const auto [a, b, c] = triplets_.rows[t];
            const Set bits = Set{1} << a | Set{1} << b | Set{1} << c;
            if ((group & bits) != bits) continue;
            const double half = 0.5 * triplets_.weight[t];
            edge(a, b) -= half;
            edge(b, a) -= half;
            edge(a, c) += half;
            edge(c, a) += half;
            edge(b, c) += half;
            edge(c, b) += half;
        }
    }

    // Finds the greatest weight for the group. Returns the side of the split without its last leaf.
    Set split(Set group) {
        Index size = 0;
        for (Index i = 0; i < k_; ++i)
            if (group >> i & 1) member_[size++] = i;
        // the gain of the cut when member i changes sides. All are on one side to begin with
        for (Index i = 0; i < size; ++i) {
            gain_[i] = 0.0;
            for (Index j = 0; j < size; ++j) gain_[i] += edge(member_[i], member_[j]);
        }
        double top = -1.0, cut = 0.0;
        Set chosen = 0, side = 0;
        for (Set step = 1; step < Set{1} << (size - 1); ++step) {
            const Index i = std::countr_zero(step), x = member_[i];
            side ^= Set{1} << x;
            cut += gain_[i];
            gain_[i] = -gain_[i];
            const Set here = side >> x & 1;
            const double* pair = &edge(x, 0);
            for (Index j = 0; j < size; ++j) {
                const Index y = member_[j];
                const double twice = 2.0 * pair[y];
                if (j != i) gain_[j] += (side >> y & 1) == here ? twice : -twice;
            }
            const double total = best_[side] + best_[group ^ side] + cut;
            if (total > top) {
                top = total;
                chosen = side;
            }
        }
        best_[group] = top;
        return chosen;
    }

    const WeighedRows& triplets_;
    Index k_;
    std::vector<double> best_;   // the greatest weight for each set
    std::vector<double> edge_;   // k x k
    std::vector<Index> member_;  // of the group
    std::vector<double> gain_;   // of each member
};

// Prune and regraft: cuts a subtree off a binary tree and hangs it where most weight is displayed, again and again.
//
// A triplet with two or three leaves in the subtree Q stays displayed or not when Q moves. For ab|c with just a in Q,
// and d the child of the ancestor of b and c that is above b, it is displayed where Q hangs from the branch above d or
// from one below it. With just c in Q, where Q does not hang from a branch below the ancestor of a and b. So each such
// triplet marks one node or two, and the weight displayed is, up to a constant, the sum of the marks from the place to
// the root. Two leaves outside Q meet at the same node wherever Q hangs. So finding the best of all places takes time
// in proportion to the triplets of the leaves in Q and the nodes above the marks, not to the size of the tree. A move
// takes the depth for each triplet of its leaves. Memory O(N log N + m).
class Regrafting {
   public:
    // What a sweep has done.
    struct Sweep {
        Count done = 0;  // so many of the nodes
        double gained = 0.0;
        Count steps = 0, moves = 0;
    };

    // The tree is binary, and the triplets name its leaves 0..n-1.
    Regrafting(Parents parent, Index n, std::vector<Row> rows, std::span<const double> weight, Interrupts& watch)
        : n_(n),
          rows_(std::move(rows)),
          weight_(weight.begin(), weight.end()),
          up_(parent.begin(), parent.end()),
          child_(parent.size(), {none, none}),
          first_(n + 1, 0),
          entry_(3 * rows_.size()),
          meetings_(rows_.size()),
          share_(rows_.size()),
          marks_(parent.size()),
          toward_(parent.size(), none) {
        for (Index u = 0; u < size(); ++u)
            if (up_[u] >= 0) child_[up_[u]][child_[up_[u]][0] >= 0] = u;
        for (const Row& row : rows_)
            for (const Index x : row) ++first_[x + 1];
        for (Index x = 0; x < n; ++x) first_[x + 1] += first_[x];
        std::vector<Count> next(first_.begin(), first_.end() - 1);
        for (std::size_t t = 0; t < rows_.size(); ++t)
            for (int i = 0; i < 3; ++i) entry_[next[rows_[t][i]]++] = 3 * static_cast<Count>(t) + i;
        find_meetings(parent, watch);
    }

    const std::vector<Index>& up() const { return up_; }
    Index size() const { return static_cast<Index>(up_.size()); }

    // Tries the subtrees below the nodes one after the other, except those that are the root at the time, until
    // `max_steps` are taken. Moves each that gains more than `least_gain`. Oracle: each place tried, in
    // tests/unit/test_repair.py.
    Sweep sweep(std::span<const Index> nodes, double least_gain, Count max_steps, Interrupts& watch) {
        Sweep out;
        while (out.done < static_cast<Count>(nodes.size()) && out.steps < max_steps) {
            const Index q = nodes[out.done++];
            watch.check(out.done);
            if (up_[q] >= 0) try_subtree(q, least_gain, out, watch);
        }
        return out;
    }

   private:
    // The last common ancestors of two leaves of a triplet: column i is for the two that are not in column i of the
    // row. `slot` tells which child of it the first of the two is below.
    struct Meetings {
        std::array<Index, 3> node;
        std::array<std::int8_t, 3> slot;
    };
    // The part of a triplet that moves: how many of its leaves are in the subtree, and the sum of their columns. Zeros
    // between two uses.
    struct Share {
        std::int8_t inside = 0, column = 0;
    };
    // The weight gained or lost if the subtree hangs above a node or from any branch below it.
    struct Mark {
        double own = 0.0;                    // 0 between two uses
        double total = 0.0;                  // the sum of the marks of the node and all above it, if it is known
        bool marked = false, known = false;  // false between two uses
    };

    void find_meetings(Parents parent, Interrupts& watch) {
        const LeafIntervals intervals = leaf_intervals(parent, n_);
        const std::vector<Index> gaps = gap_nodes(parent, intervals.stop, n_);
        const auto table = range_maximum_table(gaps);
        const Ancestors ancestors{std::span(intervals.start).first(n_), {table.get(), gaps.size()}};
        for (std::size_t t = 0; t < rows_.size(); ++t) {
            watch.check(0, 3);
            for (int i = 0; i < 3; ++i) {
                const Index x = rows_[t][i == 0], y = rows_[t][i == 2 ? 1 : 2];
                const Index meet = ancestors.common(x, y), left = child_[meet][0], at = intervals.start[x];
                meetings_[t].node[i] = meet;
                meetings_[t].slot[i] = at < intervals.start[left] || at >= intervals.stop[left];
            }
        }
    }

    std::int8_t slot_of(Index u, Index above) const { return child_[above][1] == u; }

    void try_subtree(Index q, double least_gain, Sweep& sweep, Interrupts& watch) {
        touch(q, sweep, watch);
        // prune: q and the node above it, p, are left hanging by themselves
        const Index p = up_[q], beside = child_[p][1 - slot_of(q, p)], g = up_[p];
        up_[beside] = g;
        if (g >= 0) child_[g][slot_of(p, g)] = beside;
        const bool lost = mark_touched();
        auto [place, gain] = best_place(beside, lost, sweep, watch);
        if (gain <= least_gain) place = beside;
        hang(q, place);
        if (place != beside) {
            sweep.gained += gain;
            ++sweep.moves;
            renew_meetings(q, sweep, watch);
        }
        for (const Count t : touched_) share_[t] = {};
    }

    // Lists the triplets with leaves in the subtree q.
    void touch(Index q, Sweep& sweep, Interrupts& watch) {
        touched_.clear();
        stack_.assign(1, q);
        while (!stack_.empty()) {
            const Index u = stack_.back();
            stack_.pop_back();
            ++sweep.steps;
            if (u >= n_) {
                stack_.insert(stack_.end(), child_[u].begin(), child_[u].end());
                continue;
            }
            for (Count e = first_[u]; e < first_[u + 1]; ++e) {
                const Count t = entry_[e] / 3;
                if (share_[t].inside == 0) touched_.push_back(t);
                ++share_[t].inside;
                share_[t].column += static_cast<std::int8_t>(entry_[e] - 3 * t);
            }
            const Count length = first_[u + 1] - first_[u];
            sweep.steps += length;
            watch.check(sweep.done, 1 + length);
        }
    }

    // Adds a weight to the mark of a node.
    void mark(Index v, double weight) {
        marks_[v].own += weight;
        if (!marks_[v].marked) {
            marks_[v].marked = true;
            marked_.push_back(v);
        }
    }

    // Marks the nodes below which the touched triplets are displayed, or lost. Returns whether a triplet is lost where
    // the subtree hangs now.
    bool mark_touched() {
        marked_.clear();
        bool lost = false;
        for (const Count t : touched_) {
            if (share_[t].inside != 1) continue;
            const int k = share_[t].column;
            const std::array<Index, 3>& node = meetings_[t].node;
            // ab|c is lost just if c meets a or b where a and b meet
            lost = lost || node[0] == node[2] || node[1] == node[2];
            const std::array<Index, 2>& below = child_[node[k]];
            if (k == 2) {
                mark(below[0], -weight_[t]);
                mark(below[1], -weight_[t]);
            } else {
                mark(below[meetings_[t].slot[k]], weight_[t]);
            }
        }
        return lost;
    }

    // Fills in the sums of the marks on the way from v up to the root.
    void sum_above(Index v) {
        Index u = v;
        for (; u >= 0 && !marks_[u].known; u = up_[u]) stack_.push_back(u);
        double above = u >= 0 ? marks_[u].total : 0.0;
        for (; !stack_.empty(); stack_.pop_back()) {
            u = stack_.back();
            above += marks_[u].own;
            marks_[u].total = above;
            marks_[u].known = true;
            seen_.push_back(u);
        }
    }

    // The node above which the pruned subtree hangs best, and the gain over `beside`. Leaves no marks.
    std::pair<Index, double> best_place(Index beside, bool lost, Sweep& sweep, Interrupts& watch) {
        Index place = beside;
        double gain = 0.0;
        seen_.clear();
        if (lost) {  // else there is nothing to gain
            sum_above(beside);
            for (const Index u : marked_) sum_above(u);
            // a node that was not seen has the sum of one above it that was: no better
            const double here = marks_[beside].total;
            for (const Index u : seen_)
                if (marks_[u].total - here > gain) {
                    place = u;
                    gain = marks_[u].total - here;
                }
            for (const Index u : seen_) marks_[u].known = false;
        }
        for (const Index u : marked_) {
            marks_[u].own = 0.0;
            marks_[u].marked = false;
        }
        const auto steps = static_cast<Count>(2 * marked_.size() + 3 * seen_.size());
        sweep.steps += steps;
        watch.check(sweep.done, steps);
        return {place, gain};
    }

    // Hangs the pruned subtree q, whose node above is kept, from the branch above v.
    void hang(Index q, Index v) {
        const Index p = up_[q], g = up_[v];
        child_[p][1 - slot_of(q, p)] = v;
        up_[v] = p;
        up_[p] = g;
        if (g >= 0) child_[g][slot_of(v, g)] = p;
    }

    // Brings the meetings of a leaf in q and one outside up to date.
    void renew_meetings(Index q, Sweep& sweep, Interrupts& watch) {
        for (Index v = q, u = up_[q]; u >= 0; v = u, u = up_[u]) toward_[u] = slot_of(v, u);
        for (const Count t : touched_) {
            if (share_[t].inside == 3) continue;
            // the leaf that is alone on its side of q's edge: each of the other two meets it across. If two columns
            // are inside, the sum tells the third one
            const bool one_inside = share_[t].inside == 1;
            const int k = one_inside ? share_[t].column : 3 - share_[t].column;
            for (int j = 0; j < 3; ++j) {
                if (j == k) continue;
                Index x = one_inside ? rows_[t][j] : rows_[t][k];  // the leaf outside
                Index came = x;
                Count climbed = 0;
                for (; toward_[x] < 0; ++climbed) {
                    came = x;
                    x = up_[x];
                }
                sweep.steps += climbed;
                watch.check(sweep.done, 1 + climbed);
                const bool first_outside = (j < k) == one_inside;
                const int opposite = 3 - j - k;
                meetings_[t].node[opposite] = x;
                meetings_[t].slot[opposite] = first_outside ? slot_of(came, x) : toward_[x];
            }
        }
        for (Index u = up_[q]; u >= 0; u = up_[u]) {
            toward_[u] = none;
            ++sweep.steps;
        }
    }

    Index n_;
    std::vector<Row> rows_;
    std::vector<double> weight_;
    // the tree
    std::vector<Index> up_;
    std::vector<std::array<Index, 2>> child_;  // `none` below leaves
    // the triplets of each leaf: 3 t + i in the list of leaf rows[t][i]
    std::vector<Count> first_;
    std::vector<Count> entry_;
    std::vector<Meetings> meetings_;
    // for the subtree that is tried
    std::vector<Count> touched_;        // the triplets with leaves in it
    std::vector<Share> share_;          // of each triplet
    std::vector<Mark> marks_;           // of each node
    std::vector<Index> marked_, seen_;  // the nodes that are marked, and those with a known sum
    std::vector<std::int8_t> toward_;   // which child of each node above it leads to it, else `none`
    std::vector<Index> stack_;
};

}  // namespace tripletree
