// A binary heap of the numbers 0..k-1 by a key each: greatest key first, then smaller number first.
#pragma once

#include <numeric>
#include <vector>

#include "basics.hpp"

namespace tripletree {

// The keys are the caller's. After a key has changed, `renew` moves its number to where it belongs.
class KeyedHeap {
   public:
    explicit KeyedHeap(const std::vector<double>& key) : key_(key), heap_(key.size()), place_(key.size()) {}

    // Puts all numbers in.
    void fill() {
        size_ = static_cast<Index>(key_.size());
        std::iota(heap_.begin(), heap_.end(), 0);
        std::iota(place_.begin(), place_.end(), 0);
        for (Index i = size_ / 2 - 1; i >= 0; --i)
            sink(i);  // from the last parent up: the heaps below are made already
    }

    bool has(Index x) const { return place_[x] >= 0; }

    // Takes out the first number. There is one.
    Index pop() {
        const Index x = heap_[0], last = heap_[--size_];
        place_[x] = none;
        if (size_ > 0) {
            heap_[0] = last;
            sink(0);
        }
        return x;
    }

    // The number is in.
    void renew(Index x) {
        Index i = place_[x];
        while (i > 0) {  // up, if the key has grown
            const Index above = (i - 1) / 2;
            if (!goes_before(x, heap_[above])) break;
            put(heap_[above], i);
            i = above;
        }
        put(x, i);
        sink(i);  // down, if it has become less
    }

   private:
    bool goes_before(Index x, Index y) const { return key_[x] > key_[y] || (key_[x] == key_[y] && x < y); }

    void put(Index x, Index i) {
        heap_[i] = x;
        place_[x] = i;
    }

    // Moves the number at place i down until no child goes before it.
    void sink(Index i) {
        const Index x = heap_[i];
        for (;;) {  // place i is free, and all above it is in order
            Count child = 2 * Count{i} + 1;
            if (child >= size_) break;
            if (child + 1 < size_ && goes_before(heap_[child + 1], heap_[child])) ++child;  // the one that goes first
            if (!goes_before(heap_[child], x)) break;
            put(heap_[child], i);
            i = static_cast<Index>(child);
        }
        put(x, i);
    }

    const std::vector<double>& key_;
    std::vector<Index> heap_;   // the numbers that are in, in the first places
    std::vector<Index> place_;  // where each stands, `none` once it is out
    Index size_ = 0;
};

}  // namespace tripletree
