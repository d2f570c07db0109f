// The Python side of the core. Arrays are checked here: what comes in has the right type, shape and range, or raises.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "aho_tree.hpp"
#include "centres.hpp"
#include "distance_table.hpp"
#include "recon.hpp"
#include "single_linkage.hpp"
#include "sparse_centres.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tripletree {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const Index, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const Index, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
std::vector<T> copied(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class T>
nb::ndarray<nb::numpy, T> given(std::vector<T>&& values, std::size_t columns = 0) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (columns == 0) return {kept->data(), {kept->size()}, owner};
    return {kept->data(), {kept->size() / columns, columns}, owner};
}

std::vector<Triplet> triplets_of(const Rows& rows, Index n) {
    std::vector<Triplet> out(rows.shape(0));
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = {rows(k, 0), rows(k, 1), rows(k, 2)};
        for (const Index x : {out[k].a, out[k].b, out[k].c}) require(0 <= x && x < n, "a triplet names no leaf");
    }
    return out;
}

// Takes the GIL for a look at interrupts: Ctrl-C, and what `tell`, a function or None, raises.
Interrupts listening(nb::handle tell) {
    return Interrupts([tell](Count done) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!tell.is_none()) tell(done);
    });
}

// A tree after an interrupt is half changed: the caller has to drop it.
struct PyTree {
    AhoTree tree;
    Index n;
};

PyTree planted(const Vector<Index>& parent, Index n, const Rows& rows, bool all_leaves) {
    const auto size = static_cast<Index>(parent.size());
    require(size >= std::max<Index>(n, 1), "a parent for each leaf is needed");
    for (Index u = 0; u + 1 < size; ++u) require(std::max(u + 1, n) <= parent(u) && parent(u) < size, "parents come after their children");
    return {AhoTree(copied(parent), n, triplets_of(rows, n), all_leaves), n};
}

Triplet checked(const PyTree& self, Index a, Index b, Index c) {
    for (const Index x : {a, b, c}) require(0 <= x && x < self.n, "a triplet names no leaf");
    require(a != b && b != c && a != c, "a triplet has three leaves");
    return {a, b, c};
}

nb::ndarray<nb::numpy, Index> add_rows(PyTree& self, const Rows& rows, nb::object tell) {
    std::vector<Index> out;
    out.reserve(rows.shape(0));
    for (std::size_t k = 0; k < rows.shape(0); ++k) checked(self, rows(k, 0), rows(k, 1), rows(k, 2));
    {
        Interrupts watch = listening(tell);
        const nb::gil_scoped_release release;
        for (std::size_t k = 0; k < rows.shape(0); ++k) {
            out.push_back(self.tree.add({rows(k, 0), rows(k, 1), rows(k, 2)}, watch));
            watch.check(static_cast<Count>(k), 8);
        }
    }
    return given(std::move(out));
}

nb::ndarray<nb::numpy, bool, nb::ndim<1>> test_rows(PyTree& self, const Rows& rows, nb::object tell) {
    const std::size_t n = rows.shape(0);
    bool* out = new bool[n];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    for (std::size_t k = 0; k < n; ++k) checked(self, rows(k, 0), rows(k, 1), rows(k, 2));
    {
        Interrupts watch = listening(tell);
        const nb::gil_scoped_release release;
        for (std::size_t k = 0; k < n; ++k) {
            out[k] = self.tree.test({rows(k, 0), rows(k, 1), rows(k, 2)}, watch) != Outcome::refused;
            watch.check(static_cast<Count>(k), 8);
        }
    }
    return {out, {n}, owner};
}

// ---------------------------------------------------------------------- ReCon

// What a run of ReCon is told besides its distances. `tell` is called with the merges done so far.
struct Settings {
    AhoTree tree;
    std::vector<std::pair<Index, Index>> apart;
    Linkage linkage;
    Index n;
};

