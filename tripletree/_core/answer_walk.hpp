// Markov chain Monte Carlo over rooted binary trees whose heights say how surely people tell the odd one of three.
//
// If a and b meet at height g below the node where c joins them, a person names c with the chance of a softmax,
// 1 / (1 + 2 exp(-g)), and a or b otherwise. A share of lapses, where all three are named alike, bounds that chance. So
// answers about things that are nearly as alike as the others count for less, as they do with people, and answers that
// err at a constant rate are the other end of the model. Heights are exponential, as in a Yule tree, and their rate is
// integrated out. Steps are accepted by the rule of Metropolis and Hastings. All random numbers are handed in.
//
// Nodes are numbered: n leaves, then inner nodes in any order. Heights grow strictly towards the root. For each trio
// the nodes where its pairs meet are kept, so a step takes the size of the clade that moves, its trios, and the depth
// of the other leaves in these. The caller is `algorithms/likeness.py`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "basics.hpp"
#include "rooted_tree.hpp"

namespace tripletree {

class AnswerWalk {
   public:
    struct Trio {
        std::array<Index, 3> leaf;
        std::array<double, 3> votes;  // weight of the answers that name each of the three
        std::array<Index, 3> meet{};  // the node where the two others meet
        double log = 0;               // log-likelihood of the answers
        Count seen = 0;               // the step that looked at it last
    };

    // A binary tree of n leaves, with the heights of its nodes.
    AnswerWalk(std::vector<Index> parent, std::vector<double> height, std::vector<Trio> trios, Index n, double lapses)
        : n_(n),
          parent_(std::move(parent)),
          child_(parent_.size(), {none, none}),
          height_(std::move(height)),
          size_(parent_.size()),
          trios_(std::move(trios)),
          begin_of_(n + 1, 0),
          told_(3 * trios_.size()),
          lapses_(lapses),
          log_after_(trios_.size()),
          is_inside_(n, 0),
          on_path_(parent_.size(), 0),
          asked_(n, 0),
          answer_(n) {
        const ChildLists children = child_lists(parent_);
        for (Index u = n; u < n_nodes(); ++u)
            for (const int k : {0, 1}) child_[u][k] = children.of(u)[k];
        for (const Trio& trio : trios_)
            for (const Index x : trio.leaf) ++begin_of_[x + 1];
        std::partial_sum(begin_of_.begin(), begin_of_.end(), begin_of_.begin());
        std::vector<Index> next(begin_of_.begin(), begin_of_.end() - 1);
        for (std::size_t t = 0; t < trios_.size(); ++t)
            for (const Index x : trios_[t].leaf) told_[next[x]++] = static_cast<Index>(t);
        begin();
    }

    // Computes sizes, where pairs meet, the likelihood and the sum of the heights anew.
    void begin() {
        std::fill(size_.begin(), size_.end(), 0);
        for (Index i = 0; i < n_; ++i) resize(i, 1);
        for (Trio& trio : trios_) {
            const auto [a, b, c] = trio.leaf;
            trio.meet = {meeting(b, c), meeting(a, c), meeting(a, b)};
        }
        length_ = 0;
        for (const double height : height_) length_ += height;
        fit_ = all_fits(lapses_);
        keep_logs();
    }

    // Proposes to multiply all heights, and then the share of lapses. Two random numbers are for each, of [0, 1).
    void rescale(const std::array<double, 4>& draws) {
        const double step = (draws[0] - .5) * scale_width, factor = std::exp(step);
        for (Index u = n_; u < n_nodes(); ++u) height_[u] *= factor;
        const double fit = all_fits(lapses_);
        const double gain = (n_ - 1) * step + prior(length_ * factor) - prior(length_);
        if (std::log(1 - draws[1]) < gain + fit - fit_) {
            fit_ = fit;
            length_ *= factor;
            keep_logs();
        } else {
            for (Index u = n_; u < n_nodes(); ++u) height_[u] /= factor;
        }
        const double slip = (draws[2] - .5) * slip_width, lapses = lapses_ * std::exp(slip);
        if (!(least_lapses < lapses && lapses < most_lapses)) return;
        const double other_fit = all_fits(lapses);
        const double other_gain = slip + (tries - 1) * (std::log(1 - lapses) - std::log(1 - lapses_));
        if (!(std::log(1 - draws[3]) < other_gain + other_fit - fit_)) return;
        fit_ = other_fit;
        lapses_ = lapses;
        keep_logs();
    }

