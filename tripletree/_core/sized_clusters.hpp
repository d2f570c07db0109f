// The cheapest clusters of given sizes: a transportation problem with few clusters, solved over these alone.
//
// Samples begin in their cheapest clusters, whatever the sizes. Then one sample after the other is passed on, along the
// cheapest path of clusters from one that has samples to spare to one that lacks some: an edge from a to b costs what
// the sample of a that moves to b most cheaply adds. Heaps keep that sample for every two clusters. These are the
// successive shortest paths of a minimum cost flow, whose graph has a node for each cluster, and one that stands for
// "any cluster with room". Potentials keep its edges from being negative, so that each path is found by Dijkstra's
// algorithm in O(k^2). In all O(n k + moves (k^2 + k log n)).
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "basics.hpp"
#include "grid.hpp"

namespace tripletree {

class SizedClusters {
   public:
    // cost: finite, of each sample in each cluster. The sizes of k clusters can hold n samples.
    SizedClusters(Grid<const double> cost, Count least, Count most)
        : cost_(cost),
          n_(static_cast<Index>(cost.n_rows)),
          k_(static_cast<Index>(cost.n_columns)),
          least_(least),
          most_(most),
          label_(n_),
          size_(k_),
          heaps_(Count{k_} * k_),
          capacity_(k_),
          potential_(k_ + 1),
          distance_(k_ + 1),
          before_(k_ + 1),
          is_settled_(k_ + 1) {}

    // Of equal answers, the one is determined by the order of the samples.
    std::vector<Index> run(Interrupts& watch) {
        for (Index i = 0; i < n_; ++i) {
            const double* own = cost_[i];
            label_[i] = static_cast<Index>(std::min_element(own, own + k_) - own);
            ++size_[label_[i]];
        }
        bool has_heaps = false;
        for (Count moves = 0;; ++moves) {
            const Index source = next_source();
            if (source < 0) return std::move(label_);
            if (!has_heaps) make_heaps(watch);
            find_path(source);
            has_heaps = move_along_path();
            watch.check(moves, Count{k_} * k_);
        }
    }

   private:
    struct Mover {
        double added = std::numeric_limits<double>::infinity();  // what the move of the sample adds to the cost
        Index sample = none;
    };
    using Heap = std::vector<Mover>;  // of samples of a, the one that moves to b most cheaply first

    Grid<const double> cost_;
    Index n_, k_;
    Count least_, most_;
    std::vector<Index> label_;
    std::vector<Count> size_;
    // For every two clusters a and b. Samples that have left a stay in the heap until they come to the top.
    std::vector<Heap> heaps_;
    std::vector<std::size_t> capacity_;  // of each heap of a: if one is full, all are made anew
    // For nodes 0..k, the last of which stands for "any cluster with room".
    std::vector<double> potential_, distance_;
    std::vector<Index> before_;
    Flags is_settled_;
    std::vector<Index> path_;  // the clusters of a path from its end

    Heap& heap(Index a, Index b) { return heaps_[Count{a} * k_ + b]; }
    Mover top(Index a, Index b) { return heap(a, b).empty() ? Mover{} : heap(a, b).front(); }

    // A cluster with too many samples, the last of them. k if a cluster lacks some, -1 if all have their sizes.
    Index next_source() const {
        Index source = none;
        for (Index c = 0; c < k_; ++c) {
            if (size_[c] < least_) return k_;
            if (size_[c] > most_) source = c;
        }
        return source;
    }

    static void sift_down(Heap& heap, std::size_t place) {  // lets an entry sink to where it belongs
        const Mover mover = heap[place];
        while (true) {
            std::size_t below = 2 * place + 1;
            if (below >= heap.size()) break;
            if (below + 1 < heap.size() && heap[below + 1].added < heap[below].added) ++below;
            if (mover.added <= heap[below].added) break;
            heap[place] = heap[below];
            place = below;
        }
        heap[place] = mover;
    }

    // Drops samples that have left a from the top of a heap.
    void clean_top(Index a, Index b) {
        Heap& here = heap(a, b);
        while (!here.empty() && label_[here.front().sample] != a) {
            here.front() = here.back();
            here.pop_back();
            if (here.size() > 1) sift_down(here, 0);
        }
    }

