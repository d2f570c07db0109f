// Nodes that must not share a cluster with their neighbours, for Python.
#include "feasibility.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using namespace feasibility;
using Indices = Vector<Index>;

Graph graph_of(const Indices& start, const Indices& near) {
    const Index m = require_lists(start, near.size());
    require_range(near, m, "no such neighbour");
    return {start.data(), near.data(), m};
}

void require_costs(const Graph& graph, const Table<double>& cost) {
    require(cost.shape(0) == static_cast<std::size_t>(graph.m) && cost.shape(1) > 0, "costs of each node");
}

// Nodes lo..hi-1 have no neighbours among the others.
void require_part(const Graph& graph, Index lo, Index hi) {
    require(0 <= lo && lo < hi && hi <= graph.m, "no such part");
    for (Index e = graph.start[lo]; e < graph.start[hi]; ++e)
        require(lo <= graph.near[e] && graph.near[e] < hi, "a part has only its own edges");
}

nb::object py_peel(const Indices& start, const Indices& near, Index least) {
    const Graph graph = graph_of(start, near);
    Peeled peeled = run_long([&](Interrupts&) { return peel(graph, least); });
    return nb::make_tuple(given(std::move(peeled.order)), given(std::move(peeled.parent)));
}

nb::object py_fold(const Table<double>& cost, const Indices& order, const Indices& parent) {
    const auto m = static_cast<Count>(cost.shape(0));
    require(cost.shape(1) > 0 && order.size() == parent.size(),
            "costs, and a parent or none for each node of the order");
    require_range(order, m, "no such node");
    require_range(parent, m, "no such node", none);
    Folded folded = run_long(
        [&](Interrupts&) { return fold(grid(cost), order.data(), parent.data(), static_cast<Index>(order.size())); });
    std::vector<Index> two = std::move(folded.first);
    two.insert(two.end(), folded.second.begin(), folded.second.end());
    auto* kept = new std::vector<Index>(std::move(two));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
    return nb::make_tuple(given(std::move(folded.cost), cost.shape(1)),
                          Array<Index>(kept->data(), {2, order.size()}, owner));
}

// The labels with the folded nodes filled in. two: the two cheapest clusters of each of these.
Array<Index> unfold(const Indices& label, const Indices& order, const Indices& parent, const Table<Index>& two) {
    require(parent.size() == order.size() && two.shape(0) == 2 && two.shape(1) == order.size(),
            "two clusters for each node of the order");
    require_range(order, static_cast<Count>(label.size()), "no such node");
    require_range(parent, static_cast<Count>(label.size()), "no such node", none);
    std::vector<Index> out = copied(label);
    const Grid<const Index> cheapest = grid(two);
    for (std::size_t i = order.size(); i-- > 0;) {
        const Index v = order(i), up = parent(i);
        out[v] = cheapest[up >= 0 && out[up] == cheapest[0][i]][i];
    }
    return given(std::move(out));
}

nb::object py_greedy(const Indices& start, const Indices& near, const Table<double>& cost, const Indices& order,
                     const Indices& label) {
    const Graph graph = graph_of(start, near);
    require_costs(graph, cost);
    require(label.size() == cost.shape(0), "a label or none for each node");
    require_range(label, static_cast<Count>(cost.shape(1)), "a label names no cluster", none);
    require_range(order, graph.m, "no such node");
    Chosen chosen = run_long([&](Interrupts& watch) {
        return greedy(graph, grid(cost), order.data(), static_cast<Index>(order.size()), label.data(), watch);
    });
    return nb::make_tuple(given(std::move(chosen.label)), chosen.failed);
}

Array<Index> py_large_clique(const Indices& start, const Indices& near, Index size, Count work) {
    const Graph graph = graph_of(start, near);
    return given(run_long([&](Interrupts& watch) { return large_clique(graph, size, work, watch); }));
}

// An object that keeps its own graph.
struct OwnGraph {
    std::vector<Index> start, near;

    OwnGraph(const Indices& start, const Indices& near) : start(copied(start)), near(copied(near)) {
        graph_of(start, near);
    }
    OwnGraph(const OwnGraph&) = delete;  // others point into it
    Graph graph() const { return {start.data(), near.data(), static_cast<Index>(start.size()) - 1}; }
};

std::vector<Index> checked_labels(const Graph& graph, const Indices& label, Index k, Index least = 0) {
    require(label.size() == static_cast<std::size_t>(graph.m), "a label for each node");
    require_range(label, k, "a label names no cluster", least);
    return copied(label);
}

// Each is a neighbour of its neighbours, not of itself, and lists are ascending. Else a descent might have no end.
Graph require_both_ways(const Graph& graph) {
    std::vector<Index> next(graph.start, graph.start + graph.m);  // in the list of each node
    for (Index v = 0; v < graph.m; ++v)
        for (const Index w : graph.of(v)) {
            require(w != v && next[w] < graph.start[w + 1] && graph.near[next[w]] == v, "neighbours are so both ways");
            ++next[w];
        }
    return graph;
}

struct PyMending : OwnGraph {
    Index k;
    Mending state;

    PyMending(const Indices& start, const Indices& near, const Indices& label, Index k, Count seed)
        : OwnGraph(start, near), k(k), state(require_both_ways(graph()), checked_labels(graph(), label, k), k, seed) {}
};

struct PySearch : OwnGraph {
    std::vector<double> cost, priority;
    Index k;
    Flags begun;  // the nodes of parts that were searched
    AssignmentSearch state;

