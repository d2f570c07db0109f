// Pairs of clusters known to be incompatible, as bits, kept true while clusters merge.
//
// A rejected pair stays rejected until one of its clusters merges, and the new cluster then stays incompatible with the
// other one, unless the blocking pair (A, B) has shrunk to one cluster against one. So a bit is inherited, and for each
// blocking pair found two clusters of one side are watched: when they merge, the pair is tested again. (One watch is
// enough: while they are two clusters, the blocking pair has at least three.)
//
// It is enough that one of the two clusters has the bit. `renew` brings a row up to date before its cluster searches. A
// bit may name a cluster id that is empty by now: it then stands for the cluster that holds that one's samples.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

class RejectedPairs {
   public:
    // named: the clusters that triplets name. apart: pairs that are never to merge while there is another merge.
    RejectedPairs(Index n, const std::vector<Index>& named, const std::vector<std::pair<Index, Index>>& apart)
        : into(n), n_words_(n / 64 + 1), row_(n, none), empty_(n_words_), mask_(n_words_), watched_(n) {
        Index n_rows = 0;
        const auto give_row = [&](Index x) {
            if (row_[x] == none) row_[x] = n_rows++;
        };
        for (const Index x : named) give_row(x);
        for (const auto& [x, y] : apart) give_row(x), give_row(y);
        bits_.resize(n_rows * n_words_);
        for (const auto& [x, y] : apart) set(bits_, row_[x], y), set(bits_, row_[y], x);
        if (!apart.empty()) cannot_linked_ = bits_;
    }

    DisjointSets into;  // where the samples of each cluster id are

    bool is_rejected(Index x, Index y) const {
        const Index r = row_[x], s = row_[y];
        // either may have learnt of it after the other was last brought up to date
        return r != none && s != none && (get(bits_, r, y) || get(bits_, s, x));
    }
    // The same for a search of x: bits that only y has are noted with x, whose row is at hand when it searches.
    bool is_found_rejected(Index x, Index y) {
        const Index r = row_[x], s = row_[y];
        if (r == none || s == none) return false;
        if (get(bits_, r, y)) return true;
        if (!get(bits_, s, x)) return false;
        set(bits_, r, y);
        return true;
    }

    // All pairs between the two sides of a blocking pair are blocked, until two clusters of one side merge. Only the
    // rows of the smaller side are marked: one often has a few clusters and the other most of them. A cluster of the
    // larger one may forget the rejection when it merges, and is then tested once more.
    void reject(std::span<const Index> left, std::span<const Index> right) {
        const bool is_left_smaller = left.size() <= right.size();
        mark(is_left_smaller ? left : right, is_left_smaller ? right : left);
        // the first and the last cluster of a side are in different components of it, if it has several: they merge
        // late
        const auto two = left.size() >= right.size() ? left : right, one = left.size() >= right.size() ? right : left;
        const auto w = static_cast<Index>(watches_.size());
        watches_.push_back({two.front(), two.back(), one.front()});
        watched_[two.front()].push_back(w);
        watched_[two.back()].push_back(w);
    }

    void renew(Index x) {  // bring the rejections that x has in its own row up to date
        if (row_[x] != none) renew(bits_, row_[x]);
    }

    // Gives the rejections of x to y, which it has merged into, and lists in `due` the other sides of blocking pairs
    // that the merge may have ended.
    void inherit(Index x, Index y, std::vector<Index>& due) {
        into.hang(x, y);
        empty_[x / 64] |= std::uint64_t{1} << x % 64;
        if (row_[y] == none) row_[y] = row_[x];  // x needs it no more
        take_over(bits_, x, y);
        if (!cannot_linked_.empty()) take_over(cannot_linked_, x, y);
        list_due(x, y, due);
    }

    void clear(Index x, Index y) {  // x and y are compatible, as far as is known, unless they are cannot-linked
        for (const auto& [p, q] : {std::pair{x, y}, std::pair{y, x}}) {
            renew(p);  // the bit may stand at the id of a cluster that q has swallowed
            bits_[row_[p] * n_words_ + q / 64] &= ~(std::uint64_t{1} << q % 64);
        }
        if (!cannot_linked_.empty() && get(cannot_linked_, row_[x], y)) set(bits_, row_[x], y), set(bits_, row_[y], x);
    }

    void forget_all() {  // cannot-links, too
        std::fill(bits_.begin(), bits_.end(), 0);
        std::fill(cannot_linked_.begin(), cannot_linked_.end(), 0);
    }

   private:
    using Bits = std::vector<std::uint64_t>;
    struct Watch {
        Index first = none, second = none;  // two clusters of one side of a blocking pair, `none` once it is over
        Index other = none;                 // one of the other side
    };

    Count n_words_;
    Bits bits_, cannot_linked_;  // rows of a bit for each cluster id. The latter are never cleared
    std::vector<Index> row_;     // of each cluster, `none` without one
    Bits empty_, mask_;          // the cluster ids that are empty now, and scratch
    std::vector<Watch> watches_;
    std::vector<std::vector<Index>> watched_;  // of each cluster: the watches on it

    bool get(const Bits& bits, Count r, Index x) const { return bits[r * n_words_ + x / 64] >> x % 64 & 1; }
    void set(Bits& bits, Count r, Index x) { bits[r * n_words_ + x / 64] |= std::uint64_t{1} << x % 64; }

    void mark(std::span<const Index> side, std::span<const Index> others) {
        if (8 * static_cast<Count>(others.size()) < n_words_) {  // bit by bit where these are few, else by words
            for (const Index x : side)
                for (const Index y : others) set(bits_, row_[x], y);
            return;
        }
        std::fill(mask_.begin(), mask_.end(), 0);
        for (const Index y : others) set(mask_, 0, y);
        for (const Index x : side)
            for (Count w = 0; w < n_words_; ++w) bits_[row_[x] * n_words_ + w] |= mask_[w];
    }

    void renew(Bits& bits, Count r) {  // replace the bits of empty cluster ids by those of who holds their samples
        for (Count w = 0; w < n_words_; ++w) {
            std::uint64_t dead = bits[r * n_words_ + w] & empty_[w];
            bits[r * n_words_ + w] &= ~empty_[w];
            for (; dead != 0; dead &= dead - 1)
                set(bits, r, into.find(static_cast<Index>(64 * w + std::countr_zero(dead))));
        }
    }

    void take_over(Bits& bits, Index x, Index y) {
        const Count r = row_[x], s = row_[y];
        if (r != none && r != s)
            for (Count w = 0; w < n_words_; ++w) bits[s * n_words_ + w] |= bits[r * n_words_ + w];
        if (s != none) renew(bits, s);
    }

    void list_due(Index x, Index y, std::vector<Index>& due) {
        auto &small = watched_[x], &large = watched_[y];
        if (small.size() > large.size()) small.swap(large);  // a watch on just these two is in both lists
        for (const Index w : small) {
            Watch& watch = watches_[w];
            if (watch.first == none) continue;
            if (into.find(watch.first) == into.find(watch.second)) {
                due.push_back(into.find(watch.other));
                watch.first = none;
            } else {
                large.push_back(w);
            }
        }
        small = {};
    }
};

}  // namespace tripletree
