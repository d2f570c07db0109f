// `conflict` for Python: the search for small and for irreducible conflicts.
#include "conflict.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

std::vector<Triplet> checked(const Rows& rows, Index n) {
    require(n >= 0, "a number of leaves");
    require(rows.shape(0) < static_cast<std::size_t>(std::numeric_limits<Index>::max()) / 2, "too many triplets");
    std::vector<Triplet> out = triplets_of(rows, n);
    for (const Triplet& t : out) require(t.a != t.b && t.b != t.c && t.a != t.c, "a triplet has three leaves");
    return out;
}

nb::object grow(RowsByLeaf& self, const Vector<bool>& alive, const Vector<Count>& seeds, Count first, bool in_order,
                Index k, Count slice_steps, Count max_steps) {
    require(alive.size() == self.n_rows(), "each row is alive or not");
    require(0 <= first && first <= Count(seeds.size()), "a place in the seeds");
    require(k >= 3, "a conflict has three leaves");
    RowsByLeaf::Grown out = run_long([&](Interrupts& watch) {
        return self.grow(seen(alive), seen(seeds), first, in_order, k, slice_steps, max_steps, watch);
    });
    return nb::make_tuple(given(std::move(out.leaves)), out.next, out.steps);
}

// The rows of which some leaf is in the close pair, leaf by leaf.
Array<Count> rows_near(const RowsByLeaf& self, const Vector<Count>& leaves) {
    std::vector<Count> out;
    for (const Count x : seen(leaves)) {
        require(0 <= x && x < self.n_leaves(), "a number names no leaf");
        for (const Index t : self.of(static_cast<Index>(x))) out.push_back(t);
    }
    return given(std::move(out));
}

Array<Count> tree_of_pairs(const Rows& rows, const Vector<Count>& order, Index k) {
    const std::vector<Triplet> triplets = checked(rows, k);
    for (const Count t : seen(order)) require(0 <= t && t < Count(triplets.size()), "a number names no row");
    return given(unlocked([&] { return spanning_tree(triplets, seen(order), k); }));
}

Array<Count> closed_part(const Rows& rows, Index k) {
    const std::vector<Triplet> triplets = checked(rows, k);
    require(k >= 3 && Count(triplets.size()) == k - 1, "a tree has a row less than leaves, and at least two");
    DisjointSets sets(k);
    for (const Triplet& t : triplets) require(sets.unite(t.a, t.b), "the close pairs of the rows are no tree");
    return given(run_long([&](Interrupts& watch) { return ClosedPart(triplets, k).find(watch); }));
}

// The rows with all leaves among some, which are numbered anew in their order: their numbers, and these rows.
nb::object rows_inside(const Rows& rows, const Vector<bool>& member) {
    const auto n = static_cast<Index>(member.size());
    std::vector<Index> place(n);
    Index size = 0;
    for (Index x = 0; x < n; ++x) place[x] = member(x) ? size++ : none;
    std::vector<Count> numbers;
    std::vector<Index> inside;
    for (std::size_t t = 0; t < rows.shape(0); ++t) {
        const Index* row = rows.data() + 3 * t;
        for (const int side : {0, 1, 2}) require(0 <= row[side] && row[side] < n, "a triplet names no leaf");
        if (place[row[0]] < 0 || place[row[1]] < 0 || place[row[2]] < 0) continue;
        numbers.push_back(static_cast<Count>(t));
        inside.insert(inside.end(), {place[row[0]], place[row[1]], place[row[2]]});
    }
    return nb::make_tuple(given(std::move(numbers)), given(std::move(inside), 3));
}

}  // namespace

void define_conflict(nb::module_& module) {
    nb::module_ m = module.def_submodule("conflict", "Small and irreducible conflicts.");
    nb::class_<RowsByLeaf>(m, "RowsByLeaf")
        .def(
            "__init__", [](RowsByLeaf* self, Rows rows, Index n) { new (self) RowsByLeaf(checked(rows, n), n); },
            "rows"_a.noconvert(), "n"_a)
        .def("near", &rows_near, "leaves"_a.noconvert())
        .def("grow", &grow, "alive"_a.noconvert(), "seeds"_a.noconvert(), "first"_a, "in_order"_a, "k"_a,
             "slice_steps"_a, "max_steps"_a);
    m.def("spanning_tree", &tree_of_pairs, "rows"_a.noconvert(), "order"_a.noconvert(), "k"_a);
    m.def("closed_part", &closed_part, "rows"_a.noconvert(), "k"_a);
    m.def("rows_inside", &rows_inside, "rows"_a.noconvert(), "member"_a.noconvert());
}

}  // namespace tripletree