    // Takes one step for six random numbers of [0, 1) each. Returns how many were accepted.
    //
    // A step regrafts a clade beside another node at a new height, or changes the height of a node. The clade is some
    // levels above a random leaf, its new place is above another random leaf.
    Count walk(const double* draws, Count steps, Interrupts& watch) {
        Count taken = 0;
        double before = prior(length_);
        for (Count k = 0; k < steps; ++k) {
            const double* draw = draws + 6 * k;
            watch.check(k, 8 + static_cast<Count>(changed_.size()));  // never between a proposal and its end
            ++now_;
            changed_.clear();
            const Proposal step = draw[0] < regraft_share ? propose_place(draw) : propose_height(draw);
            if (step.node == none) continue;
            const double length = length_ + height_[step.node] - step.old, after = prior(length);
            // accept or reject (Metropolis, Hastings): the change of the posterior and of the chances of both steps
            if (std::log(1 - draw[5]) < step.gain + step.change + after - before) {
                length_ = length;
                before = after;
                accept(step);
                ++taken;
            } else {
                height_[step.node] = step.old;
            }
        }
        return taken;
    }

    const std::vector<Index>& parent() const { return parent_; }
    const std::vector<Index>& sizes() const { return size_; }  // leaves below each node
    const std::vector<double>& height() const { return height_; }
    const std::vector<Trio>& trios() const { return trios_; }
    double length() const { return length_; }  // the sum of all heights
    double fit() const { return fit_; }        // log-likelihood of the answers
    double lapses() const { return lapses_; }  // share of answers that name any of the three

   private:
    // ------------------------------------------------------------------ data
    static constexpr double regraft_share = .6;  // of proposals that regraft a clade; the others change a height
    static constexpr double up_share = .35;      // chance to take the clade one level higher
    // Widths of the logarithm: of one height, of all heights, of the lapses.
    static constexpr double height_width = 1, scale_width = .3, slip_width = 1.5;
    static constexpr double least_lapses = 1e-4, most_lapses = .9;
    static constexpr double tries = 9;  // lapses have the prior Beta(1, 9)

    // Logarithms of the chances of a reply by the two nodes that they depend on, kept for the trios that share these: a
    // step changes hundreds of trios, but few pairs of nodes.
    struct Logs {
        Count stamp = -1;  // of the tree
        Index upper = none, lower = none;
        double right = 0, wrong = 0;  // the answer that the tree displays, and either other one
    };
    struct Changed {  // what a step changes about a trio
        Index trio;
        double log;
        std::array<Index, 3> meet;
    };
    // A step to be accepted or not. The node has its new height already, the clade still hangs at its old place.
    struct Proposal {
        Index node = none;    // the node whose height changes, `none` if the step changes nothing
        double old = 0;       // its height before
        Index clade = none;   // the child of the node that moves with it, if any
        Index beside = none;  // the node at the new place
        double gain = 0;      // logarithm of the chance of the step back over the chance of this step
        double change = 0;    // of the log-likelihood
    };

    Index n_;
    std::vector<Index> parent_;
    std::vector<std::array<Index, 2>> child_;
    std::vector<double> height_;
    std::vector<Index> size_;
    std::vector<Trio> trios_;
    std::vector<Index> begin_of_,
        told_;  // the trios that name leaf x: told_[begin_of_[x]] to told_[begin_of_[x + 1] - 1]
    double length_ = 0, fit_ = 0, lapses_;
    Count now_ = 0;  // number of the step

    std::array<Logs, 1024> logs_{};  // by a hash of both nodes
    std::vector<double> log_after_;  // of each trio, see `all_fits`
    std::vector<Index> stack_, leaves_, listed_;
    std::vector<Changed> changed_;
    Flags is_inside_;             // of each leaf: whether it is in the clade that moves. No between steps
    std::vector<Count> on_path_;  // of each node: the last step that had it above its new place
    std::vector<Count> asked_;    // of each leaf: the last step that asked where it meets the clade
    std::vector<Index> answer_;

    Index n_nodes() const { return static_cast<Index>(parent_.size()); }

