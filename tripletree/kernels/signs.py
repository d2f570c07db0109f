"""Signs in names: which lines of a names.dmp have one of several words in their scientific name.

An automaton of Aho and Corasick reads each byte once, whatever the number of words. `core.placeholders` builds it, and
`io.taxdump` calls this for dumps of millions of names.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import njit

_ZERO, _NINE, _TAB, _LINE_END = 48, 57, 9, 10
_S, _C = 115, 99


@njit
def scientific_names_with_signs(text, step, mark):
    r"""Find the lines ``id\t|\tname\t|\tunique name\t|\tscientific name\t|`` whose name has a sign. Others are passed.

    text : uint8[n], which ends in a line end
    step : uint8[256 * S], the state after state s and byte x is step[256 * s + x], and 0 is the state before all
    mark : uint8[S], the bits of the signs that end in each state
    Returns id : int64[k], start, stop : int64[k] of the names in the text, found : uint8[k], the bits of their signs.
    A name stands between two bytes 0 for the automaton.
    """
    most = text.shape[0] // 8 + 1
    ids = np.empty(most, np.int64)
    starts = np.empty(most, np.int64)
    stops = np.empty(most, np.int64)
    found = np.empty(most, np.uint8)
    k = np.int64(0)
    tabs = np.int64(0)
    number = np.int64(0)
    start = np.int64(0)
    stop = np.int64(0)
    kind = np.int64(0)
    state = np.int64(step[0])
    bits = np.int64(0)
    for i in range(text.shape[0]):
        x = np.int64(text[i])
        if x == _TAB:
            tabs += 1
            if tabs == 2:
                start = i + 1
                state = np.int64(step[0])
            elif tabs == 3:
                stop = i
                bits |= np.int64(mark[np.int64(step[256 * state])])
            elif tabs == 6:
                kind = i + 1
        elif x == _LINE_END:
            if bits != 0 and tabs == 7 and text[kind] == _S and text[kind + 1] == _C:
                ids[k] = number
                starts[k] = start
                stops[k] = stop
                found[k] = bits
                k += 1
            tabs = np.int64(0)
            number = np.int64(0)
            bits = np.int64(0)
        elif tabs == 2:
            state = np.int64(step[256 * state + x])
            bits |= np.int64(mark[state])
        elif tabs == 0 and x >= _ZERO and x <= _NINE:
            number = number * 10 + x - _ZERO
    return ids[:k], starts[:k], stops[:k], found[:k]
