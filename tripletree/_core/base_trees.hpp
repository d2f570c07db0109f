// What division needs of distances: trees by linkage, heights, mean sizes of clades, and a kernel of low rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "basics.hpp"

namespace tripletree::division {

// A square matrix whose memory is somebody else's.
template <class Real>
struct Square {
    Real* data;
    Index n;
    Real& operator()(Index i, Index j) const { return data[Count(i) * n + j]; }
};

struct Linkage {
    std::vector<Index> child;    // two for each merge, in the order of heights. Merge i makes node n + i
    std::vector<double> height;  // for Ward's linkage squared
};

// Merges by the chain of nearest neighbours (Murtagh 1983): Ward's linkage of distances, or average linkage. `size` is
// the samples that each row stands for. The distances are overwritten.
inline Linkage link(Square<double> distance, std::vector<double> size, bool ward, Interrupts& watch) {
    const Index n = distance.n;
    for (Index i = 0; i < n; ++i) {
        if (ward)
            for (Index j = 0; j < n; ++j)
                distance(i, j) *= distance(i, j) * 2.0 * size[i] * size[j] / (size[i] + size[j]);
        distance(i, i) = std::numeric_limits<double>::infinity();
    }
    struct Ends {
        Index x, y;  // the least sample of either cluster
    };
    std::vector<Ends> ends;
    std::vector<double> height;
    std::vector<Index> chain;
    Index first = 0;
    for (Index step = 0; step + 1 < n; ++step) {
        if (chain.empty()) {
            while (size[first] == 0) ++first;
            chain.push_back(first);
        }
        double near;
        while (true) {
            watch.check(step, n);
            const Index x = chain.back();
            const Index before = chain.size() > 1 ? chain[chain.size() - 2] : none;
            // ties go to the previous one, else the chain could run in a circle
            Index y = before;
            near = before == none ? std::numeric_limits<double>::infinity() : distance(x, before);
            for (Index z = 0; z < n; ++z)
                if (distance(x, z) < near && size[z] > 0) y = z, near = distance(x, z);
            if (y != none && y == before) break;  // x and y are the nearest of each other
            if (y == none || static_cast<Index>(chain.size()) == n)
                throw std::invalid_argument("distances must be finite and symmetric");
            chain.push_back(y);
        }
        const auto [x, y] = std::minmax({chain.back(), chain[chain.size() - 2]});
        chain.resize(chain.size() - 2);  // the rest stays valid, as these linkages bring no cluster nearer
        ends.push_back({x, y}), height.push_back(near);
        const double a = size[x], b = size[y];
        for (Index z = 0; z < n; ++z) {
            const double c = size[z];
            if (c <= 0 || z == x || z == y) continue;
            distance(x, z) = distance(z, x) =
                ward ? ((a + c) * distance(x, z) + (b + c) * distance(y, z) - c * near) / (a + b + c)
                     : (a * distance(x, z) + b * distance(y, z)) / (a + b);
        }
        size[x] = a + b, size[y] = 0.0;
    }
    std::vector<Index> order(ends.size()), node(n);
    std::iota(order.begin(), order.end(), 0), std::iota(node.begin(), node.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return height[i] < height[j]; });
    DisjointSets clusters(n);
    Linkage out;
    for (const Index step : order) {
        const auto [x, y] = std::pair(clusters.find(ends[step].x), clusters.find(ends[step].y));
        out.child.insert(out.child.end(), {node[x], node[y]});
        out.height.push_back(height[step]);
        clusters.hang(std::max(x, y), std::min(x, y));
        node[std::min(x, y)] = n - 1 + static_cast<Index>(out.height.size());
    }
    return out;
}

// Does `merge(u, v, ours, theirs)` at each node u of a binary tree whose second child is v, given lists of the leaves
// of both sides. Parents come after their children. `first(u, v)` is done before, for the first child.
template <class First, class Merge>
void for_each_fork(const Index* parent, Index n, Interrupts& watch, First first, Merge merge) {
    const Index size = 2 * n - 1;
    std::vector<std::vector<Index>> leaves(size);
    for (Index v = 0; v < n; ++v) leaves[v] = {v};
    for (Index v = 0; v + 1 < size; ++v) {
        const Index u = parent[v];
        if (leaves[u].empty()) {
            first(u, v);
            leaves[u] = std::move(leaves[v]);
            continue;
        }
        watch.check(v, static_cast<Count>(leaves[u].size() * leaves[v].size()));
        merge(u, v, leaves[u], leaves[v]);
        leaves[u].insert(leaves[u].end(), leaves[v].begin(), leaves[v].end());
        leaves[v] = {};
    }
}

