// The posterior of trees for Python: `TreeWalk`, and the odd ones of trios in a sample of trees.
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "parts.hpp"
#include "posterior.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// After an interrupt `begin` has to follow. One thread at a time may work with it.
void new_walk(TreeWalk* self, const Pairs& child, const Vector<double>& height, const Table<double>& points,
              const Table<Index>& near, double noise, double shape) {
    const auto n = static_cast<Index>(child.shape(0)) + 1;
    require(n >= 2, "a tree of two leaves or more is needed");
    require(height.size() == std::size_t(2 * n - 1), "a height for each node");
    for (Index v = 0; v < 2 * n - 1; ++v)
        require(height(v) >= 0 && height(v) < TreeWalk::greatest && (v >= n || height(v) == 0), "heights are finite");
    Flags has_parent(2 * n - 1, 0);
    for (Index u = n; u < 2 * n - 1; ++u)
        for (const int k : {0, 1}) {
            const Index v = child(u - n, k);
            require(0 <= v && v < 2 * n - 1 && !has_parent[v], "each node is the child of one node");
            require(height(v) < height(u), "heights grow towards the root");
            has_parent[v] = 1;
        }
    require(points.shape(0) == std::size_t(n), "coordinates for each leaf");
    require(near.shape(0) == std::size_t(n) && near.shape(1) > 0, "leaves near each leaf");
    for (std::size_t k = 0; k < near.size(); ++k) require(0 <= near.data()[k] && near.data()[k] < n, "no such leaf");
    require(noise > 0 && std::isfinite(noise), "noise is above 0");
    new (self) TreeWalk(child.data(), height.data(), n, points.data(), Count(points.shape(1)),
                        {near.data(), near.data() + near.size()}, noise, shape);
}

std::vector<Triplet> checked_triplets(const Rows& rows, const Vector<double>& weight, Index n) {
    require(weight.size() == rows.shape(0), "a weight for each triplet");
    auto triplets = triplets_of(rows, n);
    for (const auto& [a, b, c] : triplets) require(a != b && b != c && a != c, "a triplet has three leaves");
    return triplets;
}

void hear(TreeWalk& self, const Rows& rows, const Vector<double>& weight) {
    auto triplets = checked_triplets(rows, weight, self.n_leaves());
    run_long([&](Interrupts& watch) { self.hear(std::move(triplets), copied(weight), watch); });
}

void require_draws(const Table<double>& draws, std::size_t columns) {
    require(draws.shape(1) == columns, "a row of random numbers for each step");
    for (std::size_t k = 0; k < draws.size(); ++k)
        require(0 <= draws.data()[k] && draws.data()[k] < 1, "random numbers from 0 to 1");
}

Count walk(TreeWalk& self, double power, double price, const Table<double>& draws) {
    require_draws(draws, std::tuple_size_v<TreeWalk::Draws>);
    std::vector<TreeWalk::Draws> steps(draws.shape(0));
    std::copy_n(draws.data(), draws.size(), steps.data()->data());
    return run_long([&](Interrupts& watch) {
        return self.walk(power, price, steps.data(), static_cast<Count>(steps.size()), watch);
    });
}

void rescale(TreeWalk& self, double power, const Table<double>& draws) {
    require_draws(draws, 2);
    require(draws.shape(0) == 2, "two rows of random numbers");
    self.rescale(power, {{{draws(0, 0), draws(0, 1)}, {draws(1, 0), draws(1, 1)}}});
}

nb::tuple relations(const TreeWalk& self) {
    Flags displayed;
    std::vector<double> ratio;
    run_long([&](Interrupts& watch) { self.relations(displayed, ratio, watch); });
    return nb::make_tuple(given(std::move(displayed)), given(std::move(ratio)));
}

void require_believable(double sharpness, double wrong) {
    require(sharpness > 0 && 0 <= wrong && wrong < 1, "a sharpness above 0, a share below 1");
}

void believe(TreeWalk& self, double sharpness, double wrong, const Vector<double>& worth, double votes) {
    require(worth.size() == self.rows().size(), "a worth for each triplet");
    require_believable(sharpness, wrong);
    self.believe(sharpness, wrong, copied(worth), votes);
}

