// ReCon: always the closest merge that keeps the triplets satisfiable.
//
// Three parts do the work. The distances offer the closest pair that is not known to be incompatible. The Aho tree of
// the triplets between clusters merges it or finds a blocking pair. `RejectedPairs` remembers that all pairs between
// the two sides of a blocking pair are blocked. A merged cluster keeps the smaller id, the id of its first sample.
// Among ties the pair with the first smaller id is first, then the first larger id. Cannot-linked pairs count as
// rejected for good. If no other pair is left, these are forgotten.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "aho_tree.hpp"
#include "nearest.hpp"
#include "rejected_pairs.hpp"

namespace tripletree {

struct Merge {
    Index gone, kept;  // ids
    double distance;
};

class ReCon {
   public:
    struct Counts {
        Count tests = 0, rejections = 0, searches = 0;
    };

    ReCon(Index n, AhoTree tree, const std::vector<std::pair<Index, Index>>& apart)
        : n_(n), tree_(std::move(tree)), leaf_(n, none), cluster_(n), rejected_(n, named(), apart), tested_at_(n, 0) {}

    template <class Distances>
    std::vector<Merge> run(Distances& distances, Interrupts& watch) {
        std::vector<Merge> merges;
        std::vector<Index> due;
        distances.begin(rejected_, watch);
        while (static_cast<Index>(merges.size()) + 1 < n_) {
            const auto now = static_cast<Index>(merges.size()) + 1;
            watch.check(now - 1, distances.work());
            const Pair pair = distances.closest(rejected_, counts.searches);
            if (pair.gone == none) {  // only cannot-linked pairs are left
                rejected_.forget_all();
                distances.forget_answers();
                continue;
            }
            const Index i = distances.id(pair.gone), j = distances.id(pair.kept);
            due.clear();
            if (!attempt(i, j, now, due, watch)) continue;
            merges.push_back({i, j, pair.distance});
            distances.merge(pair, now, n_ - now, due, rejected_);
        }
        return merges;
    }

    Counts counts;

   private:
    Index n_;
    AhoTree tree_;
    std::vector<Index> leaf_, cluster_;  // of each cluster: its leaf in the tree, `none` without triplets. And back
    RejectedPairs rejected_;
    std::vector<Index> tested_at_;  // of each cluster: the merge after which it was last tested again

    std::vector<Index> named() {
        std::vector<Index> out;
        for (Index x = 0; x < n_; ++x)
            if (tree_.is_named(x)) out.push_back(x), leaf_[x] = cluster_[x] = x;
        return out;
    }

    bool is_named(Index x) const { return leaf_[x] != none && tree_.is_named(leaf_[x]); }

    void reject(AhoTree::Blocked& blocked) {
        for (auto* side : {&blocked.left, &blocked.right})
            for (Index& x : *side) x = cluster_[x];
        rejected_.reject(blocked.left, blocked.right);
    }

    // Merges cluster i into j in the tree if they are compatible, or rejects them. Returns whether they merged. Pairs
    // whose blocking pair may have ended are tested again, and listed in `due`.
    bool attempt(Index i, Index j, Index now, std::vector<Index>& due, Interrupts& watch) {
        if (is_named(i) && is_named(j)) {
            ++counts.tests;
            Index kept = none;
            if (auto blocked = tree_.join(leaf_[i], leaf_[j], kept, false, watch)) {
                ++counts.rejections;
                reject(*blocked);
                return false;
            }
            leaf_[j] = kept;
        } else if (is_named(i)) {
            leaf_[j] = leaf_[i];  // j is in no triplet: it takes the place of i
        }
        if (leaf_[j] != none) cluster_[leaf_[j]] = j;
        rejected_.inherit(i, j, due);
        for (const Index other : due) {
            if (tested_at_[other] == now) continue;  // its largest blocking pair has been found just now
            tested_at_[other] = now;
            Index kept = none;
            ++counts.tests;
            std::optional<AhoTree::Blocked> blocked;
            if (is_named(j) && is_named(other)) blocked = tree_.join(leaf_[j], leaf_[other], kept, true, watch);
            if (blocked)
                reject(*blocked);
            else
                rejected_.clear(j, other);
        }
        return true;
    }
};

// Node numbers, heights and sizes from cluster ids: rows of a scipy linkage with the smaller node first.
inline std::vector<double> as_linkage(const double* merges, Index n_merges, bool is_squared) {
    std::vector<double> out, size(n_merges + 1, 1);  // the samples below each cluster
    std::vector<Index> node(n_merges + 1);           // that stands for it so far
    std::iota(node.begin(), node.end(), 0);
    for (Index k = 0; k < n_merges; ++k) {
        const auto i = static_cast<Index>(merges[3 * k]), j = static_cast<Index>(merges[3 * k + 1]);
        const double height = merges[3 * k + 2];
        size[j] += size[i];
        const auto [first, second] = std::minmax(node[i], node[j]);
        out.insert(out.end(), {double(first), double(second), is_squared ? std::sqrt(height) : height, size[j]});
        node[j] = n_merges + 1 + k;
    }
    return out;
}

}  // namespace tripletree
