// Constrained vector quantisation for Python.
#include "cvqe.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using Weights = Vector<double>;

cvqe::PairsInTurn pairs_in_turn(const Table<double>& base, const Vector<Index>& order, const Pairs& ends,
                                const Weights& weight, Index n_must) {
    const auto n_pairs = static_cast<Index>(ends.shape(0));
    require(base.shape(1) > 0, "at least one cluster");
    require(order.size() == ends.shape(0) && weight.size() == ends.shape(0), "a turn and a weight for each pair");
    require(0 <= n_must && n_must <= n_pairs, "must-links are pairs");
    require_range(order, n_pairs, "no such pair");
    for (Index e = 0; e < n_pairs; ++e)
        for (const int side : {0, 1})
            require(0 <= ends(e, side) && ends(e, side) < Count(base.shape(0)), "a pair names no sample");
    return {order.data(), {ends.data(), n_pairs, 2}, weight.data(), n_must};
}

cvqe::BetweenCentres between_centres(const Table<double>& base, const Table<double>& apart, const Weights& near) {
    const std::size_t k = base.shape(1);
    require(apart.shape(0) == k && apart.shape(1) == k && near.size() == k, "distances between the centres");
    return {grid(apart), near.data()};
}

Array<Index> assign_alone(const Table<double>& base, const Vector<Index>& order, const Pairs& ends,
                          const Weights& weight, Index n_must, const Table<double>& apart, const Weights& near) {
    const cvqe::PairsInTurn pairs = pairs_in_turn(base, order, ends, weight, n_must);
    const cvqe::BetweenCentres between = between_centres(base, apart, near);
    return given(run_long([&](Interrupts& watch) { return cvqe::assign_alone(grid(base), pairs, between, watch); }));
}

Count assign_joint(const Table<double>& base, const Vector<Index>& order, const Pairs& ends, const Weights& weight,
                   Index n_must, const Vector<Index>& twin, const Vector<Index>& start, const Vector<Index>& other,
                   const Vector<Index>& edge, const Table<double>& apart, const Weights& near,
                   const OutVector<Index>& label) {
    const cvqe::PairsInTurn pairs = pairs_in_turn(base, order, ends, weight, n_must);
    const cvqe::BetweenCentres between = between_centres(base, apart, near);
    const Links of_samples = links(start, other, edge, n_must, base.shape(0), ends.shape(0));
    require(twin.size() == ends.shape(0), "a twin or none for each pair");
    require_range(twin, static_cast<Count>(ends.shape(0)), "a twin is no pair", none);
    require(label.size() == base.shape(0), "a label for each sample");
    require_range(Vector<Index>(label), static_cast<Count>(base.shape(1)), "a label names no cluster");
    return run_long([&](Interrupts& watch) {
        return cvqe::assign_joint(grid(base), pairs, of_samples, twin.data(), between, label.data(), watch);
    });
}

Array<Index> assign_linear(const Table<double>& base, const Vector<Index>& order, const Pairs& ends,
                           const Weights& weight, Index n_must, const Table<double>& distance) {
    const cvqe::PairsInTurn pairs = pairs_in_turn(base, order, ends, weight, n_must);
    require(distance.shape(0) == base.shape(0) && distance.shape(1) == base.shape(1), "a distance for each cost");
    return given(
        run_long([&](Interrupts& watch) { return cvqe::assign_linear(grid(base), pairs, grid(distance), watch); }));
}

}  // namespace

void define_cvqe(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("cvqe");
    m.attr("FARTHER") = cvqe::farther;
    m.def("assign_alone", &assign_alone, "base"_a, "order"_a, "ends"_a, "weight"_a, "n_must"_a, "apart"_a, "near"_a);
    m.def("assign_joint", &assign_joint, "base"_a, "order"_a, "ends"_a, "weight"_a, "n_must"_a, "twin"_a, "start"_a,
          "other"_a, "edge"_a, "apart"_a, "near"_a, "label"_a.noconvert());
    m.def("assign_linear", &assign_linear, "base"_a, "order"_a, "ends"_a, "weight"_a, "n_must"_a, "distance"_a);
}

}  // namespace tripletree
