"""Placeholders: names that fill a place in a taxonomy and are not taxa, such as "unclassified Felidae".

What hangs below one is known to be below the nearest real taxon, no more. All readers ask here, so that a name means
the same in all of them. Readers of trees ask about inner nodes alone: a leaf of a tree has its place whatever its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import counted
from tripletree.core.labels import NOT_KNOWN, NOT_KNOWN_ABROAD, NOT_YET, is_gap
from tripletree.core.notes import note

if TYPE_CHECKING:
    from tripletree.core.hierarchy import Hierarchy

#: What is of an uncertain place: sedis, and ranks in Latin.
_SEDIS = r"(?:sedis|\w*(?:regni|phyli|divisionis|classis|ordinis|familiae|tribus|generis|speciei))"
_INCERTAE = rf"incert(?:ae|i|us)\ ?{_SEDIS}|inc\.\ ?sed\."
_FILLER = re.compile(
    rf"""(?:{NOT_KNOWN})(?:\ .+)?              # uncultured; unclassified Felidae; Unknown Family; norank f Felidae
    | {NOT_KNOWN_ABROAD} | {NOT_YET}        # TBD; pending; n.n.; not yet named
    | ambiguous(?:\ tax(?:a|on))?
    | (?:.+\ )?(?:{_INCERTAE})(?:\ .+)?         # Incertae Sedis; Fungi cls Incertae sedis; Incertae familiae
    | (?:.+\ )?environmental\ (?:samples?|sequences?)
    | (?:.+\ )?metagenomes?
    | .+\ (?:uncultured|unclassified|unassigned|unidentified|not\ (?:assigned|classified|identified))
    | (?:.+\ )?noname                           # MetaPhlAn 2: Clostridiales_noname
    | (?:.+\ )?(?:indet|undet)\.?
    | .+,\ (?:unspecified|nos)
    | \S+\ unknown
    | others?(?:\ .+)? | misc(?:\.|ellaneous)?(?:\ .+)? | various     # Other bacteria: what is left is not a taxon
    | (?:\S+\ ){{1,3}}(?<!\ f\.\ )spp?\.?       # Quercus sp., but no forma specialis
    """,
    re.VERBOSE | re.DOTALL,
)
#: One kind of a genus, known to it only: Quercus sp. 7.
_MEMBER = re.compile(r"(?:\S+ ){1,3}(?<! f\. )spp?\. .+", re.DOTALL)
#: Names of terms that may be of no kind of another: unspecified dementia; dementia, unspecified.
_OF_PARENT = re.compile(
    rf"(?:(?:{NOT_KNOWN}|others?)(?: (.+))?|(.+?),? (?:{NOT_KNOWN}|{_INCERTAE}|nos|not otherwise specified))", re.DOTALL
)
_BARE = re.compile(rf"ambiguous(?: tax(?:a|on))?|{_INCERTAE}|(?:\S+ ){{1,3}}(?<! f\. )spp?\.?", re.DOTALL)
_RANK_PREFIX = re.compile(r"\A(?:sk|[dkpcofgst]|d_\d{1,2})__")
_UNIQUE = re.compile(r"(?<=.) <[^<>]*>$")
#: Such a word in brackets: "[unassigned] Caenogastropoda" of WoRMS, "X (incertae sedis)".
_BRACKETED = re.compile(rf"[\[(]({NOT_KNOWN}|{_INCERTAE}|(?:indet|undet)\.?)[\])]")
_BLANKS = re.compile(r"[\s_]+")
#: PR2's names below a taxon without names: Alveolata_X, Alveolata_XX.
_FILLED = re.compile(r"(.+?)_X+", re.DOTALL)
#: Every placeholder holds one of these texts, in lower case, so that few names are looked at closely.
_SIGNS = (
    *(b"unc", b"unid", b"unde", b"unk", b"assi", b"rank", b"ohit", b" hit", b"_hit", b"-hit", b"atch", b"amb"),
    *(b"inc", b"env", b"meta", b"inde", b"sp\0", b"spp", b"_x", b"__\0", b"unp", b"unna"),
    *(b"uns", b"unr", b"una", b"not ", b"not_", b" nos\0", b"_nos\0", b"othe", b"mis", b"vari"),
    *(b"onam", b"\0na\0", b"\0nan\0", b"\0n/a\0", b"<na>", b"null\0", b"\0none\0", b"\0?\0", b"\0-\0"),
    # In as few letters as the 256 states of the automaton allow.
    *(b"unbe", b"k.", b"kei", b"nic", b"d\xc3", b"non ", b"non_", b"des", b"sin ", b"sin_", b"iden", b"onos"),
    *(b"onbe", b"k\xc3", b"okl", b"ukj", b"uke", b"unt", b"luo", b"nie", b"gee"),
    *(b"brak", b"nez", b"neur", b"n\xc3", b"bil", b"bel"),
    *(x.encode() for x in ("изв", "ИЗВ", "не", "НЕ", "未", "不")),
    *(b"tb", b"t.b", b"to b", b"to_b", b"pen", b"n.n", b"n.d", b"n.a", b"n. ", b"n._", b"unl"),
    *(b"no ", b"no_", b"??", b"--", b".."),
    *(b"__na\0", b"__nan\0", b"__n/a\0", b"__none\0", b"__?\0", b"__-\0"),
)
#: Leaves with one of these texts are open, without a closer look but for a forma specialis. Names stand between NULs.
_SURE = (b" sp.", b"_sp.", b"\0uncultured ")
_NOT_SURE = (b" f. sp.",)
#: Names that are looked at together.
_BLOCK = 1 << 18

#: What a name is.
TAXON, MEMBER, FILLER = range(3)


@dataclass(frozen=True)
class Placeholders:
    """The names that are not taxa.

    Attributes
    ----------
    known : bool
        True for the names that taxonomies use, in any case, with blanks or underscores, with or without a rank prefix.
    more : frozenset of str
        Further ones, in the form of `plain`.

    Examples
    --------
    >>> usual = Placeholders.of(True)
    >>> [usual.kind(x) for x in ("g__uncultured", "Fungi_cls_Incertae_sedis", "Quercus sp.")] == [FILLER] * 3
    True
    >>> usual.kind("Quercus sp. 7") == MEMBER, usual.kind("Quercus robur") == TAXON
    (True, True)
    >>> usual.kind("Alveolata_X", above="Alveolata") == FILLER, usual.kind("Bacillus_X", above="Bacilli") == TAXON
    (True, True)
    """

    known: bool = True
    more: frozenset[str] = frozenset()

    @classmethod
    def of(cls, given: Any) -> Placeholders:
        """Return the placeholders that an option `placeholders=` asks for.

        True takes the known names, False no name, and a list adds names to the known ones: a list, or one text with
        commas.
        """
        if isinstance(given, (bool, np.bool_)):
            return cls(bool(given))
        if given is None:
            return cls()
        if isinstance(given, str):
            given = given.split(",")
        names: list[Any] = list(given) if isinstance(given, Iterable) else [None]
        if not all(isinstance(x, str) and x.strip() for x in names):
            msg = f"placeholders must be True, False, or names that are not taxa, besides the known ones; got {given!r}"
            raise TypeError(msg)
        return cls(True, frozenset(map(plain, names)))

    def __bool__(self) -> bool:
        return self.known

    def kind(self, name: str, above: str | None = None, *, leaf: bool = False) -> int:
        """Tell whether a name is a taxon, a member that is known to the taxon above only, or a filler of a place.

        Parameters
        ----------
        name : str
        above : str, optional
            The name above it, a filler or not.
        leaf : bool
            True for a leaf: a gap such as NA is not a taxon above others, while it is as good as any name of a leaf.
        """
        if not self.known:
            return TAXON
        form = plain(name)
        if form and form not in self.more and is_gap(form):
            return TAXON if leaf else FILLER
        if not form:  # nothing, or the prefix of a rank alone; "_" is a name
            return FILLER if not name.strip() or name.endswith("__") else TAXON
        if form in self.more or _FILLER.fullmatch(form):
            return FILLER
        if _MEMBER.fullmatch(form):
            return MEMBER
        filled = _FILLED.fullmatch(name) if above is not None and name.endswith("X") else None
        return FILLER if filled is not None and stem(filled[1]) == stem(above or "") else TAXON

    def kinds(
        self,
        names: Sequence[str | None],
        parent: np.ndarray,
        *,
        inner: np.ndarray | None = None,
        above: Callable[[int], Iterable[str]] | None = None,
    ) -> np.ndarray:
        """Return the kind of each node of a forest: uint8, shape (N,). Nodes without a name are taken for taxa.

        Parameters
        ----------
        names : sequence of (str or None), length N
        parent : ndarray of int, shape (N,)
            Positions, -1 for roots.
        inner : ndarray of bool, shape (N,), optional
            The nodes with children, if nodes have further parents.
        above : callable, optional
            The names of all parents of a node. If given, names may be of terms of any kind, see `kind_of_term`.
        """
        found = np.zeros(len(names), np.uint8)
        if not self.known:
            return found
        if inner is None:
            inner = np.zeros(len(names), np.bool_)
            inner[parent[parent >= 0]] = True
        for start in range(0, len(names), _BLOCK):
            block = names[start : start + _BLOCK]
            near, sure = _candidates(block) if not self.more else (np.ones(len(block), np.bool_), None)
            if sure is not None and above is None:
                sure &= ~inner[start : start + len(block)]
                found[start + np.flatnonzero(sure)] = MEMBER
                near &= ~sure
            for i in (start + np.flatnonzero(near)).tolist():
                name, p = names[i], int(parent[i])
                if name is not None and above is not None:
                    found[i] = self.kind_of_term(name, above(i))
                elif name is not None:
                    found[i] = self.kind(name, names[p] if p >= 0 else None, leaf=not inner[i])
        return found

    def kind_of_term(self, name: str, above: Iterable[str]) -> int:
        """Tell the kind of a term of an ontology: names such as "unknown primary tumor" are of terms like others.

        It is a filler if it is no more than the word for that, or that and the name of a term above it.

        Parameters
        ----------
        name : str
        above : iterable of str
            The names of its parents.
        """
        form = plain(name)
        if form in self.more:
            return FILLER
        found = _OF_PARENT.fullmatch(form)
        if found is None:
            return FILLER if _BARE.fullmatch(form) else MEMBER if _MEMBER.fullmatch(form) else TAXON
        rest = found[1] or found[2]
        same = None if rest is None else {rest, f"{rest}s", rest.removesuffix("s")}
        return FILLER if same is None or any(plain(x) in same for x in above) else TAXON

    def contracted(self, hierarchy: Hierarchy, *, names: Sequence[str | None] | None = None) -> Hierarchy:
        """Return a tree without inner nodes whose names are not taxa. Placeholders for a species of a genus are open.

        Parameters
        ----------
        hierarchy : Hierarchy
        names : sequence of (str or None), optional
            The names of the inner nodes, if the hierarchy calls them by something else.

        Examples
        --------
        >>> from tripletree import parse_newick
        >>> h = parse_newick("((robur,alba)Quercus,(x,y)uncultured)Fagaceae;", placeholders=False)
        >>> Placeholders.of(True).contracted(h).open_leaves
        ['x', 'y']
        """
        if hierarchy.names is None or not self.known:
            return hierarchy
        n = hierarchy.n_leaves
        above = np.maximum(hierarchy.parent[n:] - n, -1)
        kinds = self.kinds(hierarchy.names if names is None else names, above, inner=np.ones(above.size, np.bool_))
        kinds[-1] = TAXON  # the root stays
        if not kinds.any():
            return hierarchy
        members = np.flatnonzero(kinds == MEMBER) + n
        if members.size:
            opened = np.zeros(hierarchy.n_nodes, np.bool_)
            opened[members] = True
            known = hierarchy.incertae_sedis
            hierarchy = hierarchy._but(incertae_sedis=opened if known is None else opened | known)
        gone = np.flatnonzero(kinds == FILLER) + n
        if not gone.size:
            return hierarchy
        note("placeholders", f"{counted(gone.size, 'placeholder node')} contracted")
        return hierarchy.contract(gone)


#: Bits of a name: it has a sign of a placeholder, one that needs no closer look in leaves, and one that needs it still.
NEAR, SURE, NOT_SURE = 1, 2, 4


@cache
def automaton() -> tuple[np.ndarray, np.ndarray]:
    """Return the automaton of Aho and Corasick for all signs: its steps and the bits of its states, for the core.

    ASCII letters of either case are the same to it.
    """
    words: dict[bytes, int] = {}
    for bits, signs in ((NEAR, _SIGNS), (NEAR | SURE, _SURE), (NOT_SURE, _NOT_SURE)):
        for sign in signs:
            words[sign] = words.get(sign, 0) | bits
    children: list[dict[int, int]] = [{}]
    marks = [0]
    for word, bits in words.items():
        at = 0
        for x in word:
            if x not in children[at]:
                children[at][x] = len(children)
                children.append({})
                marks.append(0)
            at = children[at][x]
        marks[at] |= bits
    step = np.zeros((len(children), 256), np.uint8)
    back = [0] * len(children)
    waiting = [0]
    for at in waiting:  # grows: states by their depths
        step[at] = step[back[at]]
        for x, child in children[at].items():
            back[child] = int(step[back[at], x]) if at else 0
            marks[child] |= marks[back[child]]
            step[at, x] = child
            waiting.append(child)
    upper = np.arange(65, 91)
    step[:, upper] = step[:, upper + 32]
    return freeze(step.ravel()), freeze(np.array(marks, np.uint8))


def _candidates(names: Sequence[str | None]) -> tuple[np.ndarray, np.ndarray | None]:
    """Return which names have a sign of a placeholder, and which need no closer look if they are leaves."""
    text = ("\0" + "\0".join([x or "" for x in names]) + "\0").encode("utf-8", "surrogatepass").lower()
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == 0)[1:]
    if ends.size != len(names):  # a name has a NUL in it
        return np.ones(len(names), np.bool_), None

    def having(signs: Sequence[bytes]) -> np.ndarray:
        mask = np.zeros(len(names), np.bool_)
        for sign in signs:
            mask[np.searchsorted(ends, _places(text, sign) + sign.startswith(b"\0"))] = True
        return mask

    sure = having(_SURE)
    return having(_SIGNS) | sure, sure & ~having(_NOT_SURE)


def plain(name: str) -> str:
    """Return a name without what writers set differently: case, the prefix of a rank, underscores and the like."""
    form = name.strip().casefold()
    form = _BLANKS.sub(" ", _UNIQUE.sub("", _RANK_PREFIX.sub("", form)))
    return (_BRACKETED.sub(r"\1", form) if "[" in form or "(" in form else form).strip(" []()<>'\"")


def stem(name: str) -> str:
    """Return the taxon in a filled name: Alveolata of "Alveolata_XX", and of "p__Alveolata"."""
    filled = _FILLED.fullmatch(name)
    return _RANK_PREFIX.sub("", (filled[1] if filled else name).strip().casefold())


def _places(text: bytes, sign: bytes) -> np.ndarray:
    """Return the places of a sign in a text."""
    out = []
    at = text.find(sign)
    while at >= 0:
        out.append(at)
        at = text.find(sign, at + 1)
    return np.array(out, np.int64)
