// Agglomeration of many small groups, for Python.
#include "must_link_groups.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

// The merges of all groups, one group after the other: the first members of the two clusters, the one that stays last,
// their distance, and the largest distance in the cluster that is formed. And the centres of the whole groups.
nb::object agglomerate_groups(const Table<double>& samples, const Vector<Count>& members, const Vector<Count>& start,
                              int linkage, nb::object tell) {
    require(0 <= linkage && linkage <= static_cast<int>(Linkage::ward), "a linkage on centres");
    require(samples.shape(1) > 0, "samples need a dimension");
    const Count n_groups = require_lists(start, members.size(), false), d = static_cast<Count>(samples.shape(1));
    Count widest = 0;
    for (Count g = 0; g < n_groups; ++g) widest = std::max(widest, start(g + 1) - start(g));
    require(widest < INT32_MAX, "a group has too many members");
    for (std::size_t i = 0; i < members.size(); ++i)
        require(0 <= members(i) && members(i) < Count(samples.shape(0)), "a group names no sample");
    std::vector<double> merges, centres(n_groups * d);
    run_long(tell, [&](Interrupts& watch) {
        merges.reserve(4 * (members.size() - n_groups));
        SmallGroup group(d, static_cast<Index>(widest), static_cast<Linkage>(linkage));
        for (Count g = 0; g < n_groups; ++g) {
            const auto size = static_cast<Index>(start(g + 1) - start(g));
            group.run(samples.data(), &members(start(g)), size, watch,
                      [&](Count gone, Count kept, double distance, double top) {
                          merges.insert(merges.end(), {double(gone), double(kept), distance, top});
                      });
            for (Count k = 0; k < d; ++k) centres[g * d + k] = group.centre(k);
        }
    });
    require(merges.size() == 4 * (members.size() - n_groups), "distances are finite");
    return nb::make_tuple(given(std::move(merges), 4), given(std::move(centres), d));
}

}  // namespace

void define_must_link_groups(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("must_link_groups");
    m.def("agglomerate_groups", &agglomerate_groups, "samples"_a.noconvert(), "members"_a, "start"_a, "linkage"_a,
          "tell"_a.none());
}

}  // namespace tripletree
