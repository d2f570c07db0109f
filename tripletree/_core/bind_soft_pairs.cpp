// Soft pairs for Python.
#include "parts.hpp"
#include "python.hpp"
#include "soft_pairs.hpp"

namespace tripletree {
namespace {

using Indices = Vector<Index>;

// Pairs and their costs, and the groups that must-links make of the samples.
struct Priced {
    Table<double> base, pay;
    Links links;
    LinkGroups groups;
    Index n_groups;
};

Priced priced(const Table<double>& base, const Table<double>& pay, const Indices& start, const Indices& other,
              const Indices& pair, Index n_must, const Indices& member, const Indices& first, const Indices& group,
              const OutVector<Index>& label) {
    const std::size_t m = base.shape(0);
    require(base.shape(1) > 0 && pay.shape(1) == base.shape(1), "costs of samples and of pairs, in each cluster");
    require(label.size() == m && group.size() == m && member.size() == m, "a label and a group for each sample");
    require_range(Indices(label), static_cast<Count>(base.shape(1)), "a label names no cluster", none);
    const Index n_groups = require_lists(first, m, false);
    require_range(member, static_cast<Count>(m), "a group names no sample");
    require_range(group, n_groups, "no such group");
    return {base,
            pay,
            links(start, other, pair, n_must, m, pay.shape(0)),
            {member.data(), first.data(), group.data()},
            n_groups};
}

Array<Index> py_restless(const Indices& start, const Indices& other, const Indices& pair, Index n_must,
                         const Indices& part, const Indices& label, const Indices& nearest) {
    const std::size_t m = label.size();
    const Links of_samples = links(start, other, pair, n_must, m, other.size() / 2);
    require(part.size() == m && nearest.size() == m, "a part and a cluster for each sample");
    require_range(part, static_cast<Count>(m), "no such part");
    return given(run_long([&](Interrupts&) {
        return restless(of_samples, part.data(), static_cast<Index>(m), label.data(), nearest.data());
    }));
}

Count move_groups(const Indices& order, const Table<double>& base, const Table<double>& pay, const Indices& start,
                  const Indices& other, const Indices& pair, Index n_must, const Indices& member, const Indices& first,
                  const Indices& group, const OutVector<Index>& label) {
    const Priced all = priced(base, pay, start, other, pair, n_must, member, first, group, label);
    require_range(order, all.n_groups, "no such group");
    return run_long([&](Interrupts& watch) {
        SoftPairs pairs(grid(base), grid(pay), all.links, all.groups, label.data(), watch);
        return pairs.move_groups(copied(order));
    });
}

bool settle(const Indices& order, const Indices& large, const Indices& some, const Indices& part,
            const Table<double>& base, const Table<double>& pay, const Indices& start, const Indices& other,
            const Indices& pair, Index n_must, const Indices& member, const Indices& first, const Indices& group,
            const OutVector<Index>& label, Index rounds) {
    const Priced all = priced(base, pay, start, other, pair, n_must, member, first, group, label);
    const auto m = static_cast<Count>(base.shape(0));
    require_range(Indices(label), static_cast<Count>(base.shape(1)), "a label names no cluster");
    require(part.size() == base.shape(0), "a part for each sample");
    require_range(part, m, "no such part");
    for (const Indices& samples : {order, some}) require_range(samples, m, "no such sample");
    require_range(large, all.n_groups, "no such group");
    return run_long([&](Interrupts& watch) {
        SoftPairs pairs(grid(base), grid(pay), all.links, all.groups, label.data(), watch);
        return pairs.settle(copied(order), copied(large), copied(some), part.data(), rounds);
    });
}

}  // namespace

void define_soft_pairs(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("soft_pairs");
    m.def("restless", &py_restless, "start"_a, "other"_a, "pair"_a, "n_must"_a, "part"_a, "label"_a, "nearest"_a);
    m.def("move_groups", &move_groups, "order"_a, "base"_a, "pay"_a, "start"_a, "other"_a, "pair"_a, "n_must"_a,
          "member"_a, "first"_a, "group"_a, "label"_a.noconvert());
    m.def("settle", &settle, "order"_a, "large"_a, "some"_a, "part"_a, "base"_a, "pay"_a, "start"_a, "other"_a,
          "pair"_a, "n_must"_a, "member"_a, "first"_a, "group"_a, "label"_a.noconvert(), "rounds"_a);
}

}  // namespace tripletree
