// ReCon for Python: a function for each kind of distances.
#include <utility>
#include <vector>

#include "centres.hpp"
#include "distance_table.hpp"
#include "parts.hpp"
#include "planted.hpp"
#include "python.hpp"
#include "recon.hpp"
#include "single_linkage.hpp"
#include "sparse_centres.hpp"

namespace tripletree {
namespace {

// What a run of ReCon is told besides its distances. `tell` is called with the merges done so far.
struct Settings {
    AhoTree tree;
    std::vector<std::pair<Index, Index>> apart;
    Linkage linkage;
    Index n;
};

Settings settings(Index n, const Vector<Index>& parent, const Rows& rows, const Pairs& apart, int linkage) {
    Settings out{planted(parent, n, rows, false), {}, static_cast<Linkage>(linkage), n};
    require(0 <= linkage && linkage <= static_cast<int>(Linkage::single), "no such linkage");
    for (std::size_t k = 0; k < apart.shape(0); ++k) {
        for (const int side : {0, 1}) require(0 <= apart(k, side) && apart(k, side) < n, "a pair names no sample");
        out.apart.emplace_back(apart(k, 0), apart(k, 1));
    }
    return out;
}

// Rows of merges (the id that is gone, the id that stays, the distance), and the counts of tests, rejections, searches.
template <class Distances>
nb::object merged(Distances& distances, Settings settings, nb::object tell) {
    std::vector<Merge> merges;
    ReCon::Counts counts;
    run_long(tell, [&](Interrupts& watch) {
        ReCon recon(settings.n, std::move(settings.tree), settings.apart);
        merges = recon.run(distances, watch);
        counts = recon.counts;
    });
    std::vector<double> flat;
    flat.reserve(3 * merges.size());
    for (const Merge& m : merges) flat.insert(flat.end(), {double(m.gone), double(m.kept), m.distance});
    return nb::make_tuple(given(std::move(flat), 3), nb::make_tuple(counts.tests, counts.rejections, counts.searches));
}

template <class Real>
void define_merges(nb::module_& m) {
    m.def(
        "merge_by_centres",
        [](Table<Real> samples, Vector<Real> weight, Vector<Real> spread, Vector<Index> parent, Rows rows, Pairs apart,
           int linkage, nb::object tell) {
            const auto n = static_cast<Index>(samples.shape(0));
            require(weight.size() == samples.shape(0) && spread.size() == samples.shape(0), "a weight for each sample");
            require(samples.shape(1) > 0, "samples need a dimension");
            require_finite(samples, "samples are finite");  // an infinite one would be taken for an empty place
            Settings given = settings(n, parent, rows, apart, linkage);
            Centres<Real> centres(samples.data(), n, samples.shape(1), copied(weight), copied(spread), given.linkage);
            return merged(centres, std::move(given), tell);
        },
        "samples"_a.noconvert(), "weight"_a.noconvert(), "spread"_a.noconvert(), "parent"_a, "rows"_a, "apart"_a,
        "linkage"_a, "tell"_a.none());
    m.def(
        "merge_by_vectors",
        [](Vector<Count> start, Vector<Index> feature, Vector<Real> value, Index n_features, Vector<Real> square,
           Vector<Real> weight, Vector<Index> parent, Rows rows, Pairs apart, int linkage, nb::object tell) {
            const auto n = static_cast<Index>(weight.size());
            require(require_lists(start, value.size()) == n && square.size() == weight.size(), "a row for each sample");
            require(feature.size() == value.size(), "a feature for each value");
            require_range(feature, n_features, "no such feature");
            Settings given = settings(n, parent, rows, apart, linkage);
            SparseCentres<Real> centres(start.data(), feature.data(), value.data(), n, n_features, copied(square),
                                        copied(weight), given.linkage);
            return merged(centres, std::move(given), tell);
        },
        "start"_a, "feature"_a, "value"_a.noconvert(), "n_features"_a, "square"_a.noconvert(), "weight"_a.noconvert(),
        "parent"_a, "rows"_a, "apart"_a, "linkage"_a, "tell"_a.none());
    using Condensed = nb::ndarray<Real, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "merge_by_table",
        [](Condensed distances, Vector<Real> weight, Vector<Index> parent, Rows rows, Pairs apart, int linkage,
           nb::object tell) {
            const std::size_t n = weight.size();
            require(n > 0 && distances.size() == n * (n - 1) / 2, "a distance for each pair is needed");
            Settings given = settings(static_cast<Index>(n), parent, rows, apart, linkage);
            if (given.linkage == Linkage::single) {
                SingleLinkage<Real> table(distances.data(), static_cast<Index>(n));
                return merged(table, std::move(given), tell);
            }
            DistanceTable<Real> table(distances.data(), static_cast<Index>(n), copied(weight), given.linkage);
            return merged(table, std::move(given), tell);
        },
        "distances"_a.noconvert(), "weight"_a.noconvert(), "parent"_a, "rows"_a, "apart"_a, "linkage"_a,
        "tell"_a.none());
}

}  // namespace

void define_recon(nb::module_& m) {
    m.def(
        "as_linkage",
        [](nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu> merges, bool squared) {
            const auto n = static_cast<Index>(merges.shape(0));
            for (Index k = 0; k < n; ++k)
                for (const int side : {0, 1})
                    require(0 <= merges(k, side) && merges(k, side) <= n, "a merge names no cluster");
            return given(as_linkage(merges.data(), n, squared), 4);
        },
        "merges"_a, "squared"_a);
    define_merges<float>(m);
    define_merges<double>(m);
}

}  // namespace tripletree
