r"""Reading and writing: hierarchies as Newick, triplets as text, CSV, TSV or Parquet.

Every reader takes a path, an open file object or ``"-"`` for the standard input, and unpacks gzip, bzip2 and xz.
Every writer takes the same (``"-"`` is the standard output), writes aside and renames, so that no half-written file
is ever seen; without a target it returns the text.

>>> import io
>>> h = read_newick(io.StringIO("((human:6,chimp:6):2,gorilla:8);"))
>>> h.height.tolist()
[0.0, 0.0, 0.0, 6.0, 8.0]
>>> write_newick(h, lengths=False)
'((human,chimp),gorilla);'

What cannot be read is refused with its place, never repaired in silence:

>>> parse_newick("((human,chimp)),gorilla);")
Traceback (most recent call last):
    ...
tripletree.errors.ParseError: <string>, line 1, column 16: this ',' stands outside of all brackets...
  ((human,chimp)),gorilla);
                 ^

Triplets have a text format of their own, one ``a b | c`` a line (`tripletree.io.triplet_files` describes it), and
are read from tables with the columns a, b, c and perhaps weight:

>>> t = read_triplets(io.StringIO("human chimp | gorilla"))
>>> write_triplets(t, format="csv")
'a,b,c\nchimp,human,gorilla\n'

=====================  =====================================================
read_newick            the one hierarchy of a file; `parse_newick` of a string
read_newick_all        every hierarchy of a file; `parse_newick_all`
write_newick           one hierarchy; `write_newick_all` several
read_triplets          a set of triplets, in any of the formats
write_triplets         the same in reverse
=====================  =====================================================
"""

from __future__ import annotations

from tripletree.io.newick import (
    parse_newick,
    parse_newick_all,
    read_newick,
    read_newick_all,
    write_newick,
    write_newick_all,
)
from tripletree.io.triplet_files import read_triplets, write_triplets

__all__ = [
    "parse_newick",
    "parse_newick_all",
    "read_newick",
    "read_newick_all",
    "read_triplets",
    "write_newick",
    "write_newick_all",
    "write_triplets",
]
