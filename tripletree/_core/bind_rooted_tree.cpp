// `rooted_tree` for Python: walks over parent arrays, which are checked here in one pass.
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"
#include "rooted_tree.hpp"

namespace tripletree {
namespace {

// A table of range maxima, from `range_maximum_table` of `gap_nodes`, and the positions of leaves that go with it.
Ancestors ancestors(const Vector<Index>& position, const Table<Index>& table) {
    const std::size_t gaps = std::max<std::size_t>(position.size(), 2) - 1;
    require(table.shape(1) == gaps && table.shape(0) == rows_of_maxima(gaps),
            "a table of maxima belongs to its leaves");
    return {seen(position), {table.data(), gaps}};
}

nb::object table_of_maxima(const Vector<Index>& values) {
    require(values.size() > 0, "a maximum needs a value");
    Index* table = unlocked([&] { return range_maximum_table(seen(values)); }).release();
    const nb::capsule owner(table, [](void* p) noexcept { delete[] static_cast<Index*>(p); });
    return nb::cast(Array<Index>(table, {rows_of_maxima(values.size()), values.size()}, owner));
}

}  // namespace

void define_rooted_tree(nb::module_& module) {
    nb::module_ m = module.def_submodule("rooted_tree", "Walks over parent arrays.");
    m.def(
        "topological_order",
        [](Vector<Index> parent, Index n) {
            const auto size = static_cast<Index>(parent.size());
            require(0 <= n && n <= size, "a tree has at least as many nodes as leaves");
            for (const Index p : seen(parent)) require(p == none || (n <= p && p < size), "a parent is an inner node");
            return given(unlocked([&] { return topological_order(seen(parent), n); }));
        },
        "parent"_a.noconvert(), "n"_a);
    m.def(
        "depths", [](Vector<Index> parent) { return given(unlocked([&] { return depths(tree(parent)); })); },
        "parent"_a.noconvert());
    m.def(
        "path_sums",
        [](Vector<Index> parent, Vector<double> length) {
            require(length.size() == parent.size(), "a length for each node");
            return given(unlocked([&] { return path_sums(tree(parent), seen(length)); }));
        },
        "parent"_a.noconvert(), "length"_a.noconvert());
    m.def(
        "child_lists",
        [](Vector<Index> parent) {
            ChildLists lists = unlocked([&] { return child_lists(tree(parent)); });
            return nb::make_tuple(given(std::move(lists.start)), given(std::move(lists.child)));
        },
        "parent"_a.noconvert());
    m.def(
        "leaf_intervals",
        [](Vector<Index> parent, Index n) {
            LeafIntervals out = unlocked([&] { return leaf_intervals(tree(parent, n), n); });
            return nb::make_tuple(given(std::move(out.start)), given(std::move(out.stop)), given(std::move(out.order)));
        },
        "parent"_a.noconvert(), "n"_a);
    m.def(
        "gap_nodes",
        [](Vector<Index> parent, Vector<Index> stop, Index n) {
            require(stop.size() == parent.size(), "an end for each node");
            return given(unlocked([&] { return gap_nodes(tree(parent, n), seen(stop), n); }));
        },
        "parent"_a.noconvert(), "stop"_a.noconvert(), "n"_a);
    m.def("range_maximum_table", &table_of_maxima, "values"_a.noconvert());
    m.def(
        "common_ancestors",
        [](Vector<Index> a, Vector<Index> b, Vector<Index> position, Table<Index> table) {
            require(a.size() == b.size(), "pairs have two leaves");
            const Ancestors of = ancestors(position, table);
            std::vector<Index> node(a.size());
            unlocked([&] {
                for (std::size_t t = 0; t < node.size(); ++t) node[t] = of.common(a(t), b(t));
            });
            return given(std::move(node));
        },
        "a"_a, "b"_a, "position"_a.noconvert(), "table"_a.noconvert());
    m.def(
        "induced_odd",
        [](Rows triples, Vector<Index> position, Table<Index> table) {
            const Ancestors of = ancestors(position, table);
            std::vector<std::int8_t> odd(triples.shape(0));
            unlocked([&] {
                for (std::size_t t = 0; t < odd.size(); ++t) odd[t] = of.odd(triples.data() + 3 * t);
            });
            return given(std::move(odd));
        },
        "triples"_a, "position"_a.noconvert(), "table"_a.noconvert());
    m.def(
        "by_smallest_leaf",
        [](Vector<Index> parent, Index n) {
            return given(unlocked([&] { return by_smallest_leaf(tree(parent, n), n); }));
        },
        "parent"_a.noconvert(), "n"_a);
    m.def(
        "canonical_parent",
        [](Vector<Index> parent, Index n) {
            return given(unlocked([&] { return canonical_parent(tree(parent, n), n); }));
        },
        "parent"_a.noconvert(), "n"_a);
    m.def(
        "kept_nodes",
        [](Vector<Index> parent, Vector<bool> keep_leaf, bool keep_unary) {
            const auto n = static_cast<Index>(keep_leaf.size());
            Kept out = unlocked([&] { return kept_nodes(tree(parent, n), seen(keep_leaf), keep_unary); });
            return nb::make_tuple(given(std::move(out.keep)), given(std::move(out.up)));
        },
        "parent"_a.noconvert(), "keep_leaf"_a.noconvert(), "keep_unary"_a);
    m.def(
        "chain_lengths",
        [](Vector<Index> parent, Vector<double> length, Vector<bool> keep) {
            require(parent.size() > 0, "a tree has nodes");
            require(length.size() == parent.size() && keep.size() == parent.size(), "a length for each node");
            return given(unlocked([&] { return chain_lengths(tree(parent), seen(length), seen(keep)); }));
        },
        "parent"_a.noconvert(), "length"_a.noconvert(), "keep"_a.noconvert());
    m.def(
        "chain_tops",
        [](Vector<Index> parent, Vector<bool> keep) {
            require(parent.size() > 0 && keep.size() == parent.size(), "each node is kept or not");
            return given(unlocked([&] { return chain_tops(tree(parent), seen(keep)); }));
        },
        "parent"_a.noconvert(), "keep"_a.noconvert());
    m.def(
        "last_above",
        [](Vector<Index> parent, Vector<Count> value, Vector<Index> node, Vector<Count> bound) {
            const auto size = static_cast<Index>(parent.size());
            require(size > 0 && value.size() == parent.size() && bound.size() == node.size(), "a value for each node");
            for (const Index u : seen(node)) require(0 <= u && u < size, "a number names no node");
            return given(unlocked([&] { return last_above(tree(parent), seen(value), seen(node), seen(bound)); }));
        },
        "parent"_a.noconvert(), "value"_a.noconvert(), "node"_a.noconvert(), "bound"_a.noconvert());
}

}  // namespace tripletree
