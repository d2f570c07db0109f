// Loops over rows of numbers, most of the time of a search. Each is compiled once for each kind of processor, with
// wider registers where there are some, and the best version is picked when the library is loaded. All give the same
// bits.
#pragma once

#include "basics.hpp"

namespace tripletree::vectors {

// out[j] += the sum over k of (rows[k][j] - here[k])^2. Both are steps of `stride` apart.
void add_squares(const double* rows, const double* here, Count stride, Count n_rows, Count n, double* out);
void add_squares(const float* rows, const float* here, Count stride, Count n_rows, Count n, float* out);

// out[j] += the sum over k of the squared distance of here[k] to the interval from low[k][j] to high[k][j].
void add_excess(const double* low, const double* high, Count stride, const double* here, Count here_stride,
                Count n_rows, Count n, double* out);
void add_excess(const float* low, const float* high, Count stride, const float* here, Count here_stride, Count n_rows,
                Count n, float* out);

bool any_at_most(const double* values, Count n, double limit);
bool any_at_most(const float* values, Count n, float limit);
bool any_below(const double* values, Count n, double limit);
bool any_below(const float* values, Count n, float limit);
bool any_equal(const double* values, Count n, double value);
bool any_equal(const float* values, Count n, float value);

}  // namespace tripletree::vectors
