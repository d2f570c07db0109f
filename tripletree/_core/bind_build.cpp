// `build` for Python: BUILD, as `build_aho_tree` calls it, and its parts for tests.
#include <limits>

#include "build.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// Triplets of three leaves each.
std::vector<Triplet> checked(const Rows& rows, Index n) {
    require(n >= 1, "a tree has a leaf");
    require(rows.shape(0) < static_cast<std::size_t>(std::numeric_limits<Index>::max()) / 2, "too many triplets");
    std::vector<Triplet> out = triplets_of(rows, n);
    for (const Triplet& t : out) require(t.a != t.b && t.b != t.c && t.a != t.c, "a triplet has three leaves");
    return out;
}

nb::object build_tree(const Rows& rows, Index n) {
    std::vector<Triplet> triplets = checked(rows, n);
    Built out = run_long([&](Interrupts& watch) { return build(std::move(triplets), n, watch); });
    return nb::make_tuple(given(std::move(out.parent)), given(std::move(out.failed)));
}

nb::object split(const Rows& rows, Index n, bool deferring) {
    std::vector<Triplet> triplets = checked(rows, n);
    Split out = run_long([&](Interrupts& watch) { return Splitting(triplets, n).run(deferring, watch); });
    std::vector<Index> deferred;
    for (const Split::Deferred& at : out.deferred)
        deferred.insert(deferred.end(), {at.low, at.high, at.t_low, at.t_high, at.node});
    return nb::make_tuple(given(std::move(out.leaf_up)), given(std::move(out.inner_up)), given(std::move(out.leaves)),
                          given(std::move(deferred), 5), nb::make_tuple(out.failed_low, out.failed_high));
}

nb::object split_as_deep(const Rows& rows, Index n) {
    const std::vector<Triplet> triplets = checked(rows, n);
    DeepSplit out = run_long([&](Interrupts& watch) { return split_deep(triplets, n, watch); });
    return nb::make_tuple(given(std::move(out.leaf_up)), given(std::move(out.inner_up)), given(std::move(out.failed)));
}

nb::object prepared(const Rows& rows, Index n) {
    Prepared out = prepare(checked(rows, n), n);
    std::vector<Index> flat;
    for (const auto [a, b, c] : out.triplets) flat.insert(flat.end(), {a, b, c});
    return nb::make_tuple(given(std::move(flat), 3), given(std::move(out.is_tree)), given(std::move(out.number)),
                          out.n_components);
}

struct Sets {
    DisjointSets sets;
    Index n;

    Index checked(Index x) const {
        require(0 <= x && x < n, "a number is in no set");
        return x;
    }
};

}  // namespace

void define_build(nb::module_& module) {
    nb::module_ m = module.def_submodule("build", "BUILD: the tree of the triplets, or leaves that they tie together.");
    m.def("build", &build_tree, "rows"_a.noconvert(), "n"_a);
    // for tests: BUILD by splitting from scratch, by the scheme of Even and Shiloach, and what that begins with
    m.def("split", &split, "rows"_a.noconvert(), "n"_a, "deferring"_a);
    m.def("split_deep", &split_as_deep, "rows"_a.noconvert(), "n"_a);
    m.def("prepare", &prepared, "rows"_a.noconvert(), "n"_a);
    m.attr("DEFERRED_RUN") = deferred_run;
    nb::class_<Sets>(m, "DisjointSets")
        .def("__init__",
             [](Sets* self, Index n) {
                 require(n >= 0, "a number of sets");
                 new (self) Sets{DisjointSets(n), n};
             })
        .def("find", [](Sets& self, Index x) { return self.sets.find(self.checked(x)); })
        .def("unite", [](Sets& self, Index x, Index y) { return self.sets.unite(self.checked(x), self.checked(y)); });
}

}  // namespace tripletree
