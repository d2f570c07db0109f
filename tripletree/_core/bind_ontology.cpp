// Graphs in which nodes have several parents, for Python.
#include "ontology.hpp"
#include "parents.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

Graph graph(const Vector<Index>& start, const Vector<Index>& value) {
    const Index n = require_lists(start, value.size());
    require_range(value, n, "no such node");
    return {start.data(), value.data(), n};
}

// The lists of parents that are greater than their children, of all of n nodes, or of all but the last.
Graph upward(const Vector<Index>& start, const Vector<Index>& up, Index n) {
    require_lists(start, up.size());
    const auto size = static_cast<Index>(start.size()) - 1;
    require(n >= 1 && (n == size || n == size + 1), "lists of parents for each node, or all but the root");
    for (Index u = 0; u < size; ++u)
        for (Index i = start(u); i < start(u + 1); ++i)
            require(u < up(i) && up(i) < n, "parents come after their children");
    return {start.data(), up.data(), size};
}

nb::object lists(Frontiers&& found) {
    return nb::make_tuple(given(std::move(found.start)), given(std::move(found.node)));
}

void begin_reach(Reach* self, Vector<Count> start, Vector<Index> node, Vector<Index> left, Vector<Index> right) {
    require_lists(start, node.size());
    require(left.size() == right.size() && left.size() > start.size() - 1 && left.size() < INT32_MAX,
            "places of each node");
    const auto size = static_cast<Index>(left.size()), n_inner = static_cast<Index>(start.size()) - 1,
               n = size - n_inner;
    for (Index u = 0; u < size; ++u) require(0 <= left(u) && left(u) < right(u) && right(u) <= n, "places of leaves");
    require_range(node, size, "no such node");
    for (Index d = 0; d < n_inner; ++d) {
        bool has_own = false;
        for (Count i = start(d); i < start(d + 1); ++i) {
            has_own |= node(i) == n + d;
            require(i == start(d) || right(node(i - 1)) <= left(node(i)), "clades from left to right");
        }
        require(has_own, "a node reaches its own clade");
    }
    new (self) Reach(copied(start), copied(node), copied(left), copied(right));
}

Parents dominator_tree(const Reach& self, const Vector<Index>& parent) {
    require(static_cast<Index>(parent.size()) == self.n_nodes(), "a tree of other nodes");
    return tree_without_gaps(parent, self.n_leaves());
}

}  // namespace

