// Division from the top: a base tree is split in two again and again, by votes of triplets under a prior on the tree.
//
// At a set of leaves each gets a label, 0 or 1. Triplets inside the set vote: `reward` where the split displays ab|c,
// `-penalty` where it parts a and b, 0 where all three stay together and a later split decides. The prior is a Markov
// field on the base tree, restricted to the set: along an edge the label changes with probability `change`, and the two
// children of the root know nothing of each other. So a whole subtree changes sides for the price of one edge.
//
// Labels are found by mean field for the votes and exact sums on the tree, from the splits that the top of the tree
// shows. Leaves that must stay together (hard triplets, must-links) move as one. Hard triplets, whose weight is
// infinite, hold in the end whatever the split. So they do not vote each, but each block of leaves votes to be parted
// from those that it is told from (`told_apart`): how often a clade is told from its siblings depends on how a
// hierarchy is written down.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree::division {

constexpr int most_sweeps = 20;      // of mean field
constexpr std::size_t n_starts = 7;  // splits to begin with
constexpr double sure = 30.0;        // log-odds of a label that is certain
constexpr double infinite = std::numeric_limits<double>::infinity();

// A binary tree on n leaves: entry i makes node n + i of two nodes before it. The last one is the root. Entries stand
// in the order of heights, so the top of the tree is at the end.
using Fork = std::array<Index, 2>;
using BinaryTree = std::vector<Fork>;

inline Index leaves_of(const BinaryTree& tree) {
    return static_cast<Index>(tree.size()) + 1;
}

// Statements on a set of leaves, numbered from 0.
struct Statements {
    std::vector<Triplet> rows;
    std::vector<double> weight;  // of the triplets: infinite if hard, which keeps a and b together until c is gone
    std::vector<Fork> apart;     // cannot-links
};

struct Costs {
    double reward, penalty, change;
};

// Odds of label 1.
struct Field {
    Field(Index n, Index n_blocks)
        : p(n), votes(n), sums(n_blocks), up(2 * n - 1), message(2 * n - 1), odds(2 * n - 1) {}
    std::vector<double> p;        // the probability at each leaf
    std::vector<double> votes;    // log-odds by the votes
    std::vector<double> sums;     // over blocks
    std::vector<double> up;       // of each node, by the leaves below it
    std::vector<double> message;  // the same at the other end of the edge above
    std::vector<double> odds;     // by everything
};

// ---------------------------------------------------------------------- the field on the tree

// x^k by squaring. (A library's `pow` rounds otherwise.)
inline double power(double x, Index k) {
    double out = 1.0;
    for (; k > 0; k >>= 1, x *= x)
        if (k & 1) out *= x;
    return out;
}

// The odds of a label at the other end of an edge. (1 + stay) / 2 is the probability of no change.
inline double through(double odds, double stay) {
    return ((1.0 + stay) * odds + 1.0 - stay) / ((1.0 - stay) * odds + 1.0 + stay);
}

// Odds of label 1 at all nodes. At first up[:n] holds the odds that each leaf has by itself.
inline void find_marginals(const BinaryTree& tree, const std::vector<double>& stay, double at_root, Field& field) {
    const Index n = leaves_of(tree);
    auto& [p, votes, sums, up, message, odds] = field;
    for (Index v = 0; v < n; ++v) message[v] = through(up[v], stay[v]);
    for (Index v = n; v < 2 * n - 2; ++v) {
        up[v] = message[tree[v - n][0]] * message[tree[v - n][1]];
        message[v] = through(up[v], stay[v]);
    }
    const auto [a, b] = tree[n - 2];
    odds[a] = up[a] * through(up[b], at_root);
    odds[b] = up[b] * through(up[a], at_root);
    for (Index v = 2 * n - 3; v >= n; --v)
        for (const Index w : tree[v - n]) odds[w] = up[w] * through(odds[v] / message[w], stay[w]);
}

