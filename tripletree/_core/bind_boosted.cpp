// One run of k-means with pairs by priority, and the means of votes, for Python.
#include "boosted.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using Indices = Vector<Index>;

boosted::PriorityPairs priority_pairs(std::size_t n_samples, const Pairs& ends, Index n_must, const Indices& order) {
    require(n_must >= 0, "must-links are pairs");
    for (std::size_t e = 0; e < ends.shape(0); ++e)
        for (const int side : {0, 1})
            require(0 <= ends(e, side) && ends(e, side) < Count(n_samples), "a pair names no sample");
    require_range(order, static_cast<Count>(ends.shape(0)), "no such pair");
    return {
        {ends.data(), static_cast<Count>(ends.shape(0)), 2}, n_must, order.data(), static_cast<Count>(order.size())};
}

Array<Index> constrained_assignment(const Table<double>& distance, const Pairs& ends, Index n_must,
                                    const Indices& order) {
    require(distance.shape(1) > 0, "at least one cluster");
    const boosted::PriorityPairs pairs = priority_pairs(distance.shape(0), ends, n_must, order);
    std::vector<Index> label(distance.shape(0));
    run_long(
        [&](Interrupts& watch) { boosted::ConstrainedAssignment(grid(distance), label.data()).run(pairs, watch); });
    return given(std::move(label));
}

nb::object constrained_run(const Table<double>& columns, const Vector<double>& weight, const Pairs& ends, Index n_must,
                           const Indices& order, const Table<double>& centres, Count most, bool to_the_end) {
    require(centres.shape(0) > 0 && centres.shape(1) == columns.shape(0), "a centre has a number for each feature");
    require(weight.size() == columns.shape(1), "a weight for each sample");
    require(most > 0, "at least one turn");
    const boosted::PriorityPairs pairs = priority_pairs(columns.shape(1), ends, n_must, order);
    boosted::ClusterMeans means = run_long([&](Interrupts& watch) {
        return boosted::constrained_run(grid(columns), weight.data(), pairs, grid(centres), most, to_the_end, watch);
    });
    return nb::make_tuple(given(std::move(means.label)), given(std::move(means.centres), centres.shape(1)));
}

boosted::Votes votes_of(const Table<Index>& votes, const Vector<double>& importance) {
    require(importance.size() == votes.shape(1), "an importance for each clustering");
    return {grid(votes), importance.data()};
}

void require_votes(const Table<Index>& votes, Count k) {
    for (std::size_t i = 0; i < votes.size(); ++i)
        require(0 <= votes.data()[i] && votes.data()[i] < k, "a vote names no cluster");
}

Array<double> disagreement(const Table<Index>& votes, const Vector<double>& importance, Index i) {
    require(0 <= i && i < Count(votes.shape(0)), "no such row");
    const boosted::Votes all = votes_of(votes, importance);
    return given(run_long([&](Interrupts&) { return boosted::disagreement(all, i); }));
}

nb::object shares(const Table<Index>& votes, const Vector<double>& weight, const Indices& label, Index k, Index q) {
    require(k > 0 && q > 0, "at least one cluster");
    require(weight.size() == votes.shape(0) && label.size() == votes.shape(0), "a weight and a label for each row");
    require_range(label, q, "a label names no cluster");
    require_votes(votes, k);
    const std::size_t rounds = votes.shape(1);
    auto* share = new std::vector<double>(rounds * k * q);
    nb::capsule owner(share, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    std::vector<double> mass(q);
    run_long([&](Interrupts&) {
        boosted::shares(grid(votes), weight.data(), label.data(), k, q, share->data(), mass.data());
    });
    const Array<double> table(share->data(), {rounds, static_cast<std::size_t>(k), static_cast<std::size_t>(q)}, owner);
    return nb::make_tuple(table, given(std::move(mass)));
}

Array<double> vote_distances(const Table<Index>& votes, const Vector<double>& importance,
                             const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& share) {
    const boosted::Votes all = votes_of(votes, importance);
    const auto k = static_cast<Count>(share.shape(1)), q = static_cast<Count>(share.shape(2));
    require(share.shape(0) == votes.shape(1) && q > 0, "shares of each clustering");
    require_votes(votes, k);
    return given(run_long([&](Interrupts& watch) { return boosted::vote_distances(all, share.data(), k, q, watch); }),
                 q);
}

}  // namespace

void define_boosted(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("boosted");
    m.def("constrained_assignment", &constrained_assignment, "distance"_a, "ends"_a, "n_must"_a, "order"_a);
    m.def("constrained_run", &constrained_run, "columns"_a.noconvert(), "weight"_a, "ends"_a, "n_must"_a, "order"_a,
          "centres"_a, "most"_a, "to_the_end"_a);
    m.def("disagreement", &disagreement, "votes"_a, "importance"_a, "i"_a);
    m.def("shares", &shares, "votes"_a, "weight"_a, "label"_a, "k"_a, "q"_a);
    m.def("vote_distances", &vote_distances, "votes"_a, "importance"_a, "share"_a);
}

}  // namespace tripletree
