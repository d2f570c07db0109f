// `cut` for Python: passes over parent arrays, and the best cut by support.
#include "cut.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// For each point the nearest one of a run of centres, first..stop-1, the first of equals.
std::vector<Count> nearest_centres(const Table<double>& points, const Table<double>& centres,
                                   const Vector<Count>& first, const Vector<Count>& stop, Interrupts& watch) {
    const std::size_t width = points.shape(1);
    std::vector<Count> nearest(points.shape(0));
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        nearest[i] = first(i);
        watch.check(static_cast<Count>(i), (stop(i) - first(i)) * static_cast<Count>(width + 1));
        for (Count j = first(i); j < stop(i); ++j) {
            const double *point = points.data() + i * width, *centre = centres.data() + j * width;
            double distance = 0.0;
            for (std::size_t x = 0; x < width; ++x) distance += (point[x] - centre[x]) * (point[x] - centre[x]);
            if (distance < least) {
                least = distance;
                nearest[i] = j;
            }
        }
    }
    return nearest;
}

nb::object nearest_of_runs(const Table<double>& points, const Table<double>& centres, const Vector<Count>& first,
                           const Vector<Count>& stop) {
    require(points.shape(1) == centres.shape(1), "points and centres have as many dimensions");
    require(first.size() == points.shape(0) && stop.size() == points.shape(0), "a run for each point");
    for (std::size_t i = 0; i < first.size(); ++i)
        require(0 <= first(i) && first(i) < stop(i) && stop(i) <= Count(centres.shape(0)), "a run names no centre");
    return nb::cast(
        given(run_long([&](Interrupts& watch) { return nearest_centres(points, centres, first, stop, watch); })));
}

SupportedCut planned(const Vector<Index>& parent, const Vector<bool>& large, const Vector<Count>& gain,
                     const Vector<Count>& support, Count most) {
    const Parents up = tree(parent);
    require(up.size() > 0 && 1 <= most && most <= Count(up.size()), "a number of clusters");
    require(large.size() == up.size() && gain.size() == up.size(), "values of each node");
    require(support.size() == up.size(), "a support of each node");
    std::vector<Count> wanted(up.size(), -1);
    for (std::size_t u = 0; u + 1 < up.size(); ++u) wanted[up[u]] += large(u);
    for (std::size_t u = 0; u < up.size(); ++u)
        require(gain(u) == std::max<Count>(wanted[u], 0), "gains count large children");
    return unlocked([&] { return SupportedCut(up, seen(large), seen(gain), seen(support), most); });
}

}  // namespace

void define_cut(nb::module_& module) {
    nb::module_ m = module.def_submodule("cut", "Passes over parent arrays for linkages, cuts and drawings.");
    m.def(
        "branch_heads",
        [](Vector<Index> parent, Vector<bool> split, Index n) {
            require(split.size() == parent.size(), "each node is split or not");
            return given(unlocked([&] { return branch_heads(tree(parent, n), seen(split), n); }));
        },
        "parent"_a.noconvert(), "split"_a.noconvert(), "n"_a);
    m.def(
        "whose_parts",
        [](Vector<Index> parent, Vector<Index> part) {
            const auto n = static_cast<Index>(part.size());
            return given(unlocked([&] { return whose_parts(tree(parent, n), seen(part)); }));
        },
        "parent"_a.noconvert(), "part"_a.noconvert());
    m.def("nearest_centres", &nearest_of_runs, "points"_a.noconvert(), "centres"_a.noconvert(), "first"_a.noconvert(),
          "stop"_a.noconvert());
    m.def(
        "levels", [](Vector<Index> parent) { return given(unlocked([&] { return levels(tree(parent)); })); },
        "parent"_a.noconvert());
    m.def(
        "monotone_heights",
        [](Vector<Index> parent, Vector<double> height, Index n) {
            require(height.size() == parent.size(), "a height for each node");
            return given(unlocked([&] { return monotone_heights(tree(parent, n), seen(height), n); }));
        },
        "parent"_a.noconvert(), "height"_a.noconvert(), "n"_a);
    m.def(
        "reading_places",
        [](Vector<Index> parent, Index n) {
            return given(unlocked([&] { return reading_places(tree(parent, n), n); }));
        },
        "parent"_a.noconvert(), "n"_a);
    m.def(
        "child_spans",
        [](Vector<Index> parent, Vector<Index> place) {
            const auto n = static_cast<Index>(place.size());
            Spans out = unlocked([&] { return child_spans(tree(parent, n), seen(place)); });
            return nb::make_tuple(given(std::move(out.low)), given(std::move(out.high)));
        },
        "parent"_a.noconvert(), "place"_a.noconvert());
    m.def(
        "subtree_sums",
        [](Vector<Index> parent, Vector<Count> value) {
            require(value.size() == parent.size(), "a value for each node");
            return given(unlocked([&] { return subtree_sums(tree(parent), seen(value)); }));
        },
        "parent"_a.noconvert(), "value"_a.noconvert());
    nb::class_<SupportedCut>(m, "SupportedCut")
        .def(
            "__init__",
            [](SupportedCut* self, Vector<Index> parent, Vector<bool> large, Vector<Count> gain, Vector<Count> support,
               Count most) { new (self) SupportedCut(planned(parent, large, gain, support, most)); },
            "parent"_a.noconvert(), "large"_a.noconvert(), "gain"_a.noconvert(), "support"_a.noconvert(), "most"_a)
        .def_prop_ro("n_states", &SupportedCut::n_states)
        .def("solve",
             [](SupportedCut& self) { return given(run_long([&](Interrupts& watch) { return self.solve(watch); })); })
        .def(
            "trace",
            [](const SupportedCut& self, Count k) {
                require(self.is_reachable(k), "no such number of clusters can be reached");
                return given(self.trace(k));
            },
            "k"_a);
}

}  // namespace tripletree