// The least price of the changes of label on the tree whose leaves have these labels. The top costs nothing.
inline double least_price(const BinaryTree& tree, const Flags& side, bool is_top, double price,
                          std::vector<std::array<double, 2>>& best) {
    const Index n = leaves_of(tree);
    for (Index v = 0; v < n; ++v) best[v] = side[v] ? std::array{infinite, 0.0} : std::array{0.0, infinite};
    for (Index v = n; v < 2 * n - 2; ++v) {
        const auto &a = best[tree[v - n][0]], &b = best[tree[v - n][1]];
        for (const int k : {0, 1}) best[v][k] = std::min(a[k], a[1 - k] + price) + std::min(b[k], b[1 - k] + price);
    }
    const auto &a = best[tree[n - 2][0]], &b = best[tree[n - 2][1]];
    const double same = std::min(a[0] + b[0], a[1] + b[1]), differ = std::min(a[0] + b[1], a[1] + b[0]);
    return is_top ? std::min(same, differ) : std::min(same, differ + price);
}

// ---------------------------------------------------------------------- one split

// What votes on a split.
struct Votes {
    Statements known;
    std::vector<Index> block;  // of each leaf: leaves of one block stay together
    std::vector<Index> size;   // of the blocks
    const Costs& costs;
};

// Log-odds that the labels of the others give each leaf.
inline void vote(const Votes& votes, const std::vector<double>& p, std::vector<double>& out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t t = 0; t < votes.known.rows.size(); ++t) {
        const auto [a, b, c] = votes.known.rows[t];
        const double weight = votes.known.weight[t];
        const double reward = weight * votes.costs.reward, penalty = weight * votes.costs.penalty;
        out[a] += (p[b] - p[c]) * reward + (2.0 * p[b] - 1.0) * penalty;
        out[b] += (p[a] - p[c]) * reward + (2.0 * p[a] - 1.0) * penalty;
        out[c] += (1.0 - p[a] - p[b]) * reward;
    }
    for (const auto [a, b] : votes.known.apart) {
        out[a] += (1.0 - 2.0 * p[b]) * votes.costs.reward;
        out[b] += (1.0 - 2.0 * p[a]) * votes.costs.reward;
    }
}

// The votes on a split.
inline double score(const Votes& votes, const Flags& side) {
    double total = 0.0;
    for (std::size_t t = 0; t < votes.known.rows.size(); ++t) {
        const auto [a, b, c] = votes.known.rows[t];
        if (side[a] != side[b])
            total -= votes.known.weight[t] * votes.costs.penalty;
        else if (side[a] != side[c])
            total += votes.known.weight[t] * votes.costs.reward;
    }
    for (const auto [a, b] : votes.known.apart)
        if (side[a] != side[b]) total += votes.costs.reward;
    return total;
}

// Gives each block of leaves the label that most of its leaves have. Returns whether both labels occur then.
inline bool decide_by_majority(const Votes& votes, std::vector<double>& sums, Flags& side) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < side.size(); ++i) sums[votes.block[i]] += side[i] ? 1.0 : -1.0;
    std::size_t ones = 0;
    for (std::size_t i = 0; i < side.size(); ++i) ones += side[i] = sums[votes.block[i]] > 0.0;
    return 0 < ones && ones < side.size();
}

// Mean field from the probabilities p, annealed. The labels that come out are odds > 1.
inline void settle(const BinaryTree& tree, const std::vector<double>& stay, double at_root, const Votes& known,
                   Field& field) {
    const auto &block = known.block, &size = known.size;
    auto& [p, votes, sums, up, message, odds] = field;
    const std::size_t n = p.size();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const double beta = std::min(1.0, 0.3 + 0.7 * sweep / (0.6 * most_sweeps));
        vote(known, p, votes);
        // a block has the votes of all its leaves
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) sums[block[i]] += votes[i];
        for (std::size_t i = 0; i < n; ++i) {
            votes[i] = std::clamp(sums[block[i]] * beta, -sure, sure);
            up[i] = std::exp(votes[i]);
        }
        find_marginals(tree, stay, at_root, field);
        // and how the tree judges each of them
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i)
            if (size[block[i]] > 1) sums[block[i]] += std::log(odds[i]) - votes[i];
        double change = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (size[block[i]] > 1) odds[i] = std::exp(std::clamp(votes[i] + sums[block[i]], -sure, sure));
            const double now = odds[i] / (1.0 + odds[i]);
            change = std::max(change, std::abs(now - p[i]));
            p[i] = 0.5 * (p[i] + now);
        }
        if (change < 1e-4 && beta >= 1.0) break;
    }
}

