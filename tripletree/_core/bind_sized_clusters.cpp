// The cheapest clusters of given sizes, for Python.
#include "parts.hpp"
#include "python.hpp"
#include "sized_clusters.hpp"

namespace tripletree {

void define_sized_clusters(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("sized_clusters");
    m.def(
        "assign_sized",
        [](Table<double> cost, Count least, Count most) {
            const auto n = static_cast<Count>(cost.shape(0)), k = static_cast<Count>(cost.shape(1));
            require(0 < k && k < INT32_MAX && n < INT32_MAX, "costs of each sample in each cluster");
            require(0 <= least && least <= n / k && 0 <= most && (most > n || n <= k * most),
                    "clusters of these sizes hold all samples");
            return given(
                run_long([&](Interrupts& watch) { return SizedClusters(grid(cost), least, most).run(watch); }));
        },
        "cost"_a, "least"_a, "most"_a);
}

}  // namespace tripletree