    PySearch(const Indices& start, const Indices& near, const Table<double>& cost, const Vector<double>& priority,
             const Table<Index>& n_taken)
        : OwnGraph(start, near),
          cost(cost.data(), cost.data() + cost.size()),
          priority(copied(priority)),
          k(static_cast<Index>(cost.shape(1))),
          begun(cost.shape(0)),
          state(problem(), {n_taken.data(), n_taken.data() + n_taken.size()}) {}

    Problem problem() const { return {graph(), {cost.data(), graph().m, k}, priority.data()}; }

    void begin_part(Index lo, Index hi, double best_cost) {
        require_part(graph(), lo, hi);
        require(std::find(begun.begin() + lo, begun.begin() + hi, 1) == begun.begin() + hi, "a part is searched once");
        std::fill(begun.begin() + lo, begun.begin() + hi, 1);
        state.begin_part(lo, hi, best_cost);
    }
};

nb::object py_improve(const Indices& start, const Indices& near, const Table<double>& cost,
                      const Vector<double>& priority, const Indices& blocks, const Indices& label, const Indices& other,
                      Count exchanging, Count searching) {
    const Graph graph = graph_of(start, near);
    require_costs(graph, cost);
    const auto k = static_cast<Index>(cost.shape(1));
    require(priority.size() == cost.shape(0), "a priority for each node");
    require(exchanging >= 0 && searching >= 0, "work is no less than 0");
    const auto count = static_cast<Index>(blocks.size()) - 1;
    require(count >= 0 && blocks(0) == 0 && blocks(count) == graph.m, "the first node of each part, and the end");
    for (Index p = 0; p < count; ++p) require_part(graph, blocks(p), blocks(p + 1));
    std::vector<Index> out = checked_labels(graph, label, k);
    checked_labels(graph, other, k, none);
    const Index proved = run_long([&](Interrupts& watch) {
        return improve({graph, grid(cost), priority.data()}, blocks.data(), count, out.data(), other.data(), exchanging,
                       searching, watch);
    });
    return nb::make_tuple(given(std::move(out)), proved);
}

}  // namespace

void define_feasibility(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("feasibility");
    m.def("peel", &py_peel, "start"_a, "near"_a, "least"_a);
    m.def("fold", &py_fold, "cost"_a, "order"_a, "parent"_a);
    m.def("unfold", &unfold, "label"_a, "order"_a, "parent"_a, "two"_a);
    m.def("greedy", &py_greedy, "start"_a, "near"_a, "cost"_a, "order"_a, "label"_a);
    m.def("large_clique", &py_large_clique, "start"_a, "near"_a, "size"_a, "work"_a);
    m.def("improve", &py_improve, "start"_a, "near"_a, "cost"_a, "priority"_a, "blocks"_a, "label"_a, "other"_a,
          "exchanging"_a, "searching"_a);
    // After an interrupt these two are half changed: the caller has to drop them.
    nb::class_<PyMending>(m, "Mending")
        .def(
            "__init__",
            [](PyMending* self, Indices start, Indices near, Indices label, Index k, Count seed) {
                require(k >= 2 && seed >= 0, "two clusters and a seed");
                new (self) PyMending(start, near, label, k, seed);
            },
            "start"_a, "near"_a, "label"_a, "k"_a, "seed"_a)
        .def("descend",
             [](PyMending& self) { return run_long([&](Interrupts& watch) { return self.state.descend(watch); }); })
        .def(
            "mend",
            [](PyMending& self, Count limit) {
                return run_long([&](Interrupts& watch) { return self.state.mend(limit, watch); });
            },
            "limit"_a)
        .def_prop_ro(
            "label", [](const PyMending& self) { return given(std::vector<Index>(self.state.label())); },
            nb::rv_policy::move)
        .def_prop_ro(
            "beside", [](const PyMending& self) { return given(std::vector<Index>(self.state.besides()), self.k); },
            nb::rv_policy::move)
        .def_prop_ro(
            "crowd",
            [](const PyMending& self) {  // rows of a node and how the clashes change by its best moves
                std::vector<Index> rows;
                for (const Mending::Member& member : self.state.crowd())
                    rows.insert(rows.end(), {member.node, member.change});
                return given(std::move(rows), 2);
            },
            nb::rv_policy::move);
    nb::class_<PySearch>(m, "AssignmentSearch")
        .def(
            "__init__",
            [](PySearch* self, Indices start, Indices near, Table<double> cost, Vector<double> priority,
               Table<Index> n_taken) {
                require_costs(graph_of(start, near), cost);
                require(priority.size() == cost.shape(0), "a priority for each node");
                require(n_taken.shape(0) == cost.shape(0) && n_taken.shape(1) == cost.shape(1), "counts for each cost");
                new (self) PySearch(start, near, cost, priority, n_taken);
            },
            "start"_a, "near"_a, "cost"_a, "priority"_a, "n_taken"_a)
        .def("begin_part", &PySearch::begin_part, "lo"_a, "hi"_a, "best_cost"_a)
        .def(
            "search",
            [](PySearch& self, Count limit, bool symmetric) {
                return run_long([&](Interrupts& watch) { return self.state.search(limit, symmetric, watch); });
            },
            "limit"_a, "symmetric"_a)
        .def("best", [](const PySearch& self) { return given(self.state.best_of_part()); })
        .def_prop_ro("best_cost", [](const PySearch& self) { return self.state.best_cost(); });
}

}  // namespace tripletree