// The tree on some leaves alone.
struct Heard {
    BinaryTree tree;
    std::vector<Index> edges;  // of the whole tree above each node of this one
    std::vector<Index> leaf;   // these leaves
    bool is_top;               // the root is that of the whole tree
};

inline Heard heard(const BinaryTree& tree, const Flags& wanted) {
    const Index k = leaves_of(tree);
    std::vector<Index> number(2 * k - 1, none), above(2 * k - 1, 0);
    Heard out;
    for (Index i = 0; i < k; ++i)
        if (wanted[i]) {
            number[i] = static_cast<Index>(out.leaf.size());
            out.leaf.push_back(i);
        }
    auto next = static_cast<Index>(out.leaf.size());
    out.edges.assign(2 * next - 1, 0);
    out.tree.reserve(next - 1);
    for (Index v = k; v < 2 * k - 1; ++v) {
        const auto [left, right] = tree[v - k];
        const Index a = number[left], b = number[right];
        if (a != none && b != none) {
            out.tree.push_back({a, b});
            out.edges[a] = above[left] + 1, out.edges[b] = above[right] + 1;
            number[v] = next++;
        } else if (a != none) {
            number[v] = a, above[v] = above[left] + 1;
        } else if (b != none) {
            number[v] = b, above[v] = above[right] + 1;
        }
    }
    out.is_top = above[2 * k - 2] == 0;
    return out;
}

// Marks the leaves below v.
inline void mark_below(const BinaryTree& tree, Index v, Flags& side) {
    const Index n = leaves_of(tree);
    std::fill(side.begin(), side.end(), 0);
    std::vector<Index> stack{v};
    while (!stack.empty()) {
        const Index u = stack.back();
        stack.pop_back();
        if (u < n)
            side[u] = 1;
        else
            stack.insert(stack.end(), tree[u - n].begin(), tree[u - n].end());
    }
}

// Nodes whose clades are splits to begin with: a child of the root, the highest inner nodes and their children.
inline std::vector<Index> starts(const BinaryTree& tree) {
    const Index n = leaves_of(tree);
    std::vector<Index> nodes{tree[n - 2][0]};
    for (Index v = 2 * n - 3; v >= n && nodes.size() < n_starts; --v)
        for (const Index w : {v, tree[v - n][0], tree[v - n][1]})
            if (w >= n && nodes.size() < n_starts && std::find(nodes.begin(), nodes.end(), w) == nodes.end())
                nodes.push_back(w);
    return nodes;
}

// Labels of the leaves: the best of votes less price that is found. They are all alike only below the top.
inline Flags best_split(const Heard& set, const Votes& known) {
    const BinaryTree& tree = set.tree;
    const Index n = leaves_of(tree), n_blocks = static_cast<Index>(known.size.size());
    const double change = known.costs.change, price = std::log((1.0 - change) / change);
    std::vector<double> stay(2 * n - 1);
    for (Index v = 0; v < 2 * n - 1; ++v) stay[v] = power(1.0 - 2.0 * change, set.edges[v]);
    const double at_root = set.is_top ? 0.0 : stay[tree[n - 2][0]] * stay[tree[n - 2][1]];
    Field field(n, n_blocks);
    std::vector<std::array<double, 2>> least(2 * n - 1);
    Flags side(n, 0), best(n, 0);
    if (!set.is_top && known.known.rows.empty() && known.known.apart.empty()) return best;
    double top = set.is_top ? -infinite : 0.0;
    const auto try_side = [&] {
        if (!decide_by_majority(known, field.sums, side)) return;
        const double value = score(known, side) - least_price(tree, side, set.is_top, price, least);
        if (value > top + 1e-9) top = value, best = side;
    };
    for (const Index v : starts(tree)) {
        mark_below(tree, v, side);
        for (Index i = 0; i < n; ++i) field.p[i] = side[i] ? 0.85 : 0.15;
        try_side();
        settle(tree, stay, at_root, known, field);
        for (Index i = 0; i < n; ++i) side[i] = field.odds[i] > 1.0;
        try_side();
    }
    if (top == -infinite) {
        // every start was one-sided: the block goes that most triplets see outside, for its size
        std::vector<double> tally(n_blocks, 0.0);
        for (std::size_t t = 0; t < known.known.rows.size(); ++t)
            tally[known.block[known.known.rows[t].c]] += known.known.weight[t];
        for (Index x = 0; x < n_blocks; ++x) tally[x] /= known.size[x];
        tally[std::max_element(known.size.begin(), known.size.end()) - known.size.begin()] = -1.0;
        const auto chosen = std::max_element(tally.begin(), tally.end()) - tally.begin();
        for (Index i = 0; i < n; ++i) best[i] = known.block[i] == chosen;
    }
    return best;
}

