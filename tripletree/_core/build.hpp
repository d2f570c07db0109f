// BUILD by splitting components again and again, on contiguous ranges of leaves and triplets.
//
// A subproblem is a range of the leaves and a range of the triplets. Its leaves are joined by the edges ab of its
// triplets ab|c. The components are the children, each keeps the triplets that lie inside it. Cost: the sum over all
// inner nodes of (leaves + triplets) below, which is near-linear on bushy trees and quadratic on a caterpillar. So a
// chain of subproblems that hardly shrinks is put off, and build_deep.hpp solves it.
//
// Oracle: one_tree_definition in tests/oracles.py.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "build_deep.hpp"

namespace tripletree {

// A run of this many subproblems, each more than half of the one above, is looked at ...
constexpr Index deferred_run = 6;
// ... unless it has at most this many leaves ...
constexpr Index few_leaves = 64;
// ... and put off unless its weight has shrunk to this share since the run began.
constexpr double shrunk = 0.95;

// What is found of a set of triplets: the inner node above each leaf (`none` if it is put off) and above each inner
// node. Node 0 is the root, with `none` above it, and parents come first.
struct Split {
    struct Deferred {  // a subproblem that is put off: its leaves, its triplets, and its inner node
        Index low, high, t_low, t_high, node;
    };
    std::vector<Index> leaf_up, inner_up;
    std::vector<Index> leaves;  // their order, to which ranges refer
    std::vector<Deferred> deferred;
    Index failed_low = 0, failed_high = 0;  // the leaves of a subproblem that does not split, (0, 0) if there is none
};

// Splits all n leaves down to single ones. The triplets are put in order on the way.
class Splitting {
   public:
    Splitting(std::vector<Triplet>& triplets, Index n)
        : triplets_(triplets),
          sets_(n),
          component_(n),
          leaf_end_(n),
          triplet_end_(n),
          spare_leaves_(n),
          spare_(triplets.size()) {
        out_.leaf_up.assign(n, none);
        out_.leaves.resize(n);
        std::iota(out_.leaves.begin(), out_.leaves.end(), 0);
    }

    // With `deferring`, chains that hardly shrink are put off.
    Split run(bool deferring, Interrupts& watch) {
        const auto n = static_cast<Index>(out_.leaves.size()), m = static_cast<Index>(triplets_.size());
        out_.inner_up.assign(1, none);
        // invariant: subproblems on the stack have disjoint ranges, each with just its own leaves and triplets
        std::vector<Subproblem> stack{{0, n, 0, m, 0, 0, Count{n} + m}};
        while (!stack.empty()) {
            Subproblem at = stack.back();
            stack.pop_back();
            const Count weight = Count{at.high} - at.low + at.t_high - at.t_low;
            watch.check(0, weight);
            if (at.t_low == at.t_high) {  // no triplet says more: all leaves are children of this node
                for (Index i = at.low; i < at.high; ++i) out_.leaf_up[out_.leaves[i]] = at.node;
                continue;
            }
            if (deferring && at.run >= deferred_run) {
                if (at.high - at.low > few_leaves && double(weight) > shrunk * double(at.first_weight)) {
                    out_.deferred.push_back({at.low, at.high, at.t_low, at.t_high, at.node});
                    continue;
                }
                at.run = 0;
                at.first_weight = weight;
            }
            const Index k = find_components(at);
            if (k == 1) {
                out_.failed_low = at.low;
                out_.failed_high = at.high;
                break;
            }
            sort_leaves(at, k);
            sort_triplets(at, k);
            Index low = at.low, t_low = at.t_low;
            for (Index j = 0; j < k; ++j) {
                const Index high = leaf_end_[j], t_high = triplet_end_[j];
                if (high - low == 1) {
                    out_.leaf_up[out_.leaves[low]] = at.node;
                } else {
                    const Count part = Count{high} - low + t_high - t_low;
                    const bool goes_on = 2 * part > weight;
                    const auto node = static_cast<Index>(out_.inner_up.size());
                    out_.inner_up.push_back(at.node);
                    stack.push_back(
                        {low, high, t_low, t_high, node, goes_on ? at.run + 1 : 0, goes_on ? at.first_weight : part});
                }
                low = high;
                t_low = t_high;
            }
        }
        return std::move(out_);
    }

   private:
    struct Subproblem {
        Index low, high, t_low, t_high, node;
        Index run;           // how many subproblems in a row have hardly shrunk
        Count first_weight;  // where the run began
    };