Settings settings(Index n, const Vector<Index>& parent, const Rows& rows, const Pairs& apart, int linkage) {
    Settings out{planted(parent, n, rows, false).tree, {}, static_cast<Linkage>(linkage), n};
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
    {
        Interrupts watch = listening(tell);
        const nb::gil_scoped_release release;
        ReCon recon(settings.n, std::move(settings.tree), settings.apart);
        merges = recon.run(distances, watch);
        counts = recon.counts;
    }
    std::vector<double> flat;
    flat.reserve(3 * merges.size());
    for (const Merge& m : merges) flat.insert(flat.end(), {double(m.gone), double(m.kept), m.distance});
    return nb::make_tuple(given(std::move(flat), 3), nb::make_tuple(counts.tests, counts.rejections, counts.searches));
}

template <class Real>
void define_recon(nb::module_& m) {
    m.def(
        "merge_by_centres",
        [](Table<Real> samples, Vector<Real> weight, Vector<Real> spread, Vector<Index> parent, Rows rows, Pairs apart,
           int linkage, nb::object tell) {
            const auto n = static_cast<Index>(samples.shape(0));
            require(weight.size() == samples.shape(0) && spread.size() == samples.shape(0), "a weight for each sample");
            require(samples.shape(1) > 0, "samples need a dimension");
            Settings given = settings(n, parent, rows, apart, linkage);
            Centres<Real> centres(samples.data(), n, samples.shape(1), copied(weight), copied(spread), given.linkage);
            return merged(centres, std::move(given), tell);
        },
        "samples"_a.noconvert(), "weight"_a.noconvert(), "spread"_a.noconvert(), "parent"_a, "rows"_a, "apart"_a, "linkage"_a, "tell"_a.none());
    m.def(
        "merge_by_vectors",
        [](Vector<Count> start, Vector<Index> feature, Vector<Real> value, Index n_features, Vector<Real> square,
           Vector<Real> weight, Vector<Index> parent, Rows rows, Pairs apart, int linkage, nb::object tell) {
            const auto n = static_cast<Index>(weight.size());
            require(start.size() == weight.size() + 1 && square.size() == weight.size(), "a row for each sample");
            require(start(0) == 0 && start(n) == Count(value.size()) && feature.size() == value.size(), "rows of entries");
            for (Index x = 0; x < n; ++x) require(start(x) <= start(x + 1), "rows in order");
            for (std::size_t e = 0; e < feature.size(); ++e) require(0 <= feature(e) && feature(e) < n_features, "features");
            Settings given = settings(n, parent, rows, apart, linkage);
            SparseCentres<Real> centres(start.data(), feature.data(), value.data(), n, n_features, copied(square),
                                        copied(weight), given.linkage);
            return merged(centres, std::move(given), tell);
        },
        "start"_a, "feature"_a, "value"_a.noconvert(), "n_features"_a, "square"_a.noconvert(), "weight"_a.noconvert(), "parent"_a, "rows"_a,
        "apart"_a, "linkage"_a, "tell"_a.none());
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
        "distances"_a.noconvert(), "weight"_a.noconvert(), "parent"_a, "rows"_a, "apart"_a, "linkage"_a, "tell"_a.none());
}

}  // namespace

NB_MODULE(engine, m) {
    nb::class_<PyTree>(m, "AhoTree")
        .def("__init__", [](PyTree* self, Vector<Index> parent, Index n, Rows rows) { new (self) PyTree(planted(parent, n, rows, true)); })
        .def("__copy__", [](const PyTree& self) { return PyTree(self); })
        .def("add", [](PyTree& self, Index a, Index b, Index c) {
            Interrupts watch = listening(nb::none());
            return self.tree.add(checked(self, a, b, c), watch);
        })
        .def("add_rows", &add_rows, "rows"_a, "tell"_a.none() = nb::none())
        .def("test_rows", &test_rows, "rows"_a, "tell"_a.none() = nb::none())
        .def("remove", [](PyTree& self, Index t) { return self.tree.remove(t); })
        .def("parents", [](const PyTree& self) { return given(self.tree.parents()); });
    m.def("as_linkage", [](nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu> merges, bool squared) {
        const auto n = static_cast<Index>(merges.shape(0));
        for (Index k = 0; k < n; ++k)
            for (const int side : {0, 1}) require(0 <= merges(k, side) && merges(k, side) <= n, "a merge names no cluster");
        return given(as_linkage(merges.data(), n, squared), 4);
    }, "merges"_a, "squared"_a);
    define_recon<float>(m);
    define_recon<double>(m);
}

}  // namespace tripletree
