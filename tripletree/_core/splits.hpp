// Contradictions that are known, so that most later ones are looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree {

// Sets of leaves that the triplets inside tie together in two components, so that a triplet ab|c with a and b on two
// sides and c on either contradicts them, now and whatever is added. A test that ends with a refusal leaves the split
// behind at which it ended. The smaller side is kept as entries of its leaves. The larger one is kept as a set: the
// bits of the leaves below its largest node, which several splits share. Splits and sets are numbered on and on, and
// old ones make room for new ones.
class Splits {
   public:
    explicit Splits(Index n_leaves)
        : Splits(n_leaves, std::min<Count>(4 * Count{n_leaves}, (1 << 27) / std::max<Index>(n_leaves, 1)) + 1) {}
    Splits(Index n_leaves, Count most_sets)
        : n_words_(n_leaves / 64 + 1), most_sets_(most_sets), last_(n_leaves, none) {}

    bool separates(Triplet x) const { return finds(x.a, x.b, x.c) || finds(x.b, x.a, x.c); }
    void forget() { first_ = n_entries_; }

    bool holds(Count set) const { return set >= 0 && set >= n_sets_ - most_sets_; }
    Index size(Count set) const { return size_[set % most_sets_]; }
    Count new_set() {
        if (n_sets_ < most_sets_) {
            bits_.resize(bits_.size() + n_words_);
            size_.push_back(0);
        } else {
            std::fill_n(bits_.begin() + n_sets_ % most_sets_ * n_words_, n_words_, 0);
            size_[n_sets_ % most_sets_] = 0;
        }
        return n_sets_++;
    }
    void put(Count set, Index leaf) {
        bits_[set % most_sets_ * n_words_ + leaf / 64] |= std::uint64_t{1} << leaf % 64;
        ++size_[set % most_sets_];
    }

    bool has_room(Index n_small) const { return n_small <= most_entries(); }
    Count next_split() const { return n_entries_; }  // a split has the number of its first entry
    void put_small(Count split, Count large, Index leaf) {
        const Entry entry{split, large, last_[leaf]};
        if (n_entries_ < most_entries())
            entries_.push_back(entry);
        else
            entries_[n_entries_ % most_entries()] = entry;
        last_[leaf] = n_entries_++;
        first_ = std::max(first_, n_entries_ - most_entries());
    }

    // For tests: the smaller side of each split that holds, and the set of leaves noted of its larger side.
    struct Sides {
        std::vector<Index> small, large;
    };
    std::vector<Sides> all() const {
        std::map<std::pair<Count, Count>, Sides> found;
        for (Index x = 0; x < static_cast<Index>(last_.size()); ++x)
            for (Count e = last_[x]; e >= first_; e = entries_[e % most_entries()].before) {
                const Entry& entry = entries_[e % most_entries()];
                if (entry.split >= first_ && holds(entry.large)) found[{entry.split, entry.large}].small.push_back(x);
            }
        std::vector<Sides> out;
        for (auto& [key, sides] : found) {
            for (Index x = 0; x < static_cast<Index>(last_.size()); ++x)
                if (is_in(key.second, x)) sides.large.push_back(x);
            out.push_back(std::move(sides));
        }
        return out;
    }
    Count n_sets() const { return n_sets_; }

   private:
    struct Entry {  // one leaf of a smaller side
        Count split;
        Count large;   // a set of leaves on its larger side
        Count before;  // the leaf's previous entry
    };
    static constexpr int most_looked_up = 16;

    Count most_entries() const { return 8 * most_sets_; }
    bool is_in(Count set, Index x) const { return bits_[set % most_sets_ * n_words_ + x / 64] >> x % 64 & 1; }
    bool is_on_small_side(Count split, Index x) const {
        Count e = last_[x];
        for (int k = 0; k < most_looked_up && e >= split; ++k) {
            const Entry& entry = entries_[e % most_entries()];
            if (entry.split == split) return true;
            e = entry.before;
        }
        return false;
    }
    bool finds(Index a, Index b, Index c) const {  // a on the smaller side, b on the larger one
        Count e = last_[a];
        for (int k = 0; k < most_looked_up && e >= first_; ++k) {
            const Entry& entry = entries_[e % most_entries()];
            if (entry.split < first_) return false;
            if (holds(entry.large) && is_in(entry.large, b) &&
                (is_in(entry.large, c) || is_on_small_side(entry.split, c)))
                return true;
            e = entry.before;
        }
        return false;
    }

    Count n_words_, most_sets_, n_sets_ = 0, n_entries_ = 0;
    Count first_ = 0;  // entries before this one do not hold any more
    std::vector<std::uint64_t> bits_;
    std::vector<Index> size_;
    std::vector<Entry> entries_;
    std::vector<Count> last_;  // of each leaf: its latest entry
};

}  // namespace tripletree