    // ------------------------------------------------------------------ likelihood and prior
    // Log-likelihood of the answers to a trio, given where its pairs meet: two of the three nodes are equal, and the
    // other is below them.
    double fit_of(const Trio& trio, const std::array<Index, 3>& meet, double lapses) {
        const int odd = meet[0] == meet[1] ? 2 : meet[0] == meet[2] ? 1 : 0;
        const Index lower = meet[odd], upper = meet[odd == 0 ? 1 : 0];
        Logs& logs = logs_[(37 * static_cast<std::size_t>(upper) + lower) % logs_.size()];
        if (logs.stamp != now_ || logs.upper != upper || logs.lower != lower) {
            const double far = std::exp(height_[lower] - height_[upper]);
            logs = {now_, upper, lower, std::log((1 - lapses) / (1 + 2 * far) + lapses / 3),
                    std::log((1 - lapses) * far / (1 + 2 * far) + lapses / 3)};
        }
        const double agree = trio.votes[odd];
        return agree * logs.right + (trio.votes[0] + trio.votes[1] + trio.votes[2] - agree) * logs.wrong;
    }

    double all_fits(double lapses) {
        ++now_;
        double total = 0;
        for (std::size_t t = 0; t < trios_.size(); ++t) {
            log_after_[t] = fit_of(trios_[t], trios_[t].meet, lapses);
            total += log_after_[t];
        }
        return total;
    }

    void keep_logs() {
        for (std::size_t t = 0; t < trios_.size(); ++t) trios_[t].log = log_after_[t];
    }

    // Logarithm of the prior of the heights, up to a constant: exponential, the rate itself exponential.
    double prior(double length) const { return -n_ * std::log(1 + length); }

    // ------------------------------------------------------------------ the tree
    Index meeting(Index a, Index b) const {  // the last common ancestor
        while (a != b) {
            if (height_[a] <= height_[b] && parent_[a] != none)
                a = parent_[a];
            else
                b = parent_[b];
        }
        return a;
    }

    void list_leaves(Index u) {  // below u
        leaves_.clear();
        stack_.assign(1, u);
        while (!stack_.empty()) {
            const Index v = stack_.back();
            stack_.pop_back();
            if (v < n_)
                leaves_.push_back(v);
            else
                stack_.insert(stack_.end(), child_[v].begin(), child_[v].end());
        }
    }

    void resize(Index u, Index by) {
        for (; u != none; u = parent_[u]) size_[u] += by;
    }

    void hang(Index above, Index old, Index fresh) {  // in place of another child, or of the root
        if (above != none) child_[above][child_[above][1] == old] = fresh;
        parent_[fresh] = above;
    }

    void regraft(Index i, Index sister, Index beside) {  // the clade i, with the node above it. Heights stay
        const Index u = parent_[i], old = parent_[u];
        hang(old, u, sister);
        resize(old, -size_[i]);
        const Index above = parent_[beside];
        hang(above, beside, u);
        parent_[beside] = u;
        child_[u] = {i, beside};
        size_[u] = size_[beside] + size_[i];
        resize(above, size_[i]);
    }

    Index sister(Index i) const {
        const auto& both = child_[parent_[i]];
        return both[both[0] == i];
    }

    // ------------------------------------------------------------------ steps
    void list_trios() {  // that name any of `leaves_`, each once
        listed_.clear();
        for (const Index leaf : leaves_)
            for (Index f = begin_of_[leaf]; f < begin_of_[leaf + 1]; ++f) {
                Trio& trio = trios_[told_[f]];
                if (trio.seen == now_) continue;
                trio.seen = now_;
                listed_.push_back(told_[f]);
            }
    }

    // Notes how a trio changes. Returns the change of its log-likelihood.
    double refit(Index t, const std::array<Index, 3>& meet) {
        const double log = fit_of(trios_[t], meet, lapses_);
        changed_.push_back({t, log, meet});
        return log - trios_[t].log;
    }

    Index clade_above(Index leaf, double draw) const {  // the clade that holds a leaf, a random number of levels up
        const auto levels = static_cast<Count>(std::log(1 - draw) / std::log(up_share));
        for (Count k = 0; k < levels && parent_[leaf] != none; ++k) leaf = parent_[leaf];
        return leaf;
    }

    // The last node above a leaf that is not above the new height, in the tree without node u. The nodes above are
    // noted: there the leaves outside of the clade will meet those inside.
    Index new_place(Index u, Index leaf, double height) {
        const auto above = [&](Index v) { return parent_[v] == u ? parent_[u] : parent_[v]; };
        Index j = leaf, p = above(leaf);
        while (p != none && !(height_[p] > height)) {
            j = p;
            p = above(p);
        }
        for (; p != none; p = above(p)) on_path_[p] = now_;
        return j;
    }

