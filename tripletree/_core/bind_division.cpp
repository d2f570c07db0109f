// Division for Python: `divide`, the trees of distances that it begins with, and parts of it for tests.
#include <cmath>
#include <utility>
#include <vector>

#include "base_trees.hpp"
#include "division.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using namespace division;

template <class T>
using Changed = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

BinaryTree binary_tree(const Pairs& rows) {
    const auto n = static_cast<Index>(rows.shape(0)) + 1;
    BinaryTree out;
    Flags has_parent(2 * n - 1, 0);
    for (Index v = 0; v + 1 < n; ++v) {
        out.push_back({rows(v, 0), rows(v, 1)});
        for (const Index w : out.back()) {
            require(0 <= w && w < n + v && !has_parent[w], "each node of a base tree is made of two nodes before it");
            has_parent[w] = 1;
        }
    }
    return out;
}

// The number of leaves of a binary tree, given its parents. The root's own entry is not looked at.
Index binary_leaves(const Vector<Index>& parent) {
    const auto size = static_cast<Index>(parent.size());
    require(size % 2 == 1, "a binary tree has an odd number of nodes");
    const Index n = (size + 1) / 2;
    std::vector<Index> children(size, 0);
    for (Index v = 0; v + 1 < size; ++v) {
        require(std::max(v + 1, n) <= parent(v) && parent(v) < size, "parents come after their children");
        require(++children[parent(v)] <= 2, "a node of a binary tree has two children");
    }
    return n;
}

template <class T>
Square<T> square(const OutTable<T>& table) {
    require(table.shape(0) == table.shape(1) && table.shape(0) > 0, "a square matrix is needed");
    return {table.data(), static_cast<Index>(table.shape(0))};
}

void require_positive(const Vector<double>& values, std::size_t n) {
    require(values.size() == n, "a number for each sample is needed");
    for (std::size_t i = 0; i < n; ++i) require(values(i) > 0 && std::isfinite(values(i)), "a number is not above 0");
}

Flags sides(const Vector<bool>& side, const BinaryTree& tree) {
    require(side.size() == tree.size() + 1 && !tree.empty(), "a label for each leaf, and two leaves at least");
    return Flags(side.data(), side.data() + side.size());
}

Array<Index> divide_all(const Pairs& base, const Rows& rows, const Vector<double>& weight, const Pairs& apart,
                        const Vector<Index>& group, double reward, double penalty, double change) {
    Part whole{{}, binary_tree(base), {}, copied(group), none};
    const Index n = leaves_of(whole.tree);
    whole.leaves.resize(n);
    std::iota(whole.leaves.begin(), whole.leaves.end(), 0);
    whole.known = {triplets_of(rows, n), copied(weight), {}};
    require(weight.size() == rows.shape(0), "a weight for each triplet");
    for (const double x : whole.known.weight) require(x > -infinite, "a weight is a number");
    for (const auto& [a, b, c] : whole.known.rows) require(a != b && b != c && a != c, "a triplet has three leaves");
    for (std::size_t k = 0; k < apart.shape(0); ++k) {
        for (const int s : {0, 1}) require(0 <= apart(k, s) && apart(k, s) < n, "a pair names no leaf");
        require(apart(k, 0) != apart(k, 1), "a pair has two leaves");
        whole.known.apart.push_back({apart(k, 0), apart(k, 1)});
    }
    require(static_cast<Index>(group.size()) == n, "a group for each leaf");
    for (const Index x : whole.group) require(0 <= x && x < n && whole.group[x] == x, "a group is named by a member");
    require(0 < change && change < 0.5, "a change has a chance below one half");
    require(std::isfinite(reward) && std::isfinite(penalty), "reward and penalty are finite");
    const Costs costs{reward, penalty, change};
    return given(run_long([&](Interrupts& watch) { return divide(std::move(whole), costs, watch); }));
}

}  // namespace

