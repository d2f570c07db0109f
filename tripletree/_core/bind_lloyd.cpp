// Parts of every k-means, for Python. Tables come as they are, so that nothing large is copied by mistake.
#include "lloyd.hpp"
#include "parts.hpp"
#include "python.hpp"

namespace tripletree {
namespace {

using Reals = Table<double>;
using Weights = Vector<double>;
using Labels = Vector<Index>;

void require_centres(const Reals& columns, const Reals& centres) {
    require(centres.shape(0) > 0 && centres.shape(1) == columns.shape(0), "a centre has a number for each feature");
}

void require_scale(const Reals& centres, const Reals& scale) {
    require(scale.shape(0) == centres.shape(0) && scale.shape(1) == centres.shape(1),
            "a factor for each number of a centre");
}

void require_labels(const Reals& columns, const Labels& label, std::size_t k) {
    require(label.size() == columns.shape(1), "a label for each point");
    require_range(label, static_cast<Count>(k), "a label names no centre");
}

void require_weights(const Reals& columns, const Weights& weight) {
    require(weight.size() == columns.shape(1), "a weight for each point");
}

nb::object nearest(const Reals& columns, const Reals& centres) {
    require_centres(columns, centres);
    std::vector<Index> label(columns.shape(1));
    std::vector<double> best(columns.shape(1));
    run_long(
        [&](Interrupts& watch) { lloyd::nearest(grid(columns), grid(centres), label.data(), best.data(), watch); });
    return nb::make_tuple(given(std::move(label)), given(std::move(best)));
}

Array<double> squared_distances(const Reals& columns, const Reals& centres) {
    require_centres(columns, centres);
    std::vector<double> out(columns.shape(1) * centres.shape(0));
    run_long([&](Interrupts& watch) { lloyd::squared_distances(grid(columns), grid(centres), out.data(), watch); });
    return given(std::move(out), centres.shape(0));
}

Array<double> own_distances(const Reals& columns, const Reals& centres, const Labels& label) {
    require_centres(columns, centres);
    require_labels(columns, label, centres.shape(0));
    std::vector<double> out(columns.shape(1));
    run_long([&](Interrupts&) { lloyd::own_distances(grid(columns), grid(centres), label.data(), out.data()); });
    return given(std::move(out));
}

nb::object sums(const Reals& columns, const Weights& weight, const Labels& label, Index k) {
    require(k > 0, "at least one cluster");
    require_weights(columns, weight);
    require_labels(columns, label, k);
    const auto d = static_cast<Count>(columns.shape(0));
    std::vector<double> total(k * d), mass(k);
    run_long([&](Interrupts&) {
        lloyd::sums(grid(columns), weight.data(), label.data(), {total.data(), k, d}, mass.data());
    });
    return nb::make_tuple(given(std::move(total), d), given(std::move(mass)));
}

lloyd::Costs costs(const Reals& columns, const Reals& centres, const Weights& weight, const Labels& which,
                   const Weights& offset, const Labels& row, const OutTable<double>& out) {
    require_centres(columns, centres);
    require_weights(columns, weight);
    const auto k = static_cast<Count>(centres.shape(0)), rows = static_cast<Count>(out.shape(0));
    require(offset.size() == centres.shape(0) && out.shape(1) == centres.shape(0),
            "an offset and a column for each centre");
    require(row.size() == which.size(), "a row for each of the points");
    require_range(which, static_cast<Count>(columns.shape(1)), "no such point");
    require_range(row, rows, "no such row");
    return {which.data(),  row.data(),    static_cast<Count>(which.size()),
            weight.data(), offset.data(), {out.data(), rows, k}};
}

void fill_costs(const Reals& columns, const Weights& weight, const Labels& which, const Reals& centres,
                const Weights& factors, const Weights& offset, const Labels& row, const OutTable<double>& out) {
    const lloyd::Costs given = costs(columns, centres, weight, which, offset, row, out);
    require(factors.size() == columns.shape(0), "a factor for each feature");
    run_long([&](Interrupts& watch) { lloyd::fill_costs(grid(columns), grid(centres), factors.data(), given, watch); });
}

void fill_weighted_costs(const Reals& columns, const Weights& weight, const Labels& which, const Reals& centres,
                         const Reals& scale, const Weights& offset, const Labels& row, const OutTable<double>& out) {
    const lloyd::Costs given = costs(columns, centres, weight, which, offset, row, out);
    require_scale(centres, scale);
    run_long([&](Interrupts& watch) {
        lloyd::fill_weighted_costs(grid(columns), grid(centres), grid(scale), given, watch);
    });
}

Array<Index> weighted_nearest(const Reals& columns, const Reals& centres, const Reals& scale, const Weights& offset) {
    require_centres(columns, centres);
    require_scale(centres, scale);
    require(offset.size() == centres.shape(0), "an offset for each centre");
    std::vector<Index> label(columns.shape(1));
    run_long([&](Interrupts& watch) {
        lloyd::weighted_nearest(grid(columns), grid(centres), grid(scale), offset.data(), label.data(), watch);
    });
    return given(std::move(label));
}

Array<double> weighted_distances(const Reals& columns, const Reals& centres, const Reals& scale) {
    require_centres(columns, centres);
    require_scale(centres, scale);
    std::vector<double> out(columns.shape(1) * centres.shape(0));
    run_long([&](Interrupts& watch) {
        lloyd::weighted_distances(grid(columns), grid(centres), grid(scale), out.data(), watch);
    });
    return given(std::move(out), centres.shape(0));
}

Array<double> weighted_own(const Reals& columns, const Reals& centres, const Reals& scale, const Labels& label) {
    require_centres(columns, centres);
    require_scale(centres, scale);
    require_labels(columns, label, centres.shape(0));
    std::vector<double> out(columns.shape(1));
    run_long(
        [&](Interrupts&) { lloyd::weighted_own(grid(columns), grid(centres), grid(scale), label.data(), out.data()); });
    return given(std::move(out));
}

Array<double> diagonal_scatter(const Reals& columns, const Weights& weight, const Labels& label, const Reals& centres) {
    require_centres(columns, centres);
    require_weights(columns, weight);
    require_labels(columns, label, centres.shape(0));
    const auto k = static_cast<Count>(centres.shape(0)), d = static_cast<Count>(centres.shape(1));
    std::vector<double> total(k * d);
    run_long([&](Interrupts&) {
        lloyd::diagonal_scatter(grid(columns), weight.data(), label.data(), grid(centres), {total.data(), k, d});
    });
    return given(std::move(total), d);
}

Count least_of_products(const Reals& products, const Weights& offset, const Weights& length, double share, double least,
                        const OutVector<Index>& label) {
    require(offset.size() == products.shape(0) && offset.size() > 0, "an offset for each factor");
    require(length.size() == label.size() && label.size() <= products.shape(1), "a length and products for each label");
    return run_long([&](Interrupts&) {
        return lloyd::least_of_products(grid(products), offset.data(), length.data(), static_cast<Count>(label.size()),
                                        share, least, label.data());
    });
}

Array<Index> plus_plus(const Reals& columns, const Weights& weight, const Labels& order, const Reals& draws) {
    const auto n = static_cast<Count>(columns.shape(1));
    require_weights(columns, weight);
    require(n > 0 && order.size() == columns.shape(1), "all points, in some order");
    require_range(order, n, "no such point");
    require(draws.shape(1) > 0, "draws for each step");
    return given(run_long([&](Interrupts& watch) {
        return lloyd::plus_plus(grid(columns), weight.data(), order.data(), grid(draws), watch);
    }));
}

}  // namespace

void define_lloyd(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("lloyd");
    const auto as_it_is = "columns"_a.noconvert();
    m.def("nearest", &nearest, as_it_is, "centres"_a);
    m.def("squared_distances", &squared_distances, as_it_is, "centres"_a);
    m.def("own_distances", &own_distances, as_it_is, "centres"_a, "label"_a);
    m.def("sums", &sums, as_it_is, "weight"_a, "label"_a, "k"_a);
    m.def("fill_costs", &fill_costs, as_it_is, "weight"_a, "which"_a, "centres"_a, "factors"_a, "offsets"_a, "rows"_a,
          "out"_a.noconvert());
    m.def("fill_weighted_costs", &fill_weighted_costs, as_it_is, "weight"_a, "which"_a, "centres"_a, "scale"_a,
          "offsets"_a, "rows"_a, "out"_a.noconvert());
    m.def("weighted_nearest", &weighted_nearest, as_it_is, "centres"_a, "scale"_a, "offset"_a);
    m.def("weighted_distances", &weighted_distances, as_it_is, "centres"_a, "scale"_a);
    m.def("weighted_own", &weighted_own, as_it_is, "centres"_a, "scale"_a, "label"_a);
    m.def("diagonal_scatter", &diagonal_scatter, as_it_is, "weight"_a, "label"_a, "centres"_a);
    m.def("least_of_products", &least_of_products, "products"_a.noconvert(), "offsets"_a, "lengths"_a, "share"_a,
          "least"_a, "label"_a.noconvert());
    m.def("plus_plus", &plus_plus, as_it_is, "weight"_a, "order"_a, "draws"_a);
}

}  // namespace tripletree