    bool is_above(Index j, Index u) const {  // or u itself
        while (u != none && height_[u] < height_[j]) u = parent_[u];
        return u == j;
    }

    // Where a leaf outside meets the clade: at its first node on the path, or at u if it is below j.
    Index meets_at(Index u, Index j, Index leaf) {
        if (asked_[leaf] != now_) {
            asked_[leaf] = now_;
            Index v = leaf;
            while (v != j && on_path_[v] != now_) v = parent_[v];
            answer_[leaf] = v == j ? u : v;
        }
        return answer_[leaf];
    }

    // Works out the trios that change if the clade of `leaves_` moves. Only answers about a leaf inside change, and not
    // if all three are inside: they meet in the clade, which stays whole.
    double refit_moved(Index u, Index j) {
        double change = 0;
        list_trios();
        for (const Index t : listed_) {
            const Trio& trio = trios_[t];
            std::array<bool, 3> is_in{};
            for (const int s : {0, 1, 2}) is_in[s] = is_inside_[trio.leaf[s]] != 0;
            if (is_in[0] && is_in[1] && is_in[2]) continue;
            auto meet = trio.meet;
            for (int s = 0; s < 3; ++s) {
                const int x = (s + 1) % 3, y = (s + 2) % 3;
                if (is_in[x] != is_in[y]) meet[s] = meets_at(u, j, trio.leaf[is_in[x] ? y : x]);
            }
            change += refit(t, meet);
        }
        return change;
    }

    // Proposes to move a clade i, together with the node u above it, beside a node j at a new height.
    Proposal propose_place(const double* draw) {
        const Index i = clade_above(static_cast<Index>(draw[1] * n_), draw[2]), u = parent_[i];
        if (u == none) return {};
        const double old = height_[u], height = old * std::exp((draw[4] - .5) * height_width);
        if (height <= height_[i]) return {};
        list_leaves(i);
        for (const Index x : leaves_) is_inside_[x] = 1;
        const auto leaf = static_cast<Index>(draw[3] * n_);
        Proposal proposal;
        if (!is_inside_[leaf]) {  // a place below i is no place for i
            const Index j = new_place(u, leaf, height);
            // the step back starts from the sister, which is chosen by as many leaves as it holds
            const Index held = size_[j] - (is_above(j, u) ? size_[i] : 0);
            const double gain = std::log(static_cast<double>(size_[sister(i)]) / held) + std::log(height / old);
            height_[u] = height;
            proposal = {u, old, i, j, gain, refit_moved(u, j)};
        }
        for (const Index x : leaves_) is_inside_[x] = 0;
        return proposal;
    }

    // Proposes another height of an inner node, between its children and its parent.
    Proposal propose_height(const double* draw) {
        const Index u = n_ + static_cast<Index>(draw[1] * (n_ - 1));
        const auto [a, b] = child_[u];
        const double low = std::max(height_[a], height_[b]), old = height_[u];
        double gain = 0, height;
        if (parent_[u] == none) {
            gain = (draw[2] - .5) * height_width;
            height = low + (old - low) * std::exp(gain);
        } else {
            height = low + draw[2] * (height_[parent_[u]] - low);
        }
        if (!(height > low)) return {};
        height_[u] = height;
        // an answer that has two leaves meet in u has a leaf below either child: the smaller child is enough
        list_leaves(size_[a] < size_[b] ? a : b);
        list_trios();
        double change = 0;
        for (const Index t : listed_) {
            const auto& meet = trios_[t].meet;
            if (std::find(meet.begin(), meet.end(), u) != meet.end()) change += refit(t, meet);
        }
        return {u, old, none, none, gain, change};
    }

    // Takes over the place of the clade, and what is new about the trios. The height is there already.
    void accept(const Proposal& step) {
        if (step.clade != none) {
            const Index old = sister(step.clade);
            if (step.beside != old) regraft(step.clade, old, step.beside);
        }
        for (const Changed& x : changed_) {
            trios_[x.trio].meet = x.meet;
            trios_[x.trio].log = x.log;
        }
        fit_ += step.change;
    }
};

}  // namespace tripletree
