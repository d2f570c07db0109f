// Agglomeration in which triplets may be violated, for Python.
#include "parts.hpp"
#include "penalty.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// Triplets that may contradict each other, with a weight each.
struct Weighted {
    std::vector<Triplet> triplets;
    std::vector<double> weights;
};

Weighted weighted(const Rows& rows, const Vector<double>& weights, Index n) {
    require(weights.size() == rows.shape(0), "a weight for each triplet");
    require(rows.shape(0) < INT32_MAX / 6, "too many triplets");
    Weighted out{triplets_of(rows, n), copied(weights)};
    for (const auto& [a, b, c] : out.triplets) require(a != b && b != c && a != c, "a triplet has three leaves");
    return out;
}

Price price(int linkage, double penalty) {
    require(0 <= linkage && linkage <= static_cast<int>(Linkage::single), "no such linkage");
    return {static_cast<Linkage>(linkage), penalty};
}

// Rows of merges: the id that is gone, the id that stays, the distance.
template <class Clusters>
Array<double> merged(Clusters& clusters, Index n, Weighted triplets, nb::object tell) {
    std::vector<double> flat;
    run_long(tell, [&](Interrupts& watch) {
        Ties ties(std::move(triplets.triplets), std::move(triplets.weights), clusters.places(), watch);
        for (const Merge& m : clusters.run(ties, watch))
            flat.insert(flat.end(), {double(m.gone), double(m.kept), m.distance});
    });
    require(flat.size() == 3 * (static_cast<std::size_t>(n) - 1), "distances are too large for numbers");
    return given(std::move(flat), 3);
}

template <class Real>
void define_soft_merges(nb::module_& m) {
    m.def(
        "merge_centres_softly",
        [](Table<Real> samples, Vector<Real> weight, Rows rows, Vector<double> weights, int linkage, double penalty,
           nb::object tell) {
            const auto n = static_cast<Index>(samples.shape(0));
            require(n > 0 && samples.shape(1) > 0 && weight.size() == samples.shape(0),
                    "samples, and a weight for each");
            require_finite(samples, "samples are finite");  // an infinite one would be taken for an empty place
            const Price terms = price(linkage, penalty);
            require(terms.linkage <= Linkage::weighted, "a linkage on centres");
            SoftCentres<Real> centres(samples.data(), n, samples.shape(1), copied(weight), terms);
            return merged(centres, n, weighted(rows, weights, n), tell);
        },
        "samples"_a.noconvert(), "weight"_a.noconvert(), "rows"_a, "weights"_a, "linkage"_a, "penalty"_a,
        "tell"_a.none());
    m.def(
        "merge_table_softly",
        [](OutVector<Real> distances, Vector<Real> weight, Rows rows, Vector<double> weights, int linkage,
           double penalty, nb::object tell) {
            const std::size_t n = weight.size();
            require(n > 0 && distances.size() == n * (n - 1) / 2, "a distance for each pair is needed");
            SoftTable<Real> table(distances.data(), static_cast<Index>(n), copied(weight), price(linkage, penalty));
            return merged(table, static_cast<Index>(n), weighted(rows, weights, static_cast<Index>(n)), tell);
        },
        "distances"_a.noconvert(), "weight"_a.noconvert(), "rows"_a, "weights"_a, "linkage"_a, "penalty"_a,
        "tell"_a.none());
}

}  // namespace

void define_penalty(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("penalty");
    define_soft_merges<float>(m);
    define_soft_merges<double>(m);
}

}  // namespace tripletree