// Labels of all leaves, given some of them: the labels that are likely on the tree. A branch without any of them goes
// with its parent. Below the root it goes against the other branch.
inline Flags labelled(const BinaryTree& tree, const std::vector<Index>& leaf, const Flags& label, double change) {
    const Index k = leaves_of(tree), root = 2 * k - 2;
    const std::vector<double> stay(2 * k - 1, 1.0 - 2.0 * change);
    Field field(k, 0);
    std::fill(field.up.begin(), field.up.end(), 1.0);
    Flags has(2 * k - 1, 0), side(2 * k - 1, 0);
    for (std::size_t i = 0; i < leaf.size(); ++i) {
        field.up[leaf[i]] = std::exp(label[i] ? sure : -sure);
        has[leaf[i]] = 1;
    }
    for (Index v = k; v <= root; ++v) has[v] = has[tree[v - k][0]] || has[tree[v - k][1]];
    find_marginals(tree, stay, 0.0, field);
    for (Index v = 0; v < root; ++v) side[v] = field.odds[v] > 1.0;
    for (Index v = root; v >= k; --v) {
        const auto [a, b] = tree[v - k];
        if (!has[a]) side[a] = v < root ? side[v] : !side[b];
        if (!has[b]) side[b] = v < root ? side[v] : !side[a];
    }
    for (std::size_t i = 0; i < leaf.size(); ++i) side[leaf[i]] = label[i];
    side.resize(k);
    return side;
}

// Marks the leaves of the highest clade that has no wanted one.
inline Flags highest_without(const BinaryTree& tree, const Flags& wanted) {
    const Index k = leaves_of(tree);
    Flags has(wanted), side(k);
    has.resize(2 * k - 1);
    Index top = none;
    for (Index v = 0; v < 2 * k - 1; ++v) {
        if (v >= k) has[v] = has[tree[v - k][0]] || has[tree[v - k][1]];
        if (!has[v]) top = v;
    }
    if (top == none) throw std::invalid_argument("hard triplets must not contradict each other");
    mark_below(tree, top, side);
    return side;
}

