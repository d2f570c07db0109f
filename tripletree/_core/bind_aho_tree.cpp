// `AhoTree` for Python: the changing tree of `TripletBuilder`, and for tests the one of ReCon.
#include <array>
#include <utility>
#include <vector>

#include "aho_tree.hpp"
#include "aho_tree_check.hpp"
#include "parts.hpp"
#include "planted.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

class PyTree {
   public:
    PyTree(AhoTree tree, Index n) : tree_(std::move(tree)), n_(n) {}

    Index n() const { return n_; }
    const AhoTree& tree() const {
        require(!is_busy_, "a change of this tree was interrupted, or goes on: make a new one");
        return tree_;
    }
    // Does `work(tree)`. After an interrupt the tree is half changed, and refuses all that follows.
    template <class Work>
    auto change(Work&& work) {
        tree();
        is_busy_ = true;
        auto out = work(tree_);
        is_busy_ = false;
        return out;
    }

    Triplet checked(Index a, Index b, Index c) const {
        for (const Index x : {a, b, c}) require(0 <= x && x < n_, "a triplet names no leaf");
        require(a != b && b != c && a != c, "a triplet has three leaves");
        return {a, b, c};
    }
    std::vector<Triplet> checked(const Rows& rows) const {
        std::vector<Triplet> out;
        for (std::size_t k = 0; k < rows.shape(0); ++k) out.push_back(checked(rows(k, 0), rows(k, 1), rows(k, 2)));
        return out;
    }
    void require_leaf(Index x) const { require(0 <= x && x < n_, "there is no such leaf"); }

   private:
    AhoTree tree_;
    Index n_;
    bool is_busy_ = false;
};

Index add(PyTree& self, Index a, Index b, Index c) {
    const Triplet x = self.checked(a, b, c);
    return self.change([&](AhoTree& tree) {
        Interrupts watch = listening(nb::none());
        return tree.add(x, watch);
    });
}

Array<Index> add_rows(PyTree& self, const Rows& rows) {
    const auto triplets = self.checked(rows);
    return given(self.change([&](AhoTree& tree) {
        return run_long([&](Interrupts& watch) {
            std::vector<Index> out;
            for (const Triplet& x : triplets) {
                out.push_back(tree.add(x, watch));
                watch.check(static_cast<Count>(out.size()), 8);
            }
            return out;
        });
    }));
}

Array<bool> test_rows(PyTree& self, const Rows& rows) {
    const auto triplets = self.checked(rows);
    return given(self.change([&](AhoTree& tree) {
        return run_long([&](Interrupts& watch) {
            Flags out;
            for (const Triplet& x : triplets) {
                out.push_back(tree.test(x, watch) != Outcome::refused);
                watch.check(static_cast<Count>(out.size()), 8);
            }
            return out;
        });
    }));
}

bool remove(PyTree& self, Index t) {
    require(self.tree().holds(t), "there is no triplet with this number");
    return self.change([&](AhoTree& tree) { return tree.remove(t); });
}

// ---------------------------------------------------------------------- for tests

// The leaf that stays if two named leaves become one, or the two sides of a blocking pair.
nb::object join(PyTree& self, Index x, Index y, bool is_test) {
    for (const Index leaf : {x, y}) {
        self.require_leaf(leaf);
        require(self.tree().is_named(leaf), "no triplet names the leaf");
    }
    require(x != y, "two leaves are joined");
    return self.change([&](AhoTree& tree) -> nb::object {
        Index kept = none;
        auto blocked = run_long([&](Interrupts& watch) { return tree.join(x, y, kept, is_test, watch); });
        if (!blocked) return nb::int_(kept);
        return nb::make_tuple(given(std::move(blocked->left)), given(std::move(blocked->right)));
    });
}

nb::dict check(PyTree& self) {
    const auto found = self.change([](AhoTree& tree) { return tree.check(); });
    nb::dict out;
    out["triplets"] = found.n_triplets;
    out["memories"] = found.n_memories;
    out["deep"] = found.is_deep;
    out["refuting"] = found.n_refuting;
    return out;
}

nb::list splits(const PyTree& self) {
    nb::list out;
    for (auto& sides : self.tree().splits().all())
        out.append(nb::make_tuple(given(std::move(sides.small)), given(std::move(sides.large))));
    return out;
}

void limit(PyTree& self, int long_way, int short_way, Count leaves_per_step, Count most_sets) {
    require(long_way > 0 && short_way >= 0 && leaves_per_step >= 0 && most_sets > 0, "limits are above 0");
    require(most_sets < (1 << 20), "too many sets");
    self.change([&](AhoTree& tree) { return tree.limit({long_way, short_way, leaves_per_step}, most_sets), 0; });
}

bool plant_memory(PyTree& self) {
    return self.change([](AhoTree& tree) { return tree.plant_memory(); });
}

}  // namespace

void define_aho_tree(nb::module_& m) {
    nb::class_<PyTree>(m, "AhoTree")
        .def(
            "__init__",
            [](PyTree* self, Vector<Index> parent, Index n, Rows rows, bool all_leaves) {
                new (self) PyTree(planted(parent, n, rows, all_leaves), n);
            },
            "parent"_a, "n"_a, "rows"_a, "all_leaves"_a = true)
        .def("__copy__", [](const PyTree& self) { return PyTree(self.tree(), self.n()); })
        .def("add", &add, "a"_a, "b"_a, "c"_a)
        .def("add_rows", &add_rows, "rows"_a)
        .def("test_rows", &test_rows, "rows"_a)
        .def("remove", &remove, "number"_a)
        .def("parents", [](const PyTree& self) { return given(self.tree().parents()); })
        // for tests
        .def("join", &join, "x"_a, "y"_a, "is_test"_a)
        .def(
            "degree",
            [](const PyTree& self, Index x) {
                self.require_leaf(x);
                return self.tree().degree(x);
            },
            "x"_a)
        .def("check", &check)
        .def("splits", &splits)
        .def("n_sets", [](const PyTree& self) { return self.tree().splits().n_sets(); })
        .def("limit", &limit, "long_way"_a = 128, "short_way"_a = 48, "leaves_per_step"_a = 32, "most_sets"_a = 1000)
        .def("plant_memory", &plant_memory);
}

}  // namespace tripletree
