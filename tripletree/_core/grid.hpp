// A table of numbers, row by row, in memory that somebody else keeps.
#pragma once

#include "basics.hpp"

namespace tripletree {

template <class Number>
struct Grid {
    Number* data;
    Count n_rows, n_columns;

    Number* operator[](Count row) const { return data + row * n_columns; }
};

}  // namespace tripletree