// A walk that is read back goes on as the other one does after `begin`.
nb::tuple saved(const TreeWalk& self) {
    const Index n = self.n_leaves();
    std::vector<Index> child, rows;
    std::vector<double> height;
    for (const auto& node : self.nodes()) height.push_back(node.height);
    for (Index u = n; u < 2 * n - 1; ++u) child.insert(child.end(), self.nodes()[u].child, self.nodes()[u].child + 2);
    for (const auto& [a, b, c] : self.rows()) rows.insert(rows.end(), {a, b, c});
    const auto d = std::size_t(self.n_features());
    std::vector<double> points(self.mean().begin(), self.mean().begin() + n * self.n_features());
    const auto& state = self.state();
    return nb::make_tuple(given(std::move(child), 2), given(std::move(height)),
                          nb::cast(given(std::move(points))).attr("reshape")(n, d),
                          given(std::vector(self.near()), self.near().size() / n), state.noise, self.shape(),
                          given(std::move(rows), 3), given(std::vector(self.weight())), state.sharpness, state.wrong);
}

void read_back(TreeWalk* self, const nb::tuple& state) {
    require(state.size() == 10, "a saved walk has ten parts");
    const auto rows = nb::cast<Rows>(state[6]);
    const auto weight = nb::cast<Vector<double>>(state[7]);
    const auto sharpness = nb::cast<double>(state[8]), wrong = nb::cast<double>(state[9]);
    require_believable(sharpness, wrong);
    const auto child = nb::cast<Pairs>(state[0]);
    const auto triplets = checked_triplets(rows, weight, static_cast<Index>(child.shape(0)) + 1);
    new_walk(self, child, nb::cast<Vector<double>>(state[1]), nb::cast<Table<double>>(state[2]),
             nb::cast<Table<Index>>(state[3]), nb::cast<double>(state[4]), nb::cast<double>(state[5]));
    self->believe(sharpness, wrong, {}, 0.0);
    run_long([&](Interrupts& watch) { self->hear(triplets, copied(weight), watch); });
}

// The parents, inner nodes numbered by their heights.
Array<Index> tree(const TreeWalk& self) {
    const Index n = self.n_leaves();
    const auto number = [&](Index u) { return u < n ? u : n + self.nodes()[u].place; };
    std::vector<Index> out(2 * n - 1, none);
    for (Index u = 0; u < 2 * n - 1; ++u)
        if (self.nodes()[u].parent != none) out[number(u)] = number(self.nodes()[u].parent);
    return given(std::move(out));
}

Array<double> heights(const TreeWalk& self) {
    std::vector<double> out;
    for (const Index u : self.order()) out.push_back(self.nodes()[u].height);
    return given(std::move(out));
}

// The field of each node, as an array.
template <class T, class Get>
Array<T> of_nodes(const TreeWalk& self, Get get) {
    std::vector<T> out;
    for (const auto& node : self.nodes()) out.push_back(get(node));
    return given(std::move(out));
}

// ---------------------------------------------------------------------- the relation of three leaves in trees

struct Sisters {
    Index one, other;
};

// The children of the last common ancestor of two leaves that hold them. Parents come after their children.
Sisters sisters(const Index* parent, Index a, Index b) {
    while (parent[a] != parent[b]) {
        Index& lower = parent[a] < parent[b] ? a : b;
        lower = parent[lower];
    }
    return {a, b};
}

// Finds which of three leaves is the odd one in each tree, how clearly, and how much of the tree depends on it.
//
// The odd one of a, b, c is c if ab|c. Then all triplets between the largest clades around a, b and c that hold none of
// the other two are of the same kind. Their number is the product of the three sizes. O(t q depth).
//
// Returns the odd ones as 0, 1, 2, the lower of the two heights at which the three meet, divided by the upper one, and
// these products, each of shape (trees, trios).
nb::tuple odd_ones(const Table<Index>& parents, const Table<double>& heights, const Rows& trios) {
    const std::size_t n_trees = parents.shape(0), n_nodes = parents.shape(1), n_trios = trios.shape(0);
    require(n_nodes % 2 == 1, "a binary tree has an odd number of nodes");
    const auto n = static_cast<Index>((n_nodes + 1) / 2);
    require(heights.shape(0) == n_trees && heights.shape(1) + 1 == std::size_t(n), "heights of all inner nodes");
    for (std::size_t i = 0; i < n_trees; ++i)
        for (Index v = 0; v < 2 * n - 2; ++v)
            require(std::max(v + 1, n) <= parents(i, v) && parents(i, v) < 2 * n - 1,
                    "parents come after their children");
    const auto rows = triplets_of(trios, n);
    for (const auto& [a, b, c] : rows) require(a != b && b != c && a != c, "a trio has three leaves");
    std::vector<std::int8_t> odd;
    std::vector<double> ratio, hanging;
    run_long([&](Interrupts& watch) {
        odd.reserve(n_trees * n_trios), ratio.reserve(n_trees * n_trios), hanging.reserve(n_trees * n_trios);
        std::vector<double> size;
        for (std::size_t i = 0; i < n_trees; ++i) {
            const Index* parent = parents.data() + i * n_nodes;
            const double* height = heights.data() + i * (n - 1);
            size.assign(n_nodes, 0.0);
            std::fill_n(size.begin(), n, 1.0);
            for (std::size_t v = 0; v + 1 < n_nodes; ++v) size[parent[v]] += size[v];
            for (const auto& [a, b, c] : rows) {
                watch.check(static_cast<Count>(i), 64);
                const auto [ab, ba] = sisters(parent, a, b);
                const auto [ac, ca] = sisters(parent, a, c);
                Index low = parent[ab], high = parent[ac];
                if (low < high) {
                    odd.push_back(2), hanging.push_back(size[ab] * size[ba] * size[ca]);
                } else if (high < low) {
                    odd.push_back(1), hanging.push_back(size[ac] * size[ca] * size[ba]);
                    std::swap(low, high);
                } else {
                    const auto [bc, cb] = sisters(parent, b, c);
                    odd.push_back(0), hanging.push_back(size[bc] * size[cb] * size[ab]);
                    low = parent[bc];
                }
                ratio.push_back(height[low - n] / height[high - n]);
            }
        }
    });
    const auto shaped = [&](auto array) { return nb::cast(array).attr("reshape")(n_trees, n_trios); };
    return nb::make_tuple(shaped(given(std::move(odd))), shaped(given(std::move(ratio))),
                          shaped(given(std::move(hanging))));
}

}  // namespace

