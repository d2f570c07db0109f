// Markov chain Monte Carlo over rooted binary trees: features evolve along the branches, and triplets vote.
//
// Each feature is a Brownian motion along the tree, with noise at the leaves. Its differences between sister clades
// (contrasts, Felsenstein 1973) are then independent, and a change of the tree changes those on the paths to the root
// only. Heights have the prior of a Yule tree or of a coalescent one, half each, whose rates are integrated out. Steps
// are accepted by the rule of Metropolis and Hastings. All random numbers are handed in, so the chain is the same
// however it is cut into parts.
//
// A triplet is worth 1 if the tree displays it, else 0 (`sharpness` is infinite). Or it is the reply of a person who
// tells the odd one of three less surely the closer the heights are at which the three meet. Two leaves that meet at
// height h are alike by 1 / h^s, where s is the sharpness, and a pair is named as the one that stays together in
// proportion to its likeness (Luce 1959). A share of the replies is wrong whatever the heights are. Then the triplet is
// worth the logarithm of the chance of the reply.
//
// Nodes are numbered: n leaves, then inner nodes in any order. Heights grow strictly towards the root. A step takes
// O(depth * d) time, plus the nodes that a height passes, plus the triplets that name a leaf of a clade that moves, if
// the step may still be accepted. The caller is `cluster/posterior.py`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

class TreeWalk {
   public:
    using Draws = std::array<double, 8>;  // random numbers in [0, 1) for one step

    struct Node {
        Index parent = none;
        Index child[2] = {none, none};
        Index size = 0;   // leaves below
        Index place = 0;  // of an inner node in `order`
        double height = 0;
        double variance = 0;  // of the means of the features, given the leaves below
        double log = 0;       // log-likelihood of the contrasts
    };

    struct State {
        double length = 0;  // the sum of all heights, the root's twice: for the prior of a Yule tree
        double pairs = 0;  // the integral of the number of pairs of lineages over height: for that of a coalescent tree
        double fit = 0;    // log-likelihood of the features
        double votes = 0;  // weighted sum of the worth of the triplets
        double noise = 0;  // variance at the leaves
        double sharpness = infinite;  // of people. Infinite if only the order of the heights counts
        double wrong = 0;  // share of replies that are wrong whatever the heights are, if sharpness is finite
    };

    // A binary tree, the height of each node, coordinates of the leaves, `near` leaves for each, and a first noise. Two
    // entries of `child` are the children of an inner node. `shape` is log((n - 1)! / 2^(n - 1)), by which the constant
    // of the coalescent's prior exceeds that of Yule's.
    TreeWalk(const Index* child, const double* height, Index n, const double* points, Count d, std::vector<Index> near,
             double noise, double shape)
        : n_(n),
          d_(d),
          shape_(shape),
          nodes_(2 * n - 1),
          order_(n - 1),
          mean_(nodes_.size() * d, 0.0),
          near_(std::move(near)),
          n_near_(static_cast<Index>(near_.size()) / n),
          start_(n + 1, 0),
          kept_mean_((n - 1) * d) {
        state_.noise = noise;
        std::copy(points, points + n * d, mean_.begin());
        for (Index v = 0; v < 2 * n - 1; ++v) nodes_[v].height = height[v];
        for (Index u = n; u < 2 * n - 1; ++u)
            for (const int k : {0, 1}) {
                nodes_[u].child[k] = child[2 * (u - n) + k];
                nodes_[nodes_[u].child[k]].parent = u;
            }
        std::iota(order_.begin(), order_.end(), n);
        std::stable_sort(order_.begin(), order_.end(), [&](Index u, Index v) { return height[u] < height[v]; });
        for (Index r = 0; r < n - 1; ++r) nodes_[order_[r]].place = r;
    }

    // Goes on with other triplets, from the tree reached so far. Those of infinite weight must hold, as they do in it.
    void hear(std::vector<Triplet> rows, std::vector<double> weight, Interrupts& watch) {
        rows_ = std::move(rows), weight_ = std::move(weight);
        worth_.assign(rows_.size(), 0.0), stamp_.assign(rows_.size(), 0), told_.assign(3 * rows_.size(), 0);
        std::fill(start_.begin(), start_.end(), 0);
        step_ = 0;
        for (const auto& row : rows_)
            for (const Index x : {row.a, row.b, row.c}) ++start_[x + 1];
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        std::vector<Index> place(start_.begin(), start_.end() - 1);
        for (std::size_t t = 0; t < rows_.size(); ++t)
            for (const Index x : {rows_[t].a, rows_[t].b, rows_[t].c}) told_[place[x]++] = static_cast<Index>(t);
        begin(watch);
    }