void define_division(nb::module_& parent_module) {
    nb::module_ m = parent_module.def_submodule("division");
    m.def("divide", &divide_all, "base"_a, "rows"_a, "weight"_a, "apart"_a, "group"_a, "reward"_a, "penalty"_a,
          "change"_a);
    m.def(
        "link",
        [](OutTable<double> distance, Vector<double> size, bool ward) {
            const auto table = square(distance);
            require_positive(size, distance.shape(0));
            auto found = run_long([&](Interrupts& watch) { return link(table, copied(size), ward, watch); });
            return nb::make_tuple(given(std::move(found.child), 2), given(std::move(found.height)));
        },
        "distance"_a.noconvert(), "size"_a, "ward"_a);
    m.def(
        "add_sizes",
        [](Vector<Index> parent, Vector<double> size, double weight, OutTable<double> total) {
            const auto table = square(total);
            require(binary_leaves(parent) == table.n && static_cast<Index>(size.size()) == table.n,
                    "a row for each leaf");
            run_long([&](Interrupts& watch) { add_sizes(parent.data(), size.data(), weight, table, watch); });
        },
        "parent"_a, "size"_a, "weight"_a, "total"_a.noconvert());
    m.def(
        "heights_by_distance",
        [](Vector<Index> parent, Table<double> distance) {
            const auto table = square(distance);
            require(binary_leaves(parent) == table.n, "a row for each leaf");
            return given(run_long([&](Interrupts& watch) { return heights_by_distance(parent.data(), table, watch); }));
        },
        "parent"_a, "distance"_a);
    m.def(
        "heights_by_mean",
        [](Vector<Index> parent, Table<double> points) {
            const auto n = static_cast<Index>(points.shape(0));
            require(binary_leaves(parent) == n, "a row for each leaf");
            const auto d = static_cast<Count>(points.shape(1));
            return given(run_long(
                [&](Interrupts& watch) { return heights_by_mean(parent.data(), points.data(), n, d, watch); }));
        },
        "parent"_a, "points"_a);
    m.def(
        "columns",
        [](Table<double> distance, Vector<double> scale, Index rank) {
            const auto table = square(distance);
            require_positive(scale, distance.shape(0));
            require(rank > 0, "a rank is above 0");
            Index n_columns = 0;
            auto out =
                run_long([&](Interrupts& watch) { return columns(table, scale.data(), rank, n_columns, watch); });
            return given(std::move(out), n_columns);
        },
        "distance"_a, "scale"_a, "rank"_a);

    // parts of `divide`, for tests
    m.def(
        "marginals",
        [](Pairs base, Vector<double> own, double change) {
            const BinaryTree tree = binary_tree(base);
            require(own.size() == tree.size() + 1 && !tree.empty(), "odds for each leaf, and two leaves at least");
            Field field(leaves_of(tree), 0);
            std::copy(own.data(), own.data() + own.size(), field.up.begin());
            find_marginals(tree, std::vector<double>(field.up.size(), 1.0 - 2.0 * change), 0.0, field);
            field.odds.resize(own.size());
            return given(std::move(field.odds));
        },
        "base"_a, "own"_a, "change"_a);
    m.def(
        "least_price",
        [](Pairs base, Vector<bool> side, double price) {
            const BinaryTree tree = binary_tree(base);
            std::vector<std::array<double, 2>> best(2 * tree.size() + 1);
            return least_price(tree, sides(side, tree), true, price, best);
        },
        "base"_a, "side"_a, "price"_a);
    m.def(
        "restricted",
        [](Pairs base, Vector<bool> side) {
            const BinaryTree tree = binary_tree(base);
            nb::list out;
            for (const auto& part : restricted(tree, sides(side, tree))) {
                std::vector<Index> flat;
                for (const auto& fork : part) flat.insert(flat.end(), fork.begin(), fork.end());
                out.append(given(std::move(flat), 2));
            }
            return out;
        },
        "base"_a, "side"_a);
}

}  // namespace tripletree