void define_posterior(nb::module_& parent_module) {
    nb::module_ m = parent_module.def_submodule("posterior");
    m.def("odd_ones", &odd_ones, "parents"_a, "heights"_a, "trios"_a);
    using Node = TreeWalk::Node;
    constexpr auto own = nb::rv_policy::automatic;  // arrays that a property gives away are copies
    nb::class_<TreeWalk>(m, "TreeWalk")
        .def("__init__", &new_walk, "child"_a, "height"_a, "points"_a, "near"_a, "noise"_a, "shape"_a)
        .def("__copy__", [](const TreeWalk& self) { return TreeWalk(self); })
        .def(
            "__deepcopy__", [](const TreeWalk& self, nb::handle) { return TreeWalk(self); }, "memo"_a)
        .def("__getstate__", &saved)
        .def("__setstate__", &read_back)
        .def("hear", &hear, "rows"_a, "weight"_a)
        .def("begin", [](TreeWalk& self) { run_long([&](Interrupts& watch) { self.begin(watch); }); })
        .def("walk", &walk, "power"_a, "price"_a, "draws"_a)
        .def("rescale", &rescale, "power"_a, "draws"_a)
        .def("relations", &relations)
        .def("believe", &believe, "sharpness"_a, "wrong"_a, "worth"_a, "votes"_a)
        .def("tree", &tree)
        .def("heights", &heights)
        .def_prop_ro("votes", [](const TreeWalk& self) { return self.state().votes; })
        // for tests
        .def(
            "multiply_heights",
            [](TreeWalk& self, double factor) {
                require(factor > 0 && self.nodes()[self.order().back()].height * factor < TreeWalk::greatest,
                        "heights are finite");
                self.multiply_heights(factor);
            },
            "factor"_a)
        .def_prop_ro(
            "sums",
            [](const TreeWalk& self) {
                const auto& state = self.state();
                return given(std::vector<double>{state.length, state.pairs, state.fit, state.votes, state.noise});
            },
            own)
        .def_prop_ro(
            "parent",
            [](const TreeWalk& self) { return of_nodes<Index>(self, [](const Node& u) { return u.parent; }); }, own)
        .def_prop_ro(
            "size", [](const TreeWalk& self) { return of_nodes<Index>(self, [](const Node& u) { return u.size; }); },
            own)
        .def_prop_ro(
            "place", [](const TreeWalk& self) { return of_nodes<Index>(self, [](const Node& u) { return u.place; }); },
            own)
        .def_prop_ro(
            "height",
            [](const TreeWalk& self) { return of_nodes<double>(self, [](const Node& u) { return u.height; }); }, own)
        .def_prop_ro(
            "order", [](const TreeWalk& self) { return given(std::vector(self.order())); }, own)
        .def_prop_ro(
            "mean",
            [](const TreeWalk& self) { return given(std::vector(self.mean()), std::size_t(self.n_features())); }, own)
        .def_prop_ro("worth", [](const TreeWalk& self) { return given(std::vector(self.worths())); }, own);
}

}  // namespace tripletree
