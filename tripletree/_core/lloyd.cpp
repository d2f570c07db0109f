#include "lloyd.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "processors.hpp"

namespace tripletree::lloyd {

constexpr Count block = 256;  // points whose distances to a centre are summed at a time
constexpr double infinity = std::numeric_limits<double>::infinity();
using Part = std::array<double, block>;

// Fills `out` with the squared distances of n points, which begin at `first`, to a centre. Rows are `stride` apart.
FOR_EACH_PROCESSOR void block_distances(const double* __restrict first, Count stride, Count d,
                                        const double* __restrict centre, Count n, double* __restrict out) {
    std::fill_n(out, n, 0.0);
    Count t = 0;
    for (; t + 4 <= d; t += 4) {  // four features a pass: `out` is read and written a quarter as often
        const double *a = first + t * stride, *b = a + stride, *c = b + stride, *e = c + stride;
        const double p = centre[t], q = centre[t + 1], r = centre[t + 2], s = centre[t + 3];
        for (Count i = 0; i < n; ++i) {
            const double u = a[i] - p, v = b[i] - q, w = c[i] - r, x = e[i] - s;
            out[i] += u * u + v * v + (w * w + x * x);
        }
    }
    for (; t < d; ++t) {
        const double *values = first + t * stride, here = centre[t];
        for (Count i = 0; i < n; ++i) {
            const double difference = values[i] - here;
            out[i] += difference * difference;
        }
    }
}

// The same, the squared differences times factors.
FOR_EACH_PROCESSOR void block_weighted(const double* __restrict first, Count stride, Count d,
                                       const double* __restrict centre, const double* __restrict scale, Count n,
                                       double* __restrict out) {
    std::fill_n(out, n, 0.0);
    Count t = 0;
    for (; t + 4 <= d; t += 4) {
        const double *a = first + t * stride, *b = a + stride, *c = b + stride, *e = c + stride;
        const double p = centre[t], q = centre[t + 1], r = centre[t + 2], s = centre[t + 3];
        const double f = scale[t], g = scale[t + 1], h = scale[t + 2], m = scale[t + 3];
        for (Count i = 0; i < n; ++i) {
            const double u = a[i] - p, v = b[i] - q, w = c[i] - r, x = e[i] - s;
            out[i] += f * u * u + g * v * v + (h * w * w + m * x * x);
        }
    }
    for (; t < d; ++t) {
        const double *values = first + t * stride, here = centre[t], factor = scale[t];
        for (Count i = 0; i < n; ++i) {
            const double difference = values[i] - here;
            out[i] += factor * difference * difference;
        }
    }
}

// Notes centre j where its distance is less than the best so far: of equal distances the first centre stays. Numbers
// are doubles here, so that the loop is one of vectors.
FOR_EACH_PROCESSOR void keep_nearer(const double* __restrict part, double j, Count n, double* __restrict best,
                                    double* __restrict number) {
    for (Count i = 0; i < n; ++i) {
        const bool nearer = part[i] < best[i];
        best[i] = nearer ? part[i] : best[i];
        number[i] = nearer ? j : number[i];
    }
}

// Notes j where the offset less the product is the least so far, and the least of all others.
FOR_EACH_PROCESSOR void keep_least(const double* __restrict products, double offset, double j, Count n,
                                   double* __restrict best, double* __restrict second, double* __restrict number) {
    for (Count i = 0; i < n; ++i) {
        const double value = offset - products[i];
        const bool less = value < best[i];
        const double other = less ? best[i] : value;  // of the two, the one that is not the least
        second[i] = other < second[i] ? other : second[i];
        best[i] = less ? value : best[i];
        number[i] = less ? j : number[i];
    }
}

// Calls `each(lo, n)` for blocks of points lo, lo + 1, ..., lo + n - 1. A block stays in the cache while all centres
// pass over it.
template <class Each>
void for_blocks(Count n, Count work, Interrupts& watch, Each&& each) {
    for (Count lo = 0; lo < n; lo += block) {
        const Count size = std::min(block, n - lo);
        each(lo, size);
        watch.check(lo, 1 + size * work / 8);
    }
}

void nearest(Reals columns, Reals centres, Index* label, double* best, Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows, k = centres.n_rows;
    std::fill_n(best, n, infinity);
    Part part, number;
    for_blocks(n, k * d, watch, [&](Count lo, Count size) {
        number.fill(0);
        for (Count j = 0; j < k; ++j) {
            block_distances(columns.data + lo, n, d, centres[j], size, part.data());
            keep_nearer(part.data(), static_cast<double>(j), size, best + lo, number.data());
        }
        for (Count i = 0; i < size; ++i) label[lo + i] = static_cast<Index>(number[i]);
    });
}

void weighted_nearest(Reals columns, Reals centres, Reals scale, const double* offset, Index* label,
                      Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows, k = centres.n_rows;
    Part part, number, best;
    for_blocks(n, k * d, watch, [&](Count lo, Count size) {
        number.fill(0);
        best.fill(infinity);
        for (Count j = 0; j < k; ++j) {
            block_weighted(columns.data + lo, n, d, centres[j], scale[j], size, part.data());
            for (Count i = 0; i < size; ++i) part[i] += offset[j];
            keep_nearer(part.data(), static_cast<double>(j), size, best.data(), number.data());
        }
        for (Count i = 0; i < size; ++i) label[lo + i] = static_cast<Index>(number[i]);
    });
}

void squared_distances(Reals columns, Reals centres, double* out, Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows, k = centres.n_rows;
    Part part;
    for_blocks(n, k * d, watch, [&](Count lo, Count size) {
        for (Count j = 0; j < k; ++j) {
            block_distances(columns.data + lo, n, d, centres[j], size, part.data());
            for (Count i = 0; i < size; ++i) out[(lo + i) * k + j] = part[i];
        }
    });
}

void weighted_distances(Reals columns, Reals centres, Reals scale, double* out, Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows, k = centres.n_rows;
    Part part;
    for_blocks(n, k * d, watch, [&](Count lo, Count size) {
        for (Count j = 0; j < k; ++j) {
            block_weighted(columns.data + lo, n, d, centres[j], scale[j], size, part.data());
            for (Count i = 0; i < size; ++i) out[(lo + i) * k + j] = part[i];
        }
    });
}

namespace {

// Some points, gathered block by block, and their distances written to their rows.
template <class Factor, class Distances>
void fill(Reals columns, Count k, const Costs& costs, Interrupts& watch, Factor factor, Distances distances) {
    const Count d = columns.n_rows;
    std::vector<double> some(d * block);
    Part part;
    for_blocks(costs.n, k * d, watch, [&](Count lo, Count size) {
        for (Count t = 0; t < d; ++t)
            for (Count i = 0; i < size; ++i) some[t * block + i] = factor(t) * columns[t][costs.which[lo + i]];
        for (Count j = 0; j < k; ++j) {
            distances(j, some.data(), size, part.data());
            for (Count i = 0; i < size; ++i)
                costs.out[costs.row[lo + i]][j] = costs.weight[costs.which[lo + i]] * (part[i] + costs.offset[j]);
        }
    });
}

}  // namespace

void fill_costs(Reals columns, Reals centres, const double* factors, const Costs& costs, Interrupts& watch) {
    fill(
        columns, centres.n_rows, costs, watch, [&](Count t) { return factors[t]; },
        [&](Count j, const double* some, Count size, double* part) {
            block_distances(some, block, columns.n_rows, centres[j], size, part);
        });
}

void fill_weighted_costs(Reals columns, Reals centres, Reals scale, const Costs& costs, Interrupts& watch) {
    fill(
        columns, centres.n_rows, costs, watch, [](Count) { return 1.0; },
        [&](Count j, const double* some, Count size, double* part) {
            block_weighted(some, block, columns.n_rows, centres[j], scale[j], size, part);
        });
}

void own_distances(Reals columns, Reals centres, const Index* label, double* out) {
    const Count n = columns.n_columns, d = columns.n_rows;
    std::fill_n(out, n, 0.0);
    Count t = 0;
    for (; t + 4 <= d; t += 4) {  // features are added in the groups of `block_distances`, hence the same bits
        const double *a = columns[t], *b = columns[t + 1], *c = columns[t + 2], *e = columns[t + 3];
        for (Count i = 0; i < n; ++i) {
            const double* here = centres[label[i]] + t;
            const double u = a[i] - here[0], v = b[i] - here[1], w = c[i] - here[2], x = e[i] - here[3];
            out[i] += u * u + v * v + (w * w + x * x);
        }
    }
    for (; t < d; ++t) {
        const double* values = columns[t];
        for (Count i = 0; i < n; ++i) {
            const double difference = values[i] - centres[label[i]][t];
            out[i] += difference * difference;
        }
    }
}

void weighted_own(Reals columns, Reals centres, Reals scale, const Index* label, double* out) {
    const Count n = columns.n_columns;
    std::fill_n(out, n, 0.0);
    for (Count t = 0; t < columns.n_rows; ++t) {
        const double* values = columns[t];
        for (Count i = 0; i < n; ++i) {
            const double difference = values[i] - centres[label[i]][t];
            out[i] += scale[label[i]][t] * difference * difference;
        }
    }
}

void diagonal_scatter(Reals columns, const double* weight, const Index* label, Reals centres, Grid<double> total) {
    const Count n = columns.n_columns, d = columns.n_rows;
    Count t = 0;
    for (; t + 4 <= d; t += 4) {  // four features at a time: sums of one wait for each other
        const double *a = columns[t], *b = columns[t + 1], *c = columns[t + 2], *e = columns[t + 3];
        for (Count i = 0; i < n; ++i) {
            const double w = weight[i], *here = centres[label[i]] + t;
            double* sum = total[label[i]] + t;
            const double p = a[i] - here[0], q = b[i] - here[1], r = c[i] - here[2], s = e[i] - here[3];
            sum[0] += w * p * p;
            sum[1] += w * q * q;
            sum[2] += w * r * r;
            sum[3] += w * s * s;
        }
    }
    for (; t < d; ++t) {
        const double* values = columns[t];
        for (Count i = 0; i < n; ++i) {
            const double difference = values[i] - centres[label[i]][t];
            total[label[i]][t] += weight[i] * difference * difference;
        }
    }
}

void sums(Reals columns, const double* weight, const Index* label, Grid<double> total, double* mass) {
    const Count n = columns.n_columns, d = columns.n_rows;
    for (Count i = 0; i < n; ++i) mass[label[i]] += weight[i];
    Count t = 0;
    for (; t + 4 <= d; t += 4) {  // as in `diagonal_scatter`
        const double *a = columns[t], *b = columns[t + 1], *c = columns[t + 2], *e = columns[t + 3];
        for (Count i = 0; i < n; ++i) {
            const double w = weight[i];
            double* sum = total[label[i]] + t;
            sum[0] += w * a[i];
            sum[1] += w * b[i];
            sum[2] += w * c[i];
            sum[3] += w * e[i];
        }
    }
    for (; t < d; ++t) {
        const double* values = columns[t];
        for (Count i = 0; i < n; ++i) total[label[i]][t] += weight[i] * values[i];
    }
}

Count least_of_products(Reals products, const double* offset, const double* length, Count n, double share, double least,
                        Index* label) {
    Count doubtful = 0;
    Part best, second, number;
    for (Count lo = 0; lo < n; lo += block) {
        const Count size = std::min(block, n - lo);
        best.fill(infinity);
        second.fill(infinity);
        number.fill(0);
        for (Count j = 0; j < products.n_rows; ++j)
            keep_least(products[j] + lo, offset[j], static_cast<double>(j), size, best.data(), second.data(),
                       number.data());
        for (Count i = 0; i < size; ++i) {
            // rounding cannot change the order of two values that are farther apart than this
            const bool sure = second[i] - best[i] > share * length[lo + i] + least;
            label[lo + i] = sure ? static_cast<Index>(number[i]) : none;
            doubtful += !sure;
        }
    }
    return doubtful;
}

// The first place of ascending numbers that is above the value, the last place if none is.
static std::size_t first_above(const std::vector<double>& ascending, double value) {
    std::size_t low = 0, high = ascending.size() - 1;
    while (low < high) {  // the place is in low..high
        const std::size_t middle = (low + high) / 2;
        if (ascending[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

std::vector<Index> plus_plus(Reals columns, const double* weight, const Index* order, Reals draws, Interrupts& watch) {
    const Count n = columns.n_columns, d = columns.n_rows;
    std::vector<Index> chosen(draws.n_rows), candidates(draws.n_columns);
    std::vector<double> closest(n, 1.0);  // squared distance to the nearest centre so far: at first all are alike
    std::vector<double> cumulated(n), trial(n), best(n), place(d);
    for (Count step = 0; step < draws.n_rows; ++step) {
        double total = 0;
        for (Count i = 0; i < n; ++i) {
            total += weight[order[i]] * closest[order[i]];
            cumulated[i] = total;
        }
        // a point is drawn with its weight times its squared distance; the first one needs no rivals
        const Count count = step == 0 ? 1 : draws.n_columns;
        for (Count r = 0; r < count; ++r) candidates[r] = order[first_above(cumulated, draws[step][r] * total)];
        double least = infinity;
        for (Count r = 0; r < count; ++r) {
            for (Count t = 0; t < d; ++t) place[t] = columns[t][candidates[r]];
            double potential = 0;
            for_blocks(n, d, watch, [&](Count lo, Count size) {
                block_distances(columns.data + lo, n, d, place.data(), size, &trial[lo]);
                double sum = potential;  // in a register
                for (Count i = lo; i < lo + size; ++i) {
                    if (step > 0) trial[i] = closest[i] < trial[i] ? closest[i] : trial[i];
                    sum += weight[i] * trial[i];
                }
                potential = sum;
            });
            // keep the candidate that leaves the least cost; distances may overflow, so the first always counts
            if (potential < least || r == 0) {
                least = potential;
                chosen[step] = candidates[r];
                best = trial;
            }
        }
        closest = best;
    }
    return chosen;
}

}  // namespace tripletree::lloyd
