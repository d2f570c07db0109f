#include "complete_link.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "processors.hpp"

namespace tripletree::complete_link {

// Replaces out[j] by leg + onward[j] where that is less.
FOR_EACH_PROCESSOR void keep_shorter(double* __restrict out, const double* __restrict onward, double leg, Count n) {
    for (Count j = 0; j < n; ++j) {
        const double way = leg + onward[j];
        out[j] = way < out[j] ? way : out[j];
    }
}

// The same by four ways at a time: out is read and written a quarter as often.
FOR_EACH_PROCESSOR void keep_shortest(double* __restrict out, const double* const* onward, const double* leg, Count n) {
    const double *a = onward[0], *b = onward[1], *c = onward[2], *d = onward[3];
    const double to_a = leg[0], to_b = leg[1], to_c = leg[2], to_d = leg[3];
    for (Count j = 0; j < n; ++j) {
        double x = to_a + a[j], z = to_c + c[j];
        const double y = to_b + b[j], w = to_d + d[j];
        x = x < y ? x : y;
        z = z < w ? z : w;
        x = x < z ? x : z;
        out[j] = x < out[j] ? x : out[j];
    }
}

// The place of a group is never behind the places of its members, so nothing is overwritten before it is read.
void contract(double* condensed, const Index* group, Index n, Index n_groups, Interrupts& watch) {
    Index newest = none;  // the last group whose first sample has been passed
    const double* next = condensed;
    for (Index i = 0; i < n; ++i) {
        const Index a = group[i];
        const bool row_is_first = a > newest;  // i is the first sample of its group
        newest = std::max(newest, a);
        Index seen = newest;
        for (Index j = i + 1; j < n; ++j) {
            const double value = *next++;
            const Index b = group[j];
            const bool first = row_is_first && b > seen;  // no distance of these two groups has been written yet
            seen = std::max(seen, b);
            if (a == b) continue;  // distances inside a group are gone
            double& target = condensed[place(std::min(a, b), std::max(a, b), n_groups)];
            if (first || value < target) target = value;
        }
        watch.check(i, n - i);
    }
}

namespace {

// The entries of all groups, one group after another.
struct Entries {
    std::vector<Index> entry;  // places among the linked groups
    std::vector<Count> start;  // where the entries of each group begin, and the end
};

// The entries, and the shortest distances of the linked groups to all, in `reach` (q x n), which has direct ones at
// first. between: shortest distances of linked groups.
Entries enter(std::vector<double>& reach, const std::vector<double>& between, Index n, Count q, Interrupts& watch) {
    Entries entries{{}, {0}};
    std::vector<double> direct(q), reached(q);
    std::vector<Index> order(q);
    for (Index i = 0; i < n; ++i) {
        for (Count b = 0; b < q; ++b) direct[b] = reach[b * n + i];
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Index b, Index c) { return direct[b] < direct[c]; });
        std::fill(reached.begin(), reached.end(), std::numeric_limits<double>::infinity());
        for (const Index b : order) {  // the nearest first, so an entry is never reached through a later one
            if (reached[b] <= direct[b]) continue;  // reached through an earlier entry: it is none itself
            entries.entry.push_back(b);
            keep_shorter(reached.data(), &between[b * q], direct[b], q);
            watch.check(i, q / 8);
        }
        entries.start.push_back(static_cast<Count>(entries.entry.size()));
        for (Count b = 0; b < q; ++b) reach[b * n + i] = reached[b];
        watch.check(i, q);
    }
    return entries;
}

// Replaces distances by the lengths of shorter paths. Columns come in blocks that stay in the cache.
void relax(double* condensed, Index n, const std::vector<double>& reach, const Entries& entries, Interrupts& watch) {
    constexpr Index block = 1024;  // so many distances of some hundred linked groups fit in the cache
    for (Index begin = 1; begin < n; begin += block) {
        const Index stop = std::min(begin + block, n);
        for (Index i = 0; i + 1 < stop; ++i) {
            const Index left = std::max(begin, i + 1);  // only columns behind i are stored
            const Count size = stop - left;
            double* row = condensed + place(i, left, n);
            const auto leg = [&](Count s) { return reach[Count{entries.entry[s]} * n + i]; };
            const auto onward = [&](Count s) { return &reach[Count{entries.entry[s]} * n + left]; };
            Count s = entries.start[i];
            const Count end = entries.start[i + 1];
            watch.check(i, 1 + (end - s) * size / 8);
            for (; s + 4 <= end; s += 4) {
                const double* ways[] = {onward(s), onward(s + 1), onward(s + 2), onward(s + 3)};
                const double legs[] = {leg(s), leg(s + 1), leg(s + 2), leg(s + 3)};
                keep_shortest(row, ways, legs, size);
            }
            for (; s < end; ++s) keep_shorter(row, onward(s), leg(s), size);
        }
    }
}

}  // namespace

void shorten_paths(double* condensed, Index n, const std::vector<Index>& linked, Interrupts& watch) {
    const auto q = static_cast<Count>(linked.size());
    std::vector<double> reach(q * n), between(q * q);  // distances of the linked groups to all, and to each other
    for (Count b = 0; b < q; ++b) {
        for (Index j = 0; j < n; ++j)
            if (j != linked[b]) reach[b * n + j] = condensed[place(std::min(j, linked[b]), std::max(j, linked[b]), n)];
        for (Count c = 0; c < q; ++c) between[b * q + c] = reach[b * n + linked[c]];
        watch.check(b, n);
    }
    for (Count k = 0; k < q; ++k)  // Floyd and Warshall: from now on k may be on the way
        for (Count i = 0; i < q; ++i) {
            if (i != k) keep_shorter(&between[i * q], &between[k * q], between[i * q + k], q);
            watch.check(k, 1 + q / 8);
        }
    const Entries entries = enter(reach, between, n, q, watch);
    relax(condensed, n, reach, entries, watch);
}

void farthest(const double* condensed, const Index* part, Index n, Index n_parts, double* out, Interrupts& watch) {
    for (Index i = 0; i + 1 < n; ++i) {
        double* own = out + Count{part[i]} * n_parts;
        for (Index j = i + 1; j < n; ++j) {
            const double distance = *condensed++;
            if (part[i] != part[j] && distance > own[part[j]])
                own[part[j]] = out[Count{part[j]} * n_parts + part[i]] = distance;
        }
        watch.check(i, n - i);
    }
}

}  // namespace tripletree::complete_link
