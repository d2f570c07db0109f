// `repair` for Python: splits of leaves by their triplets, and subtrees pruned and regrafted.
#include <cmath>

#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"
#include "repair.hpp"

namespace tripletree {
namespace {

std::vector<Row> checked(const Rows& rows, Index n) {
    require(n >= 1, "a number of leaves");
    std::vector<Row> out(rows.shape(0));
    for (std::size_t t = 0; t < out.size(); ++t) {
        const auto [a, b, c] = out[t] = {rows(t, 0), rows(t, 1), rows(t, 2)};
        for (const Index x : out[t]) require(0 <= x && x < n, "a triplet names no leaf");
        require(a != b && b != c && a != c, "a triplet has three leaves");
    }
    return out;
}

std::span<const double> checked_weights(const Vector<double>& weight, const Rows& rows) {
    require(weight.size() == rows.shape(0), "a weight for each triplet");
    for (const double x : seen(weight)) require(std::isfinite(x), "weights are finite");
    return seen(weight);
}

nb::object components_of(const Rows& rows, Index k) {
    const std::vector<Row> triplets = checked(rows, k);
    Components out = unlocked([&] { return components(triplets, k); });
    return nb::make_tuple(given(std::move(out.label)), out.n_parts);
}

nb::object bisect(const Rows& rows, const Vector<double>& weight, Index k, double penalty, const Table<Index>& starts,
                  Count most_passes) {
    require(k >= 2, "two sides have two leaves");
    require(std::isfinite(penalty), "a penalty is finite");
    require(starts.shape(0) > 0 && starts.shape(1) == static_cast<std::size_t>(k), "a start has a side for each leaf");
    for (std::size_t i = 0; i < starts.size(); ++i)
        require(starts.data()[i] == 0 || starts.data()[i] == 1, "a side is 0 or 1");
    const WeighedRows triplets{checked(rows, k), checked_weights(weight, rows)};
    std::vector<Index> side;
    const Count steps = run_long([&](Interrupts& watch) {
        Bisection bisection(triplets, k, penalty, watch);
        for (std::size_t s = 0; s < starts.shape(0); ++s)
            bisection.improve({starts.data() + s * k, static_cast<std::size_t>(k)}, most_passes);
        side = std::move(bisection.best_side());
        return bisection.steps();
    });
    require(!side.empty(), "the weights are too large for a sum");
    return nb::make_tuple(given(std::move(side)), steps);
}

Array<Index> peeled(const Rows& rows, const Vector<double>& weight, Index k) {
    const WeighedRows triplets{checked(rows, k), checked_weights(weight, rows)};
    return given(run_long([&](Interrupts& watch) { return peel(triplets, k, watch); }));
}

Array<Index> best_split(const Rows& rows, const Vector<double>& weight, Index k) {
    constexpr Index most = 20;
    require(2 <= k && k <= most, "an exact split has 2 to 20 leaves");
    const WeighedRows triplets{checked(rows, k), checked_weights(weight, rows)};
    return given(run_long([&](Interrupts& watch) { return BestSplit(triplets, k).find(watch); }));
}

// A `Regrafting` for one user at a time.
class SubtreeMover {
   public:
    SubtreeMover(const Vector<Index>& parent, const Rows& rows, const Vector<double>& weight)
        : work_(made(parent, rows, weight)) {}

    Array<Index> parent() const {
        require(!busy_, in_use);
        return given(std::vector<Index>(work_.up()));
    }

    nb::object sweep(const Vector<Index>& nodes, double least_gain, Count max_steps, const nb::object& tell) {
        require(!busy_, in_use);
        require_range(nodes, work_.size(), "a number names no node");
        busy_ = true;  // and stays so after an error, which leaves a subtree half moved
        const Regrafting::Sweep done =
            run_long(tell, [&](Interrupts& watch) { return work_.sweep(seen(nodes), least_gain, max_steps, watch); });
        busy_ = false;
        return nb::make_tuple(done.done, done.gained, done.steps, done.moves);
    }

   private:
    static constexpr const char* in_use = "a sweep runs, or was cut short";

    static Regrafting made(const Vector<Index>& parent, const Rows& rows, const Vector<double>& weight) {
        require(parent.size() % 2 == 1, "a binary tree of n leaves has 2 n - 1 nodes");
        const auto n = static_cast<Index>(parent.size() / 2 + 1);
        const Parents up = tree(parent, n);
        std::vector<Index> n_children(up.size(), 0);
        for (const Index p : up)
            if (p >= 0) require(++n_children[p] <= 2, "a node of a binary tree has two children");
        std::vector<Row> triplets = checked(rows, n);
        const std::span<const double> weights = checked_weights(weight, rows);
        return run_long([&](Interrupts& watch) { return Regrafting(up, n, std::move(triplets), weights, watch); });
    }

    Regrafting work_;
    bool busy_ = false;
};

}  // namespace

void define_repair(nb::module_& module) {
    nb::module_ m = module.def_submodule("repair", "Splits of leaves by their triplets, and subtrees that move.");
    m.def("components", &components_of, "rows"_a.noconvert(), "k"_a);
    m.def("bisect", &bisect, "rows"_a.noconvert(), "weight"_a.noconvert(), "k"_a, "penalty"_a, "starts"_a.noconvert(),
          "most_passes"_a);
    m.def("peel", &peeled, "rows"_a.noconvert(), "weight"_a.noconvert(), "k"_a);
    m.def("best_split", &best_split, "rows"_a.noconvert(), "weight"_a.noconvert(), "k"_a);
    nb::class_<SubtreeMover>(m, "SubtreeMover")
        .def(nb::init<Vector<Index>, Rows, Vector<double>>(), "parent"_a.noconvert(), "rows"_a.noconvert(),
             "weight"_a.noconvert())
        .def_prop_ro("parent", &SubtreeMover::parent, nb::rv_policy::move)
        .def("sweep", &SubtreeMover::sweep, "nodes"_a.noconvert(), "least_gain"_a, "max_steps"_a,
             "tell"_a = nb::none());
}

}  // namespace tripletree