void define_ontology(nb::module_& module) {
    nb::module_ m = module.def_submodule("ontology");
    m.def(
        "top_down",
        [](Vector<Index> up_start, Vector<Index> down_start, Vector<Index> down) {
            const Graph children = graph(down_start, down);
            require_lists(up_start, down.size());
            require(up_start.size() == down_start.size(), "lists of parents and of children");
            std::vector<Index> n_parents(children.n_nodes, 0);
            for (std::size_t i = 0; i < down.size(); ++i) ++n_parents[down(i)];
            for (Index u = 0; u < children.n_nodes; ++u)
                require(n_parents[u] == up_start(u + 1) - up_start(u), "other parents");
            TopDown found = top_down(std::move(n_parents), children);
            return nb::make_tuple(given(std::move(found.order)), given(std::move(found.level)));
        },
        "up_start"_a, "down_start"_a, "down"_a);
    m.def(
        "reached",
        [](Vector<Index> start, Vector<Index> value, Vector<Index> sources) {
            const Graph lists = graph(start, value);
            require_range(sources, lists.n_nodes, "no such node");
            return given(reached(lists, sources.data(), sources.size()));
        },
        "start"_a, "value"_a, "sources"_a);
    m.def(
        "best_parent",
        [](Vector<Index> start, Vector<Index> up, Vector<Count> score) {
            const Graph parents = graph(start, up);
            require(static_cast<Index>(score.size()) == parents.n_nodes, "a score for each node");
            return given(best_parent(parents, score.data()));
        },
        "start"_a, "up"_a, "score"_a);
    m.def(
        "dominators",
        [](Vector<Index> start, Vector<Index> up, Index n) { return given(dominators(upward(start, up, n), n)); },
        "start"_a, "up"_a, "n"_a);
    m.def(
        "held",
        [](Vector<Index> parent, Vector<Index> number) {
            require(parent.size() == number.size() && parent.size() < INT32_MAX, "a number for each node");
            const auto n = static_cast<Index>(parent.size());
            require_range(parent, n, "no such node", none);
            require_range(number, n, "no such node", none);
            return given(held(parent.data(), number.data(), n));
        },
        "parent"_a, "number"_a);
    m.def(
        "frontiers",
        [](Vector<Index> start, Vector<Index> up, Vector<Index> idom, Count most) {
            const auto n = static_cast<Index>(idom.size());
            const Graph parents = upward(start, up, n);
            require_range(idom, n, "no such node", none);
            for (Index u = 0; u < n; ++u) require(idom(u) == none || idom(u) > u, "dominators come after their nodes");
            return lists(run_long([&](Interrupts& watch) { return frontiers(parents, copied(idom), most, watch); }));
        },
        "start"_a, "up"_a, "idom"_a, "most"_a);
    m.def(
        "closures",
        [](Vector<Index> nodes, Vector<Count> first, Vector<Index> frontier, Count most) {
            require_lists(first, frontier.size());
            const auto n = static_cast<Index>(first.size()) - 1;
            require_range(nodes, n, "no such node");
            require_range(frontier, n, "no such node");
            return lists(run_long([&](Interrupts& watch) {
                return closures(nodes.data(), nodes.size(), first.data(), frontier.data(), n, most, watch);
            }));
        },
        "nodes"_a, "first"_a, "frontier"_a, "most"_a);

    nb::class_<Reach>(m, "Reach")
        .def("__init__", &begin_reach, "start"_a, "node"_a, "left"_a, "right"_a)
        .def("__len__", &Reach::n_entries)
        .def("sizes",
             [](const Reach& self) {
                 std::vector<Count> out;
                 for (Index d = self.n_leaves(); d < self.n_nodes(); ++d) out.push_back(self.size(d));
                 return given(std::move(out));
             })
        .def(
            "covered",
            [](const Reach& self, Vector<Index> d, Vector<Index> at) {
                require(d.size() == at.size(), "a place for each node");
                require_range(d, self.n_nodes(), "no such node", self.n_leaves());
                require_range(at, self.n_leaves(), "no such node");
                Flags out(d.size());
                for (std::size_t t = 0; t < out.size(); ++t) out[t] = self.is_covered(d(t), at(t));
                return given(std::move(out));
            },
            "d"_a, "at"_a)
        .def(
            "nth_outside",
            [](const Reach& self, Vector<Index> d, Vector<Count> k) {
                require(d.size() == k.size(), "a number for each node");
                require_range(d, self.n_nodes(), "no such node", self.n_leaves());
                std::vector<Index> out(d.size());
                for (std::size_t t = 0; t < out.size(); ++t) {
                    require(0 <= k(t) && k(t) < self.n_leaves() - self.size(d(t)), "not so many leaves outside");
                    out[t] = self.nth_outside(d(t), k(t));
                }
                return given(std::move(out));
            },
            "d"_a, "k"_a)
        .def(
            "enclosing",
            [](const Reach& self, Vector<Index> parent) {
                const Parents all = dominator_tree(self, parent);
                auto found = run_long([&](Interrupts& watch) { return self.enclosing(all.data(), watch); });
                return nb::make_tuple(given(std::move(found.node)), given(std::move(found.inside)));
            },
            "parent"_a)
        .def(
            "thirds",
            [](const Reach& self, Vector<Index> parent, Vector<Index> enclosing, Vector<Index> order, Count most) {
                const Parents all = dominator_tree(self, parent);
                const Index n = self.n_leaves(), size = self.n_nodes();
                require(static_cast<Index>(enclosing.size()) == size - n, "a node for each inner node");
                for (Index k = 0; k < size - n; ++k)
                    require(enclosing(k) == none || (n <= enclosing(k) && enclosing(k) < size), "no such node");
                require(static_cast<Index>(order.size()) == n, "the leaves in order");
                Frontiers found = run_long(
                    [&](Interrupts& watch) { return self.thirds(copied(enclosing), child_lists(all), most, watch); });
                for (Index& x : found.node) x = order(x);
                return lists(std::move(found));
            },
            "parent"_a, "enclosing"_a, "order"_a, "most"_a);
}

}  // namespace tripletree
