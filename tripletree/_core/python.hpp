// What every file that meets Python (bind_*.cpp) shares: arrays in and out, checks, and long loops without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "grid.hpp"

namespace tripletree {

namespace nb = nanobind;
using namespace nb::literals;

// Arrays that come in. Another type of entries or another order of memory is copied by nanobind unless the argument is
// `.noconvert()`, which says "no" with a TypeError.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const Index, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const Index, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// Arrays that a function fills. They are never copied, so arguments of these types are `.noconvert()`.
template <class T>
using OutVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutTable = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Arrays that go out.
template <class T>
using Array = nb::ndarray<nb::numpy, T>;

inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
std::vector<T> copied(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// The memory of an array that came in, without a copy.
template <class T>
std::span<const T> seen(const Vector<T>& array) {
    return {array.data(), array.size()};
}

// An array that takes over the memory of a vector. With `columns` it is a table.
template <class T>
Array<T> given(std::vector<T>&& values, std::size_t columns = 0) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (columns == 0) return {kept->data(), {kept->size()}, owner};
    return {kept->data(), {kept->size() / columns, columns}, owner};
}

// The same for yes and no, which vectors keep as bytes (`Flags`).
inline Array<bool> given(Flags&& values, std::size_t columns = 0) {
    auto* kept = new Flags(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Flags*>(p); });
    auto* data = reinterpret_cast<bool*>(kept->data());
    if (columns == 0) return {data, {kept->size()}, owner};
    return {data, {kept->size() / columns, columns}, owner};
}

template <class T>
Grid<const T> grid(const Table<T>& table) {
    return {table.data(), static_cast<Count>(table.shape(0)), static_cast<Count>(table.shape(1))};
}

// All numbers are at least `least` and below n.
inline void require_range(const Vector<Index>& numbers, Count n, const char* message, Index least = 0) {
    bool holds = true;  // no early end, so that the loop is one of vectors
    for (std::size_t i = 0; i < numbers.size(); ++i) holds &= least <= numbers.data()[i] && numbers.data()[i] < n;
    require(holds, message);
}

// Lists one after the other: list u is the entries start[u]..start[u + 1] - 1. Returns how many lists there are.
template <class T>
Index require_lists(const Vector<T>& start, std::size_t n_entries, bool may_be_empty = true) {
    require(start.size() > 0 && start.size() < INT32_MAX && start(0) == 0, "lists begin at 0");
    const auto n = static_cast<Index>(start.size()) - 1;
    for (Index u = 0; u < n; ++u) {
        require(start(u) <= start(u + 1), "lists in order");
        require(may_be_empty || start(u) < start(u + 1), "a list is empty");
    }
    require(static_cast<Count>(start(n)) == static_cast<Count>(n_entries), "lists end with their entries");
    return n;
}

template <class T>
void require_finite(const Table<T>& table, const char* message) {
    bool holds = true;
    for (std::size_t i = 0; i < table.size(); ++i) holds &= table.data()[i] - table.data()[i] == 0;
    require(holds, message);
}

inline std::vector<Triplet> triplets_of(const Rows& rows, Index n) {
    std::vector<Triplet> out(rows.shape(0));
    for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = {rows(k, 0), rows(k, 1), rows(k, 2)};
        for (const Index x : {out[k].a, out[k].b, out[k].c}) require(0 <= x && x < n, "a triplet names no leaf");
    }
    return out;
}

// Raises if a limit of time is over. In the main thread the system's alarm does it, in others nothing else.
inline void check_time() {
    static const nb::handle check =
        nb::object(nb::module_::import_("tripletree.interrupts").attr("check_time")).release();
    check();
}

// Takes the GIL for a look at interrupts: Ctrl-C, limits of time, and what `tell`, a function or None, raises.
inline Interrupts listening(nb::handle tell) {
    return Interrupts([tell](Count done) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        check_time();
        if (!tell.is_none()) tell(done);
    });
}

// Does `work(watch)` without the GIL. It meets no Python object, and calls `watch.check` in each long loop.
template <class Work>
auto run_long(nb::handle tell, Work&& work) {
    check_time();  // for those who do many short pieces of work
    Interrupts watch = listening(tell);
    const nb::gil_scoped_release release;
    return work(watch);
}
template <class Work>
auto run_long(Work&& work) {
    return run_long(nb::none(), std::forward<Work>(work));
}

// The same for work that takes milliseconds on the largest inputs: nobody interrupts it.
template <class Work>
auto unlocked(Work&& work) {
    const nb::gil_scoped_release release;
    return work();
}

}  // namespace tripletree
