// Consequences of triplets, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>

#include "infer.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

std::vector<Triplet> leaves(const Rows& rows, Index n) {
    require(rows.shape(0) < std::numeric_limits<Index>::max(), "too many triplets");
    std::vector<Triplet> out = triplets_of(rows, n);
    for (const auto& [a, b, c] : out) require(a != b && b != c && a != c, "a triplet has three leaves");
    return out;
}

AtSplit task_named(std::string_view name) {
    const std::pair<std::string_view, AtSplit> tasks[] = {{"answer", AtSplit::answer},
                                                          {"sizes", AtSplit::sizes},
                                                          {"list", AtSplit::list},
                                                          {"cycles", AtSplit::cycles},
                                                          {"spare", AtSplit::spare}};
    for (const auto& [other, task] : tasks)
        if (other == name) return task;
    throw std::invalid_argument("no such task");
}

}  // namespace

void define_infer(nb::module_& module) {
    nb::module_ m = module.def_submodule("infer", "Consequences of triplets.");
    // Flags of the queries, sizes, triplets, and steps, see `Descents`. Queries are the triplets if there are none.
    m.def(
        "walk",
        [](Vector<Index> parent, Index n, Rows rows, std::optional<Rows> queries, std::string_view task, Count most) {
            const Parents all = tree(parent, n);
            require(n > 2, "triplets need three leaves");
            const std::vector<Triplet> triplets = leaves(rows, n), asked = queries ? leaves(*queries, n) : triplets;
            const AtSplit wanted = task_named(task);
            require(!queries || wanted == AtSplit::answer, "queries are to be answered");
            auto found = run_long([&](Interrupts& watch) {
                Descents descents(all, n, triplets, queries ? &asked : nullptr, watch);
                require(descents.displays_all_rows(), "the tree does not display all triplets");
                return descents.walk(wanted, most);
            });
            return nb::make_tuple(given(std::move(found.flag)), given(std::move(found.sizes), 2),
                                  given(std::move(found.listed), 3), found.steps);
        },
        "parent"_a, "n"_a, "rows"_a, "queries"_a.none(), "task"_a, "most"_a);
}

}  // namespace tripletree