// In place of the hard triplets one for each two blocks of which they tell the one from the other, and what it weighs.
// Those of a block weigh its size less 1 in all, the fewest that tie it together, and name its first leaves. So they
// are the same for all sets of triplets that imply the same. The other triplets follow them. Where the base tree has
// named leaves on one side of its top only, they can all stay together: hard triplets do not ask to be parted sooner.
inline void told_apart(Statements& known, const std::vector<Index>& block, const std::vector<Index>& size,
                       bool is_top) {
    const auto n_blocks = static_cast<Index>(size.size());
    std::vector<Index> first(n_blocks, none), second(n_blocks, none), start(n_blocks + 1, 0), seen(n_blocks, none);
    for (std::size_t i = 0; i < block.size(); ++i) {
        const Index x = block[i];
        if (first[x] == none)
            first[x] = static_cast<Index>(i);
        else if (second[x] == none)
            second[x] = static_cast<Index>(i);
    }
    Statements soft;
    for (std::size_t t = 0; t < known.rows.size(); ++t) {
        if (known.weight[t] == infinite)
            ++start[block[known.rows[t].a] + 1];
        else
            soft.rows.push_back(known.rows[t]), soft.weight.push_back(known.weight[t]);
    }
    if (!is_top) {
        known = std::move(soft);
        return;
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<Index> place(start), other(start.back());
    for (std::size_t t = 0; t < known.rows.size(); ++t)
        if (known.weight[t] == infinite) other[place[block[known.rows[t].a]]++] = block[known.rows[t].c];
    known.rows.clear(), known.weight.clear();
    for (Index x = 0; x < n_blocks; ++x) {
        const std::size_t begin = known.rows.size();
        for (Index e = start[x]; e < start[x + 1]; ++e) {
            const Index y = other[e];
            if (y == x || seen[y] == x) continue;
            seen[y] = x;
            known.rows.push_back({first[x], second[x], first[y]});
        }
        const auto count = static_cast<double>(known.rows.size() - begin);
        known.weight.resize(known.rows.size(), (size[x] - 1.0) / count);
    }
    known.rows.insert(known.rows.end(), soft.rows.begin(), soft.rows.end());
    known.weight.insert(known.weight.end(), soft.weight.begin(), soft.weight.end());
}

// A set of leaves that is to be split.
struct Part {
    std::vector<Index> leaves;  // below they are numbered in this order
    BinaryTree tree;            // the base tree restricted to them
    Statements known;           // what is said of them alone
    std::vector<Index> group;   // the first member of each leaf's must-linked group
    Index above;                // the node whose child this set is
};

// Labels of the leaves of a set, 0 or 1 for the two sides.
inline Flags split(const Part& part, const Costs& costs) {
    const Index k = leaves_of(part.tree);
    DisjointSets ties(k);
    const auto tie = [&](Index x, Index y) {
        x = ties.find(x), y = ties.find(y);
        if (x != y) ties.hang(std::max(x, y), std::min(x, y));
        return x != y;
    };
    Flags wanted(k, 0);
    for (Index i = 0; i < k; ++i)
        if (tie(i, part.group[i])) wanted[i] = wanted[part.group[i]] = 1;
    bool has_hard = false;
    for (std::size_t t = 0; t < part.known.rows.size(); ++t) {
        const auto [a, b, c] = part.known.rows[t];
        wanted[a] = wanted[b] = wanted[c] = 1;
        if (part.known.weight[t] == infinite) tie(a, b), has_hard = true;
    }
    for (const auto [a, b] : part.known.apart) wanted[a] = wanted[b] = 1;
    const Heard set = heard(part.tree, wanted);
    std::vector<Index> number(k), first(k, none), block, size;
    for (const Index x : set.leaf) {
        number[x] = static_cast<Index>(block.size());
        Index& its_block = first[ties.find(x)];
        if (its_block == none) its_block = static_cast<Index>(size.size()), size.push_back(0);
        ++size[its_block];
        block.push_back(its_block);
    }
    if (size.size() == 1) return highest_without(part.tree, wanted);
    if (set.is_top && size.size() == 2) {
        // the only split there is: on deep hierarchies nearly all are of this kind
        return labelled(part.tree, set.leaf, Flags(block.begin(), block.end()), costs.change);
    }
    Votes votes{part.known, block, size, costs};
    for (auto& [a, b, c] : votes.known.rows) a = number[a], b = number[b], c = number[c];
    for (auto& [a, b] : votes.known.apart) a = number[a], b = number[b];
    if (has_hard) told_apart(votes.known, block, size, set.is_top);
    return labelled(part.tree, set.leaf, best_split(set, votes), costs.change);
}

// ---------------------------------------------------------------------- all splits

// The trees on the leaves of either side. Leaves are numbered in order.
inline std::array<BinaryTree, 2> restricted(const BinaryTree& tree, const Flags& side) {
    const auto k = static_cast<Index>(side.size());
    std::array<std::vector<Index>, 2> number;
    std::array<Index, 2> next{0, 0};
    std::array<BinaryTree, 2> out;
    for (auto& of_side : number) of_side.assign(2 * k - 1, none);
    for (Index i = 0; i < k; ++i) number[side[i]][i] = next[side[i]]++;
    for (const int s : {0, 1}) {
        out[s].reserve(std::max(next[s] - 1, 0));
        for (Index v = k; v < 2 * k - 1; ++v) {
            const Index a = number[s][tree[v - k][0]], b = number[s][tree[v - k][1]];
            if (a != none && b != none) {
                out[s].push_back({a, b});
                number[s][v] = next[s]++;
            } else {
                number[s][v] = std::max(a, b);
            }
        }
    }
    return out;
}

// The two sides of a set of leaves, with what is said of either alone.
inline std::array<Part, 2> divided(const Part& part, const Flags& side, Index node) {
    std::array<Part, 2> out;
    const auto k = static_cast<Index>(side.size());
    std::vector<Index> number(k);
    for (Index i = 0; i < k; ++i) {
        number[i] = static_cast<Index>(out[side[i]].leaves.size());
        out[side[i]].leaves.push_back(part.leaves[i]);
    }
    auto trees = restricted(part.tree, side);
    for (const int s : {0, 1}) out[s].tree = std::move(trees[s]), out[s].above = node;
    // a group whose members are parted is the whole set, and its members are on their own from now on
    for (Index i = 0; i < k; ++i) out[side[i]].group.push_back(number[part.group[i]]);
    for (std::size_t t = 0; t < part.known.rows.size(); ++t) {
        const auto [a, b, c] = part.known.rows[t];
        if (side[a] != side[b] || side[a] != side[c]) continue;
        out[side[a]].known.rows.push_back({number[a], number[b], number[c]});
        out[side[a]].known.weight.push_back(part.known.weight[t]);
    }
    for (const auto [a, b] : part.known.apart)
        if (side[a] == side[b]) out[side[a]].known.apart.push_back({number[a], number[b]});
    return out;
}

// Splits sets of leaves until all are single. Returns the parent of each node of the tree that this makes.
inline std::vector<Index> divide(Part whole, const Costs& costs, Interrupts& watch) {
    const auto n = static_cast<Index>(whole.leaves.size());
    std::vector<Index> parent(2 * n - 1, none);
    Index next = 2 * n - 1;
    Count done = 0;
    std::vector<Part> waiting;
    waiting.push_back(std::move(whole));
    while (!waiting.empty()) {
        Part part = std::move(waiting.back());
        waiting.pop_back();
        const auto k = static_cast<Index>(part.leaves.size());
        watch.check(done, 100 * (k + static_cast<Count>(part.known.rows.size())));
        if (k == 1) {
            parent[part.leaves[0]] = part.above;
            ++done;
            continue;
        }
        // one group that is the whole set says nothing
        const bool is_one =
            std::all_of(part.group.begin(), part.group.end(), [&](Index x) { return x == part.group[0]; });
        if (is_one) std::iota(part.group.begin(), part.group.end(), 0);
        bool is_tied = false;
        for (Index i = 0; i < k; ++i) is_tied = is_tied || part.group[i] != i;
        if (part.known.rows.empty() && part.known.apart.empty() && !is_tied) {
            // nothing is known inside: as the base tree has it
            std::vector<Index> nodes(part.leaves);
            nodes.resize(2 * k - 1);
            for (Index v = 2 * k - 2; v >= k; --v) nodes[v] = --next;
            parent[nodes[2 * k - 2]] = part.above;
            for (Index v = 0; v + 1 < k; ++v)
                for (const Index w : part.tree[v]) parent[nodes[w]] = nodes[k + v];
            done += k;
            continue;
        }
        const Index node = --next;
        parent[node] = part.above;
        auto sides = divided(part, split(part, costs), node);
        for (auto& side : sides) {
            if (side.leaves.empty()) throw std::invalid_argument("a split has an empty side");
            waiting.push_back(std::move(side));
        }
    }
    return parent;
}

}  // namespace tripletree::division
