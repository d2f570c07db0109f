// What all parts of the core share: numbers of leaves and nodes, triplets, disjoint sets, and the look at interrupts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace tripletree {

using Index = std::int32_t;
using Count = std::int64_t;
constexpr Index none = -1;
using Flags = std::vector<unsigned char>;  // yes and no. (A std::vector<bool> has no memory to hand over.)

// The rooted triplet ab|c. Without a third leaf (`none`) it says that a and b are to become one.
struct Triplet {
    Index a = none, b = none, c = none;
};

// Disjoint sets of 0..n-1. A root points at itself.
class DisjointSets {
   public:
    explicit DisjointSets(Index n) : up_(n) { std::iota(up_.begin(), up_.end(), 0); }

    Index find(Index x) {
        while (up_[x] != x) x = up_[x] = up_[up_[x]];  // path halving
        return x;
    }
    void hang(Index below, Index root) { up_[below] = root; }

    // Joins two sets. Returns whether they were two. The smaller root stays one, so that roots are the least of their
    // set: O(log n) amortised, near constant in practice. (For sets that are joined by this function alone.)
    bool unite(Index x, Index y) {
        x = find(x);
        y = find(y);
        if (x != y) hang(std::max(x, y), std::min(x, y));
        return x != y;
    }
    bool is_root(Index x) const { return up_[x] == x; }
    // Makes a set of x alone. Only where this happens to all members of a set are the others left right.
    void release(Index x) { up_[x] = x; }

   private:
    std::vector<Index> up_;
};

// Long loops call `check` once a step. Every few steps it looks at the clock, and every twentieth of a second it calls
// `look`, which takes the GIL, shows progress, and throws what Ctrl-C or a limit of time has raised.
class Interrupts {
   public:
    explicit Interrupts(std::function<void(Count done)> look) : look_(std::move(look)) {}

    void check(Count done, Count work = 1) {
        left_ -= work;
        if (left_ > 0) return;
        left_ = between_clocks;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        look_(done);
        last_ = std::chrono::steady_clock::now();
    }

   private:
    static constexpr Count between_clocks = 1 << 16;
    std::function<void(Count)> look_;
    Count left_ = between_clocks;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tripletree