    // Numbers the components of the leaves under the edges of the triplets, and returns how many there are. Leaves get
    // their component's number unless there is just one.
    Index find_components(const Subproblem& at) {
        const std::vector<Index>& leaves = out_.leaves;
        for (Index i = at.low; i < at.high; ++i) sets_.release(leaves[i]);
        Index k = at.high - at.low;
        for (Index t = at.t_low; t < at.t_high; ++t)
            if (sets_.unite(triplets_[t].a, triplets_[t].b) && --k == 1) return 1;  // others cannot part them again
        // the root of a set is its smallest leaf, so roots get their numbers first, then others get their root's
        k = 0;
        for (Index i = at.low; i < at.high; ++i)
            if (sets_.is_root(leaves[i])) component_[leaves[i]] = k++;
        for (Index i = at.low; i < at.high; ++i) component_[leaves[i]] = component_[sets_.find(leaves[i])];
        return k;
    }

    // Turns the sizes of k parts into where each begins. Filling them in makes their beginnings their ends.
    static void begin_parts(std::vector<Index>& sizes, Index k, Index at) {
        for (Index j = 0; j < k; ++j) at += std::exchange(sizes[j], at);
    }

    // Groups the leaves by their components.
    void sort_leaves(const Subproblem& at, Index k) {
        std::fill_n(leaf_end_.begin(), k, 0);
        for (Index i = at.low; i < at.high; ++i) ++leaf_end_[component_[out_.leaves[i]]];
        begin_parts(leaf_end_, k, at.low);
        for (Index i = at.low; i < at.high; ++i) {
            const Index x = out_.leaves[i];
            spare_leaves_[leaf_end_[component_[x]]++] = x;
        }
        std::copy(spare_leaves_.begin() + at.low, spare_leaves_.begin() + at.high, out_.leaves.begin() + at.low);
    }

    // Groups the triplets that stay inside one component by component, and drops the others.
    void sort_triplets(const Subproblem& at, Index k) {
        std::fill_n(triplet_end_.begin(), k, 0);
        for (Index t = at.t_low; t < at.t_high; ++t) {
            const Index j = component_[triplets_[t].a];
            if (j == component_[triplets_[t].c]) ++triplet_end_[j];
        }
        begin_parts(triplet_end_, k, at.t_low);
        for (Index t = at.t_low; t < at.t_high; ++t) {
            const Index j = component_[triplets_[t].a];
            if (j == component_[triplets_[t].c]) spare_[triplet_end_[j]++] = triplets_[t];
        }
        std::copy(spare_.begin() + at.t_low, spare_.begin() + triplet_end_[k - 1], triplets_.begin() + at.t_low);
    }

    std::vector<Triplet>& triplets_;
    Split out_;
    DisjointSets sets_;
    std::vector<Index> component_;               // of each leaf
    std::vector<Index> leaf_end_, triplet_end_;  // one past the last place of each component
    std::vector<Index> spare_leaves_;
    std::vector<Triplet> spare_;
};

// The tree of the triplets, as a parent array, or else the leaves of a group that its triplets tie together. Exactly
// one of the two is empty.
struct Built {
    std::vector<Index> parent, failed;
};

// BUILD: splits from scratch, and chains that hardly shrink by the scheme of build_deep.hpp. n is at least 1.
inline Built build(std::vector<Triplet> triplets, Index n, Interrupts& watch) {
    if (n == 1) return {{none}, {}};
    Split split = Splitting(triplets, n).run(true, watch);
    const auto leaves = split.leaves.begin();
    if (split.failed_high > 0) return {{}, {leaves + split.failed_low, leaves + split.failed_high}};
    std::vector<Index> number(n);
    for (const Split::Deferred& at : split.deferred) {
        for (Index i = at.low; i < at.high; ++i) number[leaves[i]] = i - at.low;
        std::vector<Triplet> own(triplets.begin() + at.t_low, triplets.begin() + at.t_high);
        for (Triplet& t : own) t = {number[t.a], number[t.b], number[t.c]};
        DeepSplit deep = split_deep(own, at.high - at.low, watch);
        if (!deep.failed.empty()) {
            for (Index& x : deep.failed) x = leaves[at.low + x];
            return {{}, std::move(deep.failed)};
        }
        // node 0 of the part is the part's node of the whole, the others get the next free numbers
        const auto fresh = static_cast<Index>(split.inner_up.size()) - 1;
        const auto whole = [&](Index v) { return v == 0 ? at.node : fresh + v; };
        for (Index i = at.low; i < at.high; ++i) split.leaf_up[leaves[i]] = whole(deep.leaf_up[i - at.low]);
        for (std::size_t v = 1; v < deep.inner_up.size(); ++v) split.inner_up.push_back(whole(deep.inner_up[v]));
    }
    // inner nodes are numbered from the root down. A parent array numbers them from the leaves up
    const Index root = n + static_cast<Index>(split.inner_up.size()) - 1;
    std::vector<Index> parent(root + 1);
    for (Index x = 0; x < n; ++x) parent[x] = root - split.leaf_up[x];
    for (Index u = n; u < root; ++u) parent[u] = root - split.inner_up[root - u];
    parent[root] = none;
    return {std::move(parent), {}};
}

}  // namespace tripletree
