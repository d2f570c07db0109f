// `AhoTree` for Python: the changing tree of `TripletBuilder`.
#include "aho_tree.hpp"
#include "parts.hpp"
#include "planted.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// A tree after an interrupt is half changed: the caller has to drop it.
struct PyTree {
    AhoTree tree;
    Index n;
};

Triplet checked(const PyTree& self, Index a, Index b, Index c) {
    for (const Index x : {a, b, c}) require(0 <= x && x < self.n, "a triplet names no leaf");
    require(a != b && b != c && a != c, "a triplet has three leaves");
    return {a, b, c};
}

Array<Index> add_rows(PyTree& self, const Rows& rows) {
    std::vector<Index> out;
    out.reserve(rows.shape(0));
    for (std::size_t k = 0; k < rows.shape(0); ++k) checked(self, rows(k, 0), rows(k, 1), rows(k, 2));
    run_long([&](Interrupts& watch) {
        for (std::size_t k = 0; k < rows.shape(0); ++k) {
            out.push_back(self.tree.add({rows(k, 0), rows(k, 1), rows(k, 2)}, watch));
            watch.check(static_cast<Count>(k), 8);
        }
    });
    return given(std::move(out));
}

Array<bool> test_rows(PyTree& self, const Rows& rows) {
    const std::size_t n = rows.shape(0);
    Flags out(n);
    for (std::size_t k = 0; k < n; ++k) checked(self, rows(k, 0), rows(k, 1), rows(k, 2));
    run_long([&](Interrupts& watch) {
        for (std::size_t k = 0; k < n; ++k) {
            out[k] = self.tree.test({rows(k, 0), rows(k, 1), rows(k, 2)}, watch) != Outcome::refused;
            watch.check(static_cast<Count>(k), 8);
        }
    });
    return given(std::move(out));
}

}  // namespace

void define_aho_tree(nb::module_& m) {
    nb::class_<PyTree>(m, "AhoTree")
        .def("__init__", [](PyTree* self, Vector<Index> parent, Index n, Rows rows) { new (self) PyTree{planted(parent, n, rows, true), n}; })
        .def("__copy__", [](const PyTree& self) { return PyTree(self); })
        .def("add", [](PyTree& self, Index a, Index b, Index c) {
            Interrupts watch = listening(nb::none());
            return self.tree.add(checked(self, a, b, c), watch);
        })
        .def("add_rows", &add_rows, "rows"_a)
        .def("test_rows", &test_rows, "rows"_a)
        .def("remove", [](PyTree& self, Index t) { return self.tree.remove(t); })
        .def("parents", [](const PyTree& self) { return given(self.tree.parents()); });
}

}  // namespace tripletree