// Adds to total[i, j], i < j, the weighted square root of the size of the smallest clade that holds both leaves.
inline void add_sizes(const Index* parent, const double* size, double weight, Square<double> total, Interrupts& watch) {
    std::vector<double> inside(2 * total.n - 1, 0.0);
    std::copy(size, size + total.n, inside.begin());
    for_each_fork(
        parent, total.n, watch, [&](Index u, Index v) { inside[u] = inside[v]; },
        [&](Index u, Index v, const std::vector<Index>& ours, const std::vector<Index>& theirs) {
            const double value = weight * std::sqrt(inside[u] + inside[v]);
            for (const Index i : ours)
                for (const Index j : theirs) total(std::min(i, j), std::max(i, j)) += value;
            inside[u] += inside[v];
        });
}

// The mean distance of the two sides of each inner node (average linkage).
inline std::vector<double> heights_by_distance(const Index* parent, Square<const double> distance, Interrupts& watch) {
    std::vector<double> height(2 * distance.n - 1, 0.0);
    for_each_fork(
        parent, distance.n, watch, [](Index, Index) {},
        [&](Index u, Index, const std::vector<Index>& ours, const std::vector<Index>& theirs) {
            for (const Index i : ours)
                for (const Index j : theirs) height[u] += distance(i, j);
            height[u] /= static_cast<double>(ours.size()) * static_cast<double>(theirs.size());
        });
    return height;
}

// Ward's distance of the two sides of each inner node.
inline std::vector<double> heights_by_mean(const Index* parent, const double* points, Index n, Count d,
                                           Interrupts& watch) {
    const Index n_nodes = 2 * n - 1;
    std::vector<double> mean(n_nodes * d), size(n_nodes, 0.0), height(n_nodes, 0.0);
    std::copy(points, points + n * d, mean.begin());
    std::fill(size.begin(), size.begin() + n, 1.0);
    for (Index v = 0; v + 1 < n_nodes; ++v) {
        const Index u = parent[v];
        watch.check(v, d);
        double *ours = mean.data() + u * d, *theirs = mean.data() + v * d;
        if (size[u] == 0.0) {
            std::copy(theirs, theirs + d, ours);
        } else {
            const double a = size[u], b = size[v];
            double square = 0.0;
            for (Count k = 0; k < d; ++k) {
                const double gap = ours[k] - theirs[k];
                square += gap * gap;
                ours[k] -= gap * (b / (a + b));
            }
            height[u] = std::sqrt(2.0 * a * b / (a + b) * square);
        }
        size[u] += size[v];
    }
    return height;
}

// Rows that stand for the samples: their products are about exp(-distance[i, j]^2 / (scale[i] scale[j])). This is
// Cholesky's decomposition with the greatest rest as pivot, the first of equals, without BLAS, whose rounding depends
// on the number of threads. There are n rows of r columns, r at most `rank`.
inline std::vector<double> columns(Square<const double> distance, const double* scale, Index rank, Index& n_columns,
                                   Interrupts& watch) {
    const Index n = distance.n;
    const Count most = std::min(rank, n);
    std::vector<double> column(most * n, 0.0), rest(n, 1.0);
    Count found = 0;
    for (; found < most; ++found) {
        watch.check(found, n * (found + 1));
        const auto pivot = static_cast<Index>(std::max_element(rest.begin(), rest.end()) - rest.begin());
        if (rest[pivot] < 1e-3) break;
        double* own = column.data() + found * n;
        for (Index i = 0; i < n; ++i)
            own[i] = std::exp(-distance(pivot, i) * distance(pivot, i) / (scale[pivot] * scale[i]));
        for (Count j = 0; j < found; ++j) {
            const double* other = column.data() + j * n;
            const double x = other[pivot];
            for (Index i = 0; i < n; ++i) own[i] -= x * other[i];
        }
        const double root = std::sqrt(rest[pivot]);
        for (Index i = 0; i < n; ++i) {
            own[i] /= root;
            rest[i] -= own[i] * own[i];
        }
        rest[pivot] = 0.0;
    }
    std::vector<double> out(found * n);
    for (Count j = 0; j < found; ++j)
        for (Index i = 0; i < n; ++i) out[i * found + j] = column[j * n + i];
    n_columns = static_cast<Index>(found);
    return out;
}

}  // namespace tripletree::division