    // Computes sizes, the worth of the triplets, the likelihood and the sums of the prior anew: those that change by
    // small steps lose digits.
    void begin(Interrupts& watch) {
        for (Node& node : nodes_) node.size = 0;
        for (Index i = 0; i < n_; ++i) resize(i, 1);
        state_.votes = 0.0;
        for (std::size_t t = 0; t < rows_.size(); ++t) {
            watch.check(static_cast<Count>(t), 64);
            worth_[t] = worth(rows_[t]);
            if (weight_[t] < infinite) state_.votes += weight_[t] * worth_[t];
        }
        state_.length = nodes_[order_.back()].height;
        state_.pairs = 0.0;
        for (Index r = 0; r < n_ - 1; ++r) {
            const double height = nodes_[order_[r]].height;
            state_.length += height;
            state_.pairs += height * (n_ - 1 - r);
        }
        state_.fit = all_contrasts(state_.noise);
    }

    // Proposes to multiply all heights, and then the noise. `power` is as in `walk`.
    void rescale(double power, const std::array<std::array<double, 2>, 2>& draws) {
        for (const int what : {0, 1}) {
            const bool is_heights = what == 0;
            const double step = (draws[what][0] - 0.5) * (is_heights ? scale : blur), factor = std::exp(step);
            double gain = step, noise = state_.noise;
            if (is_heights) {
                if (!(nodes_[order_.back()].height * factor < greatest)) continue;
                for (Index u = n_; u < 2 * n_ - 1; ++u) nodes_[u].height *= factor;
                const double before = prior(state_.length, state_.pairs);
                const double after = prior(state_.length * factor, state_.pairs * factor);
                gain = (n_ - 1) * step + after - before;
            } else {
                noise *= factor;
            }
            const double log = all_contrasts(noise);
            if (std::log(1.0 - draws[what][1]) < gain + power * (log - state_.fit)) {
                state_.fit = log, state_.noise = noise;
                if (is_heights) state_.length *= factor, state_.pairs *= factor;
            } else {
                if (is_heights)
                    for (Index u = n_; u < 2 * n_ - 1; ++u) nodes_[u].height /= factor;
                state_.fit = all_contrasts(state_.noise);
            }
        }
    }

    // Takes one step for each row of draws. Half of the steps regraft a clade: a random leaf, then some levels up,
    // beside a leaf near to it or any. Others swap a clade with its uncle, or change the height of a node.
    //
    // `power` is the exponent of the likelihood of the features, `price` the log-odds of a triplet that is displayed, 1
    // if the sharpness is finite. Returns how many steps were accepted.
    Count walk(double power, double price, const Draws* draws, Count n_steps, Interrupts& watch) {
        const bool is_graded = state_.sharpness != infinite;
        double prior_now = prior(state_.length, state_.pairs);
        root_ = lineage(0, infinite);
        Count taken = 0;
        for (Count k = 0; k < n_steps; ++k) {
            watch.check(k, 16 * d_ + 64);
            ++step_;
            Proposal move;
            if (!propose(draws[k], move)) continue;
            // the step is taken on trial: the tree and the contrasts above change, the old ones are kept
            Node& u = nodes_[move.u];
            const double old = u.height;
            double length = state_.length, pairs = state_.pairs, after = prior_now, gain = move.gain;
            if (move.height != old) {
                length += (move.height - old) * (move.u == root_ ? 2.0 : 1.0);
                pairs += more_pairs(move.u, move.height);
                after = prior(length, pairs);
            }
            const Index sister_above = u.parent;
            const bool is_regraft = move.kind == Kind::regraft && move.j != move.sister;
            if (is_regraft)
                regraft(move.i, move.j);
            else if (move.kind == Kind::swap)
                swap(move.i, move.j);
            u.height = move.height;
            const double more = update(move.u, is_regraft ? sister_above : none);
            gain += power * more + after - prior_now;
            // Only triplets with a leaf in a moved clade, or with three leaves that meet at a new height, can change.
            // They must be worth `needed` for the step to stay. Leaves that meet at u are on either side of it: one is
            // enough.
            double votes = 0.0;
            const double needed = std::log(1.0 - draws[k][7]) - gain;
            named_.clear(), fresh_.clear();
            if (!rows_.empty() && (is_regraft || move.kind == Kind::swap || is_graded)) {
                if (move.kind == Kind::height) {
                    const auto [a, b] = u.child;
                    move.i = nodes_[a].size < nodes_[b].size ? a : b;
                }
                list_named(move.i);
                if (move.kind == Kind::swap) list_named(move.j);
                votes = turned(price, needed);
            }
            if (needed < gain_of(price, votes)) {
                state_.length = length, state_.pairs = pairs, prior_now = after;
                state_.fit += more, state_.votes += votes;
                for (std::size_t e = 0; e < fresh_.size(); ++e) worth_[named_[e]] = fresh_[e];
                if (move.height != old) reorder(move.u);
                ++taken;
                continue;
            }
            for (std::size_t e = 0; e < path_.size(); ++e) {  // undo
                const Kept& kept = path_[e];
                nodes_[kept.node].variance = kept.variance, nodes_[kept.node].log = kept.log;
                std::copy_n(kept_mean_.begin() + e * d_, d_, mean_.begin() + kept.node * d_);
            }
            if (is_regraft)
                regraft(move.i, move.sister);
            else if (move.kind == Kind::swap)
                swap(move.j, move.i);
            u.height = old;
        }
        return taken;
    }

