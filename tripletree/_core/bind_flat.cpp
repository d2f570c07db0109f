// `flat` for Python: flat clusters and triplets, the search for clusters that break none (min-conflicts).
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// How the search goes.
struct Breakout {
    double price;  // the first weight of each triplet, and by how much it grows
    Count tabu;    // for how many moves a leaf that has moved stays where it is
    Count max_steps;
};

// How deep two clusters part in a tree whose leaves they are. Empty where the clusters have no tree.
using Depths = Table<Index>;

// Whether a triplet with its leaves in three different clusters is displayed by the tree of the clusters, if any.
bool displayed(const Depths& depth, Index a, Index b, Index c) {
    return depth.shape(0) == 0 || depth(a, b) > std::max(depth(a, c), depth(b, c));
}

// Moves single leaves between clusters until no triplet is broken. Returns whether none is.
//
// Clusters break ab|c where a, b are in two clusters and c is in one of these, or, if they have a tree, where the three
// are apart and the tree does not display them. Broken triplets are taken in turn. One
// of its three leaves moves to one cluster: the choice for which the weights of all triplets that the leaf then breaks
// and the cost of its place grow least. The weight of the triplet itself grows with each turn, so that no state is a
// trap (breakout). No cluster becomes empty.
//
// A leaf costs `place(x, j)` in cluster j, where places cost anything, and `away` off its first cluster.
bool min_conflicts(std::vector<Index>& label, Index k, const std::vector<Triplet>& rows, const Depths& depth,
                   const Table<double>& place, double away, const Breakout& search, Interrupts& watch) {
    const bool has_tree = depth.shape(0) > 0;
    const auto n = static_cast<Index>(label.size());
    const std::size_t m = rows.size();
    // the triplets of each leaf, one list after the other
    std::vector<Count> start(n + 1, 0);
    for (const Triplet& t : rows)
        for (const Index x : {t.a, t.b, t.c}) ++start[x + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<Index> member(3 * m);
    std::vector<Count> next(start.begin(), start.end() - 1);
    for (std::size_t t = 0; t < m; ++t)
        for (const Index x : {rows[t].a, rows[t].b, rows[t].c}) member[next[x]++] = static_cast<Index>(t);

    std::vector<Index> size(k, 0);
    for (const Index j : label) ++size[j];
    std::vector<double> weight(m, search.price), cost(k);
    const std::vector<Index> home = label;
    std::vector<Count> last_move(n, -search.tabu - 1);
    Count moves = 0;
    std::size_t turn = 0, intact = 0;  // intact: triplets in a row that are not broken
    while (intact < m && moves < search.max_steps) {
        watch.check(moves);
        const std::size_t t = turn;
        turn = turn + 1 == m ? 0 : turn + 1;
        const Index la = label[rows[t].a], lb = label[rows[t].b], lc = label[rows[t].c];
        if (la == lb || (la != lc && lb != lc && displayed(depth, la, lb, lc))) {
            ++intact;
            continue;
        }
        intact = 0;
        double best = std::numeric_limits<double>::infinity();
        Index leaf = none, goal = none;
        for (const Index x : {rows[t].a, rows[t].b, rows[t].c}) {
            const Index mine = label[x];
            if (moves - last_move[x] <= search.tabu || size[mine] <= 1) continue;
            watch.check(moves, (start[x + 1] - start[x]) * (has_tree ? k : 1) + k);
            for (Index j = 0; j < k; ++j) cost[j] = place.shape(1) > 0 ? away + place(x, j) : away;
            cost[home[x]] -= away;
            for (Count e = start[x]; e < start[x + 1]; ++e) {
                const auto [a, b, c] = rows[member[e]];
                const double price = weight[member[e]];
                const Index one = label[x == a ? b : a], other = label[x == c ? b : c];
                if (one == other) {  // if x is one of the two, broken everywhere but there
                    if (x != c) cost[one] -= price;
                    continue;
                }
                cost[other] += price;
                if (x == c) cost[one] += price;
                for (Index j = 0; has_tree && j < k; ++j) {
                    if (j == one || j == other) continue;
                    if (!(x == c ? displayed(depth, one, other, j) : displayed(depth, j, one, other))) cost[j] += price;
                }
            }
            for (Index j = 0; j < k; ++j) {
                if (j == mine || !(cost[j] - cost[mine] < best)) continue;
                best = cost[j] - cost[mine];
                leaf = x;
                goal = j;
            }
        }
        weight[t] += search.price;
        ++moves;
        if (leaf < 0) continue;
        --size[label[leaf]];
        ++size[goal];
        label[leaf] = goal;
        last_move[leaf] = moves;
    }
    return intact >= m;
}

nb::object moved(const Vector<Index>& codes, Index k, const Rows& rows, const Depths& depth, const Table<double>& place,
                 double away, double price, Count tabu, Count max_steps) {
    const auto n = static_cast<Index>(codes.size());
    require(k >= 1, "there is a cluster");
    require_range(codes, k, "a label names no cluster");
    const auto width = static_cast<std::size_t>(k);
    require(depth.shape(0) == depth.shape(1) && (depth.shape(0) == 0 || depth.shape(0) == width),
            "a depth for two clusters, or none");
    require(place.shape(0) == codes.size(), "places of each leaf");
    require(place.shape(1) == 0 || place.shape(1) == width, "a place in each cluster, or none");
    require(0 <= tabu && tabu < std::numeric_limits<Count>::max() / 2, "a number of moves");
    std::vector<Index> label = copied(codes);
    const std::vector<Triplet> triplets = triplets_of(rows, n);
    for (const Triplet& t : triplets) require(t.a != t.b && t.b != t.c && t.a != t.c, "a triplet has three leaves");
    const bool done = run_long([&](Interrupts& watch) {
        return min_conflicts(label, k, triplets, depth, place, away, {price, tabu, max_steps}, watch);
    });
    return nb::make_tuple(done, given(std::move(label)));
}

}  // namespace

void define_flat(nb::module_& module) {
    nb::module_ m = module.def_submodule("flat", "Flat clusters that break no triplet.");
    m.def("min_conflicts", &moved, "codes"_a.noconvert(), "k"_a, "rows"_a.noconvert(), "depth"_a.noconvert(),
          "place"_a.noconvert(), "away"_a, "price"_a, "tabu"_a, "max_steps"_a);
}

}  // namespace tripletree
