// The pairs of clusters that live triplets name, with the costs of their merges, and these triplets.
//
// Merging a pair may violate triplets, at a price. Its push is the weight that this violates, less the weight that it
// satisfies. A triplet ab|c of three clusters is satisfied when a and b merge, violated when c merges with one of them.
// Either way it is dead from then on. So a merge changes no cost but the costs of the merged cluster.
//
// Most pairs of clusters are in no triplet. The others are ties. A merge walks the ties of the two clusters, of which
// there are fewer than clusters, and each triplet dies once. So m triplets take O(m log n) time in all, and O(m)
// memory. Dead pairs and triplets stay in lists until they are walked.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

class Ties {
   public:
    // place: of each cluster id, wherever that stands now. It is read when ties are laid.
    Ties(std::vector<Triplet> triplets, std::vector<double> weights, const std::vector<Index>& place, Interrupts& watch)
        : watch_(watch),
          place_(place),
          triplets_(std::move(triplets)),
          weight_(std::move(weights)),
          into_(static_cast<Index>(place.size())),
          head_(place.size(), none),
          after_(3 * triplets_.size(), none),
          of_cluster_(place.size(), none),
          pushes_(place.size()) {
        // entry 3 t + k stands for triplet t in the pair without its end k
        std::vector<std::pair<Count, Index>> entries;
        const auto n = static_cast<Count>(place.size());
        for (const auto& [a, b, c] : triplets_)
            for (const auto& [x, y] : {std::pair(b, c), std::pair(a, c), std::pair(a, b)})
                entries.emplace_back(std::min(x, y) * n + std::max(x, y), static_cast<Index>(entries.size()));
        std::sort(entries.begin(), entries.end());
        Count last = -1;
        for (const auto& [key, entry] : entries) {
            if (key != last)
                pairs_.push_back({{static_cast<Index>(key / n), static_cast<Index>(key % n)}, {none, none}});
            else
                after_[pairs_.back().last] = entry;
            last = key;
            Tie& tie = pairs_.back();
            if (tie.first == none) tie.first = entry;
            tie.last = entry;
            tie.push += entry % 3 == 2 ? -weight_[entry / 3] : weight_[entry / 3];
            ++tie.count;
        }
        for (auto x = static_cast<Index>(2 * pairs_.size()) - 1; x >= 0; --x) {
            next(x) = head_[end(x)];
            head_[end(x)] = x;
        }
    }

    // Writes down the push of each place tied to cluster j, and drops dead ties from its list.
    void lay(Index j) {
        Index before = none;
        for (Index x = head_[j]; x >= 0; x = next(x)) {
            if (tie(x).count > 0) {
                before = x;
                laid_.push_back(place_[into_.find(end(x ^ 1))]);
                pushes_[laid_.back()] = tie(x).push;
            } else {
                (before < 0 ? head_[j] : next(before)) = next(x);
            }
        }
        watch_.check(n_merges_, static_cast<Count>(laid_.size()));
    }
    void lift() {  // sets to 0 what `lay` has written
        for (const Index z : laid_) pushes_[z] = 0;
        laid_.clear();
    }
    const std::vector<Index>& laid() const { return laid_; }
    const std::vector<double>& pushes() const { return pushes_; }  // of each place, 0 except for those laid

    // Merges cluster i into cluster j. O(ties of both).
    void unite(Index i, Index j) {
        ++n_merges_;
        for (Index x = head_[j]; x >= 0; x = next(x))
            if (tie(x).count > 0) of_cluster_[into_.find(end(x ^ 1))] = x / 2;
        const Index between = std::exchange(of_cluster_[i], none);
        if (between >= 0) pairs_[between].count = 0;
        hand_over(i, j);
        into_.hang(i, j);
        if (between >= 0) end_triplets(pairs_[between]);
        for (Index x = head_[j]; x >= 0; x = next(x)) of_cluster_[into_.find(end(x ^ 1))] = none;
    }

    // What `NearestLoop` asks of pairs that are rejected: none is.
    void renew(Index) { watch_.check(n_merges_, work); }
    bool is_rejected(Index, Index) const { return false; }
    Count work = 1;  // of one search

   private:
    struct Tie {
        Index ends[2];  // a sample of each of the two clusters. End x = 2 e + side is that of pair e
        Index next[2];  // the end after each in the list of its cluster
        double push = 0;
        Index count = 0;                  // live triplets, 0 if this is no longer a pair
        Index first = none, last = none;  // entries of its triplets
    };

    Interrupts& watch_;
    const std::vector<Index>& place_;
    std::vector<Triplet> triplets_;  // leaves. The third is -1 if it is dead
    std::vector<double> weight_;
    DisjointSets into_;  // of samples. The root is the id of the cluster
    std::vector<Tie> pairs_;
    std::vector<Index> head_;        // the first end in the list of each cluster
    std::vector<Index> after_;       // the entry after each in its list
    std::vector<Index> of_cluster_;  // scratch: the pair of each cluster and the one that merges, -1 for none
    std::vector<double> pushes_;
    std::vector<Index> laid_;
    Count n_merges_ = 0;

    Tie& tie(Index x) { return pairs_[x / 2]; }
    Index& end(Index x) { return pairs_[x / 2].ends[x % 2]; }
    Index& next(Index x) { return pairs_[x / 2].next[x % 2]; }

    // Renames the ties of cluster i to ties of j, whose own have been named. Two ties to one cluster become one.
    void hand_over(Index i, Index j) {
        for (Index x = head_[i], following; x >= 0; x = following) {
            following = next(x);
            Tie& old = tie(x);
            if (old.count == 0) continue;
            Index& pair = of_cluster_[into_.find(end(x ^ 1))];
            if (pair < 0) {
                pair = x / 2;
                next(x) = head_[j];
                head_[j] = x;
                continue;
            }
            Tie& kept = pairs_[pair];
            kept.push += old.push;
            kept.count += old.count;
            old.count = 0;
            after_[kept.last] = old.first;
            kept.last = old.last;
        }
    }

    // The clusters of a pair have merged: its triplets are dead, and their other two pairs, one by now, lose them.
    void end_triplets(const Tie& merged) {
        for (Index x = merged.first; x >= 0; x = after_[x]) {
            Triplet& triplet = triplets_[x / 3];
            if (triplet.c < 0) continue;
            const Index other = x % 3 == 0 ? triplet.a : x % 3 == 1 ? triplet.b : triplet.c;
            Tie& rest = pairs_[of_cluster_[into_.find(other)]];
            rest.count -= 2;
            if (x % 3 == 2)
                rest.push -= 2 * weight_[x / 3];  // satisfied: it held both others apart, else they push and pull alike
            if (rest.count == 0) rest.push = 0;   // exactly, whatever the rounding of sums
            triplet.c = none;
        }
    }
};

}  // namespace tripletree