    // Heaps of all samples, with room for twice as many.
    void make_heaps(Interrupts& watch) {
        for (Index a = 0; a < k_; ++a) {
            capacity_[a] = 2 * std::max(size_[a], least_) + 8;
            for (Index b = 0; b < k_; ++b) {
                heap(a, b).clear();
                if (a != b) heap(a, b).reserve(size_[a]);
            }
        }
        for (Index i = 0; i < n_; ++i) {
            const Index a = label_[i];
            const double* own = cost_[i];
            for (Index b = 0; b < k_; ++b)
                if (b != a) heap(a, b).push_back({own[b] - own[a], i});
            watch.check(i, k_);
        }
        for (Heap& some : heaps_) {
            for (std::size_t place = some.size() / 2; place-- > 0;) sift_down(some, place);
            watch.check(0, static_cast<Count>(some.size()));
        }
    }

    // Puts a sample into the heaps of its cluster. False if they are full.
    bool add(Index i) {
        const Index a = label_[i];
        const double* own = cost_[i];
        for (Index b = 0; b < k_; ++b)
            if (b != a && heap(a, b).size() == capacity_[a]) return false;
        for (Index b = 0; b < k_; ++b) {
            if (b == a) continue;
            Heap& here = heap(a, b);
            const Mover mover{own[b] - own[a], i};
            std::size_t place = here.size();
            here.push_back(mover);
            while (place > 0) {
                const std::size_t above = (place - 1) / 2;
                if (here[above].added <= mover.added) break;
                here[place] = here[above];
                place = above;
            }
            here[place] = mover;
        }
        return true;
    }

    // What it costs to pass a sample from node u to v, infinite if none can be.
    double length(Index u, Index v) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (u == k_) return size_[v] > least_ ? 0 : infinity;
        if (v == k_) return size_[u] < most_ ? 0 : infinity;
        return top(u, v).added;
    }

    // Fills path_ by Dijkstra's algorithm: from node k to a cluster that lacks samples, or from a cluster with too many
    // to k, which is left out. Then potentials are raised so that edges on the path cost nothing, and none is negative.
    void find_path(Index source) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::fill(distance_.begin(), distance_.end(), infinity);
        std::fill(before_.begin(), before_.end(), none);
        std::fill(is_settled_.begin(), is_settled_.end(), 0);
        distance_[source] = 0;
        Index u = none;
        while (true) {
            u = none;
            double near = infinity;
            for (Index v = 0; v <= k_; ++v)
                if (!is_settled_[v] && distance_[v] < near) u = v, near = distance_[v];
            if (u < 0) throw std::invalid_argument("costs are finite");
            is_settled_[u] = true;
            if (source == k_ ? u < k_ && size_[u] < least_ : u == k_) break;
            for (Index v = 0; v <= k_; ++v) {
                if (is_settled_[v]) continue;
                const double own = length(u, v);
                if (own == infinity) continue;
                const double through = near + std::max(own + potential_[u] - potential_[v], 0.0);
                if (through < distance_[v]) distance_[v] = through, before_[v] = u;
            }
        }
        for (Index v = 0; v <= k_; ++v) potential_[v] += std::min(distance_[v], distance_[u]);
        path_.clear();
        for (; u >= 0; u = before_[u])
            if (u < k_) path_.push_back(u);
    }

    // Moves a sample along each edge of the path. False if the heaps are to be made anew.
    bool move_along_path() {
        std::vector<Index> moved;
        for (std::size_t at = 0; at + 1 < path_.size(); ++at) moved.push_back(top(path_[at + 1], path_[at]).sample);
        for (std::size_t at = 0; at < moved.size(); ++at) label_[moved[at]] = path_[at];
        --size_[path_.back()];
        ++size_[path_.front()];
        bool has_room = true;
        for (const Index i : moved) has_room &= add(i);
        if (!has_room) return false;
        for (const Index a : path_)  // these have lost the samples that were on top
            for (Index b = 0; b < k_; ++b) clean_top(a, b);
        return true;
    }
};

}  // namespace tripletree