    // Of each triplet whether it is displayed, and the lower height at which its leaves meet, divided by the upper one.
    // O(m depth).
    void relations(Flags& is_displayed, std::vector<double>& ratio, Interrupts& watch) const {
        for (const auto& row : rows_) {
            watch.check(static_cast<Count>(ratio.size()), 64);
            const auto [displayed, ratio_of_row] = relation(row);
            is_displayed.push_back(displayed), ratio.push_back(ratio_of_row);
        }
    }

    // Gives people another sharpness and share of wrong replies, and each triplet the worth that goes with them.
    void believe(double sharpness, double wrong, std::vector<double> worth, double votes) {
        state_.sharpness = sharpness, state_.wrong = wrong, state_.votes = votes;
        worth_ = std::move(worth);
    }

    // Multiplies all heights. `begin` has to follow.
    void multiply_heights(double factor) {
        for (Index u = n_; u < 2 * n_ - 1; ++u) nodes_[u].height *= factor;
    }

    Index n_leaves() const { return n_; }
    Count n_features() const { return d_; }
    const State& state() const { return state_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<Index>& order() const { return order_; }  // the inner nodes by height
    const std::vector<double>& mean() const { return mean_; }   // of each feature at a node, given the leaves below
    const std::vector<double>& worths() const { return worth_; }
    const std::vector<Triplet>& rows() const { return rows_; }
    const std::vector<double>& weight() const { return weight_; }
    const std::vector<Index>& near() const { return near_; }
    double shape() const { return shape_; }

    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static constexpr double greatest = 1e300;  // of heights: beyond they would not grow any more

   private:
    enum class Kind { regraft, swap, height };

    // of proposals, up to here: regraft a clade; swap it with its uncle; else change a height
    static constexpr double to_regraft = 0.5, to_swap = 0.65;
    static constexpr double up = 0.4;   // chance to take the clade one level higher
    static constexpr double far = 0.1;  // chance to regraft beside any leaf instead of a near one
    static constexpr double wide = 1.0, scale = 0.1, blur = 1.0;  // width of the logarithm: of the height of a regraft,
                                                                  // all heights, noise

    struct Proposal {
        Kind kind;
        Index u = none;  // the node that gets the height
        double height = 0;
        double gain = 0;      // logarithm of the chance of the step back, divided by that of the step
        Index i = none;       // the clade that moves
        Index j = none;       // beside it, or in exchange for it
        Index sister = none;  // of i, before a regraft
    };

    // What a node had before a step.
    struct Kept {
        Index node;
        double variance, log;
    };

    Index n_;
    Count d_;
    double shape_;
    std::vector<Node> nodes_;
    std::vector<Index> order_;
    std::vector<double> mean_;
    std::vector<Index> near_;
    Index n_near_;
    std::vector<Triplet> rows_;
    std::vector<double> weight_;
    std::vector<double> worth_;        // of each triplet in the tree
    std::vector<Index> start_, told_;  // the triplets that name leaf i are told_[start_[i]:start_[i + 1]]
    std::vector<Count> stamp_;         // the step at which a triplet was last looked at
    Count step_ = 0;
    State state_;
    Index root_ = none;
    // of the step on trial
    std::vector<Kept> path_;
    std::vector<double> kept_mean_, fresh_;
    std::vector<Index> stack_, named_;

    Index sister_of(Index i) const {
        const Node& above = nodes_[nodes_[i].parent];
        return above.child[above.child[0] == i ? 1 : 0];
    }

    // ------------------------------------------------------------------ likelihood and prior

    // Mean, variance and likelihood at an inner node, from its children.
    void contrast(Index at) {
        Node& u = nodes_[at];
        const Node &a = nodes_[u.child[0]], &b = nodes_[u.child[1]];
        const double one = a.variance + u.height - a.height, other = b.variance + u.height - b.height;
        const double both = one + other, share = other / both;
        const double *first = mean_.data() + u.child[0] * d_, *second = mean_.data() + u.child[1] * d_;
        double* own = mean_.data() + at * d_;
        double square = 0.0;
        for (Count j = 0; j < d_; ++j) {
            const double gap = first[j] - second[j];
            square += gap * gap;
            own[j] = second[j] + share * gap;
        }
        u.log = -0.5 * (static_cast<double>(d_) * std::log(both) + square / both);
        u.variance = one * share;
    }

    // Computes the contrasts of all nodes. Returns the log-likelihood.
    double all_contrasts(double noise) {
        for (Index i = 0; i < n_; ++i) nodes_[i].variance = noise;
        double total = 0.0;
        for (const Index u : order_) {
            contrast(u);
            total += nodes_[u].log;
        }
        return total;
    }

    // Logarithm of the prior of the heights, up to a constant: Yule and coalescent trees, half each.
    double prior(double length, double pairs) const {
        const double yule = -(n_ - 1) * std::log(length), coalescent = shape_ - (n_ - 1) * std::log(pairs);
        return std::max(yule, coalescent) + std::log(1.0 + std::exp(-std::abs(yule - coalescent)));
    }

    // By how much `pairs` of the prior changes if node u gets a new height: the sum of min over pairs of heights. Nodes
    // below both heights count for nothing. O(nodes between the two).
    double more_pairs(Index u, double height) const {
        const double old = nodes_[u].height;
        const auto end = static_cast<Index>(order_.size());
        Index r = nodes_[u].place, above = end - 1 - r;
        double total = height - old;
        if (height > old) {
            for (; above > 0 && nodes_[order_[end - above]].height < height; --above)
                total += nodes_[order_[end - above]].height - old;
        } else {
            for (; r > 0 && nodes_[order_[r - 1]].height > height; --r) total += height - nodes_[order_[r - 1]].height;
        }
        return total + above * (height - old);
    }

    // Puts node u, whose height has changed, in its place among the others.
    void reorder(Index u) {
        const auto end = static_cast<Index>(order_.size());
        Index r = nodes_[u].place;
        const double height = nodes_[u].height;
        const auto take = [&](Index from) {
            order_[r] = order_[from];
            nodes_[order_[r]].place = r;
            r = from;
        };
        while (r + 1 < end && nodes_[order_[r + 1]].height < height) take(r + 1);
        while (r > 0 && nodes_[order_[r - 1]].height > height) take(r - 1);
        order_[r] = u, nodes_[u].place = r;
    }

    // ------------------------------------------------------------------ walking up the tree

    // The last common ancestor.
    Index meet(Index a, Index b) const {
        while (a != b) {
            if (nodes_[a].height <= nodes_[b].height && nodes_[a].parent != none)
                a = nodes_[a].parent;
            else
                b = nodes_[b].parent;
        }
        return a;
    }

    struct Relation {
        bool is_displayed;
        double ratio;
    };

    Relation relation(const Triplet& row) const {
        Index near = meet(row.a, row.b);
        const Index top = meet(near, row.c);
        const bool is_displayed = near != top;
        if (!is_displayed) {  // then c meets a or b below the node where a and b meet
            near = meet(row.a, row.c);
            if (near == top) near = meet(row.b, row.c);
        }
        return {is_displayed, nodes_[near].height / nodes_[top].height};
    }

    double worth(const Triplet& row) const {
        if (state_.sharpness == infinite) {
            const Index near = meet(row.a, row.b);
            return lineage(row.c, nodes_[near].height) != near ? 1.0 : 0.0;
        }
        const auto [is_displayed, ratio] = relation(row);
        return std::log(reply_chance(is_displayed, ratio, state_.sharpness, state_.wrong));
    }

    // The chance that a person names one of three as the odd one, which is right if it is the odd one in the tree.
    // `ratio` is the lower of the two heights at which the three meet, divided by the upper one.
    static double reply_chance(bool is_right, double ratio, double sharpness, double wrong) {
        const double other = std::pow(ratio, sharpness);  // the likeness of the odd one, if the others are alike by 1
        const double named = (is_right ? 1.0 : other) / (1.0 + 2.0 * other);
        return (1.0 - 1.5 * wrong) * named + 0.5 * wrong;
    }

    // The highest node above u, or itself, that is not above a height.
    Index lineage(Index u, double height) const {
        for (Index up = nodes_[u].parent; up != none && nodes_[up].height <= height; up = nodes_[u].parent) u = up;
        return u;
    }

    bool is_below(Index u, Index above) const {
        const double height = nodes_[above].height;
        for (; u != none && nodes_[u].height <= height; u = nodes_[u].parent)
            if (u == above) return true;
        return false;
    }

    // Lets `now` be a child of a node in place of `old`.
    void hang(Index above, Index old, Index now) {
        nodes_[above].child[nodes_[above].child[1] == old ? 1 : 0] = now;
        nodes_[now].parent = above;
    }

    void resize(Index u, Index by) {
        for (; u != none; u = nodes_[u].parent) nodes_[u].size += by;
    }

    // ------------------------------------------------------------------ proposals

    // A step, unless it is no step at all.
    bool propose(const Draws& draw, Proposal& out) const {
        if (draw[0] >= to_swap) return propose_height(draw, out);
        return draw[0] < to_regraft ? propose_regraft(draw, out) : propose_swap(draw, out);
    }

    // A node gets another height between its children and its parent.
    bool propose_height(const Draws& draw, Proposal& out) const {
        out.kind = Kind::height;
        out.u = n_ + static_cast<Index>(draw[1] * (n_ - 1));
        const Node& u = nodes_[out.u];
        const double low = std::max(nodes_[u.child[0]].height, nodes_[u.child[1]].height);
        if (out.u == root_) {
            out.gain = (draw[2] - 0.5) * wide;
            out.height = low + (u.height - low) * std::exp(out.gain);
        } else {
            out.height = low + draw[2] * (nodes_[u.parent].height - low);
        }
        return out.height > low && out.height < (out.u == root_ ? greatest : nodes_[u.parent].height);
    }

    // Clade i and its uncle j change places.
    bool propose_swap(const Draws& draw, Proposal& out) const {
        out.kind = Kind::swap;
        out.i = static_cast<Index>(draw[1] * (2 * n_ - 1));
        out.u = nodes_[out.i].parent;
        if (out.u == none || out.u == root_) return false;
        out.j = sister_of(out.u);
        out.height = nodes_[out.u].height;
        return nodes_[out.j].height < out.height;
    }

    // Clade i moves, with the node u above it, beside j, at the height of u or at another one.
    bool propose_regraft(const Draws& draw, Proposal& out) const {
        out.kind = Kind::regraft;
        const auto x = static_cast<Index>(draw[1] * n_);
        out.i = x;
        for (auto levels = static_cast<Count>(std::log(1.0 - draw[2]) / std::log(up)); levels > 0; --levels)
            if (nodes_[out.i].parent != none) out.i = nodes_[out.i].parent;
        out.u = nodes_[out.i].parent;
        if (out.u == none || out.u == root_) return false;
        const double old = nodes_[out.u].height, highest = nodes_[root_].height;
        out.height = old;
        if (draw[3] < 0.5) {
            out.gain = (draw[4] - 0.5) * wide;
            out.height = old * std::exp(out.gain);
            if (out.height <= nodes_[out.i].height) return false;
        }
        if (!(out.height < highest)) return false;
        out.sister = sister_of(out.i);
        const Index y =
            draw[5] < far ? static_cast<Index>(draw[6] * n_) : near(x, static_cast<Index>(draw[6] * n_near_));
        if (is_below(y, out.i)) return false;
        out.j = beside(out.i, y, out.height);
        if ((out.j == out.sister && out.height == old) || !(nodes_[out.j].height < out.height)) return false;
        const auto [there, back] = chances(x, out, old);
        if (there <= 0.0 || back <= 0.0) return false;
        out.gain += std::log(back / there);
        return true;
    }

    Index near(Index x, Index k) const { return near_[Count(x) * n_near_ + k]; }

    // The node beside which clade i goes at a height, beside leaf y, if i with the node above it is taken away.
    Index beside(Index i, Index y, double height) const {
        const Index j = lineage(y, height);
        return j == nodes_[i].parent ? sister_of(i) : j;
    }

    // The chance that a clade, chosen by leaf x, goes where it is to go, and of the way back, from the height `old`.
    std::pair<double, double> chances(Index x, const Proposal& move, double old) const {
        const double low = std::min(old, move.height), high = std::max(old, move.height);
        Index there = 0, back = 0;
        for (Index k = 0; k < n_near_; ++k) {
            const Index y = near(x, k);
            if (is_below(y, move.i)) continue;
            const Index lower = beside(move.i, y, low), upper = high > low ? beside(move.i, y, high) : lower;
            there += (move.height > old ? upper : lower) == move.j;
            back += (move.height > old ? lower : upper) == move.sister;
        }
        const auto chance = [&](Index j, Index hits) {
            const Index size = nodes_[j].size - (is_below(move.i, j) ? nodes_[move.i].size : 0);
            return far * size / n_ + (1.0 - far) * hits / n_near_;
        };
        return {chance(move.j, there), chance(move.sister, back)};
    }

    // Moves clade i, with the node above it, beside a node. Its height is changed elsewhere.
    void regraft(Index i, Index beside) {
        const Index p = nodes_[i].parent, size = nodes_[i].size, sister = sister_of(i), above = nodes_[p].parent;
        hang(above, p, sister);
        resize(above, -size);
        hang(nodes_[beside].parent, beside, p);
        hang(p, sister, beside);
        nodes_[p].size = nodes_[beside].size + size;
        resize(nodes_[p].parent, size);
    }

    // Exchanges two clades, the first below the sister of the second.
    void swap(Index i, Index j) {
        const Index p = nodes_[i].parent, above = nodes_[j].parent;
        hang(p, i, j);
        hang(above, j, i);
        nodes_[p].size += nodes_[j].size - nodes_[i].size;
    }

    // Lists the triplets with a leaf below i in `named_`, each once a step.
    void list_named(Index i) {
        stack_.assign(1, i);
        while (!stack_.empty()) {
            const Index u = stack_.back();
            stack_.pop_back();
            if (u >= n_) {
                stack_.insert(stack_.end(), nodes_[u].child, nodes_[u].child + 2);
                continue;
            }
            for (Index e = start_[u]; e < start_[u + 1]; ++e) {
                const Index t = told_[e];
                if (stamp_[t] == step_) continue;
                stamp_[t] = step_;
                named_.push_back(t);
            }
        }
    }

    // The change of the logarithm of the posterior by a change of the votes.
    static double gain_of(double price, double votes) { return votes != 0.0 ? price * votes : 0.0; }

    // Keeps the named triplets whose worth has changed, with their new worth in `fresh_`. Returns the change of the
    // votes. The rest is left out when the step is sure to be rejected: its triplets cannot be worth what is needed.
    double turned(double price, double needed) {
        const double most = state_.sharpness == infinite ? 1.0 : 0.0;
        double votes = 0.0;  // as if all that have not been looked at were worth most
        for (const Index t : named_)
            if (weight_[t] < infinite) votes += weight_[t] * (most - worth_[t]);
        for (const Index t : named_) {
            if (gain_of(price, votes) <= needed) break;
            const double now = worth(rows_[t]);
            if (now < most || weight_[t] < infinite) votes -= weight_[t] * (most - now);
            if (now != worth_[t]) {
                named_[fresh_.size()] = t;  // (never beyond the place of t)
                fresh_.push_back(now);
            }
        }
        return votes;
    }

    // Computes the contrasts from two nodes up to the root. The old ones are kept. Returns the change of the
    // log-likelihood.
    double update(Index one, Index other) {
        double change = 0.0;
        path_.clear();
        while (one != none || other != none) {
            if (one == other) other = none;
            const bool is_one = other == none || (one != none && nodes_[one].height < nodes_[other].height);
            Index& at = is_one ? one : other;
            const Index u = at;
            at = nodes_[u].parent;
            std::copy_n(mean_.begin() + u * d_, d_, kept_mean_.begin() + path_.size() * d_);
            path_.push_back({u, nodes_[u].variance, nodes_[u].log});
            contrast(u);
            change += nodes_[u].log - path_.back().log;
        }
        return change;
    }
};

}  // namespace tripletree
