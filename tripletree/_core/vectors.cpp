#include "vectors.hpp"

#include "processors.hpp"

namespace tripletree::vectors {

namespace {

template <class Real>
[[gnu::always_inline]] inline void squares(const Real* rows, const Real* here, Count stride, Count n_rows, Count n,
                                           Real* out) {
    constexpr Count wide = 32;  // sums that stay in registers for all rows
    Count j = 0;
    for (; j + wide <= n; j += wide) {
        Real sum[wide];
        for (Count i = 0; i < wide; ++i) sum[i] = out[j + i];
        for (Count k = 0; k < n_rows; ++k) {
            const Real x = here[k * stride];
            for (Count i = 0; i < wide; ++i) {
                const Real t = rows[k * stride + j + i] - x;
                sum[i] += t * t;
            }
        }
        for (Count i = 0; i < wide; ++i) out[j + i] = sum[i];
    }
    for (; j < n; ++j)
        for (Count k = 0; k < n_rows; ++k) {
            const Real t = rows[k * stride + j] - here[k * stride];
            out[j] += t * t;
        }
}

template <class Real>
[[gnu::always_inline]] inline void excess(const Real* low, const Real* high, Count stride, const Real* here,
                                          Count here_stride, Count n_rows, Count n, Real* out) {
    for (Count k = 0; k < n_rows; ++k) {
        const Real x = here[k * here_stride];
        for (Count j = 0; j < n; ++j) {
            const Real below = low[k * stride + j] - x, above = x - high[k * stride + j];
            const Real most = below > above ? below : above;
            const Real t = most > 0 ? most : 0;  // 0 inside the box
            out[j] += t * t;
        }
    }
}

template <class Real, class Holds>
[[gnu::always_inline]] inline bool any(const Real* values, Count n, Holds holds) {
    int count = 0;  // counting vectorises, a search for the first does not
    for (Count j = 0; j < n; ++j) count += holds(values[j]);
    return count > 0;
}

}  // namespace

FOR_EACH_PROCESSOR void add_squares(const double* __restrict rows, const double* __restrict here, Count stride,
                                    Count n_rows, Count n, double* __restrict out) {
    squares(rows, here, stride, n_rows, n, out);
}
FOR_EACH_PROCESSOR void add_squares(const float* __restrict rows, const float* __restrict here, Count stride,
                                    Count n_rows, Count n, float* __restrict out) {
    squares(rows, here, stride, n_rows, n, out);
}
FOR_EACH_PROCESSOR void add_excess(const double* __restrict low, const double* __restrict high, Count stride,
                                   const double* __restrict here, Count here_stride, Count n_rows, Count n,
                                   double* __restrict out) {
    excess(low, high, stride, here, here_stride, n_rows, n, out);
}
FOR_EACH_PROCESSOR void add_excess(const float* __restrict low, const float* __restrict high, Count stride,
                                   const float* __restrict here, Count here_stride, Count n_rows, Count n,
                                   float* __restrict out) {
    excess(low, high, stride, here, here_stride, n_rows, n, out);
}
FOR_EACH_PROCESSOR bool any_at_most(const double* values, Count n, double limit) {
    return any(values, n, [=](double x) { return x <= limit; });
}
FOR_EACH_PROCESSOR bool any_at_most(const float* values, Count n, float limit) {
    return any(values, n, [=](float x) { return x <= limit; });
}
FOR_EACH_PROCESSOR bool any_below(const double* values, Count n, double limit) {
    return any(values, n, [=](double x) { return x < limit; });
}
FOR_EACH_PROCESSOR bool any_below(const float* values, Count n, float limit) {
    return any(values, n, [=](float x) { return x < limit; });
}
FOR_EACH_PROCESSOR bool any_equal(const double* values, Count n, double value) {
    return any(values, n, [=](double x) { return x == value; });
}
FOR_EACH_PROCESSOR bool any_equal(const float* values, Count n, float value) {
    return any(values, n, [=](float x) { return x == value; });
}

}  // namespace tripletree::vectors
