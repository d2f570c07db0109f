"""Matching names: which taxon of a hierarchy or ontology each name of a sample means, and how sure that is.

A name is tried in the order of `KINDS`, from the surest to the vaguest, and the first that fits is taken. A name that
fits two different taxa equally well matches neither: it is reported as ambiguous.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import described
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import other_form, positions
from tripletree.core.notes import on_labels
from tripletree.core.ontology import Ontology
from tripletree.core.paths import Paths, is_path, terms_by_path
from tripletree.errors import MissingDependencyError, UnknownLeafError

#: How a name can match, the surest first. Then the fate of the others.
KINDS = ("exact", "form", "synonym", "species", "spelling", "genus", "chosen", "ambiguous", "none")

#: Names that are offered if nothing matches.
_OFFERED = 3
#: Below this similarity a name is not worth offering.
_RESEMBLES = 0.6
#: Blanks, underscores, and hyphens inside of a name: "-1" is not "1".
_SEPARATORS = re.compile(r"[\s_]+|(?<=\w)[-\u2010-\u2013](?=\w)")
_NUMBER = re.compile(r"\d+")
#: An abbreviated genus and a species: "q. robur".
_SHORT_GENUS = re.compile(r"([a-z])(\.?) [a-z][a-z-]{2,}")
_LATIN_WORD = re.compile(r"[a-z][a-z-]+")
#: A name of one to four words with its authors: a year or brackets at the end, or an abbreviation.
_SIGN_OF_AUTHOR = re.compile(r"\d{4}|[).]")
_PERSON = r"(?:(?:d'|de |du |von |van |del |da |la |le |den |der )*[^\W\d_a-z][\w.'\u2019-]*)"
_PEOPLE = rf"{_PERSON}(?:(?: | ?& ?|, | et | and | ex | in ){_PERSON})*(?: et al\.?)?"
_AUTHORED = re.compile(
    r"(\u00d7? ?[^\W\d_a-z][\w-]+(?: \([^\W\d_a-z]\w+\))?(?: (?:(?:subsp|ssp|var|f|cf)\. )?[a-z][a-z-]+){0,3})"
    rf" (?:{_PEOPLE},? \(?\d{{4}}\)?|\({_PEOPLE}(?:,? \d{{4}})?\)(?: {_PEOPLE})?(?:,? \d{{4}})?"
    r"|(?:[^\W\d_a-z][\w]*\. ?)+(?:f\.)?)"
)


@dataclass(frozen=True)
class NameMatches:
    """Which taxon each name means, how it was found, and how sure that is. The result of `match_names`.

    Attributes
    ----------
    names : tuple
        The names, without repeats, in the order given.
    matches : tuple of (label or None)
        The taxon that each name means: the label of a leaf or the name of an inner node of ``hierarchy``, of an
        ontology the id of a term. None if nothing fits, or several do.
    kinds : tuple of str
        How it was found. "exact": letter by letter. "form": except for case, underscores, hyphens and spaces, quotes,
        accents, authors and years, and the type of whole numbers (101 is "101"), or by the path of a node of a
        hierarchy ("Food > Bread", "Food|Bread").
        "synonym": another name of that taxon, from `synonyms` or from ``hierarchy``. "species": the
        first two words of a longer name, such as a subspecies or a name with its author. "spelling": similar, word by
        word. "genus": the first word of a name of several stands for a taxon, or for the leaves that begin with it, if
        they are all the children of one node. "chosen": by `choose`. "ambiguous": several taxa fit. "none".
    scores : ndarray of float64, shape (n_names,)
        1 for "exact", "form", "synonym", "species" and "chosen", for "spelling" the similarity of the word that differs
        most, from 0 to 1 (one minus the edit distance over the longer length), 0 for the others. Names whose digits
        differ never match by spelling.
    suggestions : tuple of tuple
        Candidates if nothing is sure: the taxa that fit, or the most similar, the best first.
    hierarchy : Hierarchy or Ontology
        The one that was searched. If leaves of a genus have no named ancestor, their last common one is named
        by the genus here, so that it can be matched.

    See Also
    --------
    match_names
    """

    names: tuple[Any, ...]
    matches: tuple[Any, ...]
    kinds: tuple[str, ...]
    scores: np.ndarray
    suggestions: tuple[tuple[Any, ...], ...]
    hierarchy: Hierarchy | Ontology

    @property
    def unmatched(self) -> list[Any]:
        """The names that match nothing, or several taxa."""
        return [x for x, match in zip(self.names, self.matches, strict=True) if match is None]

    @property
    def shared(self) -> dict[Any, tuple[Any, ...]]:
        """Return the taxa that several names mean, each with its names, without genera that stand for their species."""
        meant: dict[Any, list[Any]] = {}
        for x, match, kind in zip(self.names, self.matches, self.kinds, strict=True):
            if match is not None and kind != "genus":
                meant.setdefault(match, []).append(x)
        return {match: tuple(some) for match, some in meant.items() if len(some) > 1}

    def attach(self) -> Hierarchy | Ontology:
        """Return the hierarchy or ontology on the names that match: each stands where its taxon does.

        Several names of one taxon become its children. A name matched by its genus becomes a child of the genus, which
        says no more than is known.
        """
        known = {x: match for x, match in zip(self.names, self.matches, strict=True) if match is not None}
        if not known:
            hint = "no name matches, so there is no hierarchy of them; choose({name: taxon}) decides by hand"
            raise UnknownLeafError(self.names, self.hierarchy.leaves, what="taxa", hint=hint)
        if isinstance(self.hierarchy, Hierarchy):
            return self.hierarchy.attach(known)
        leaves = self.hierarchy.leaves
        new = {x: term for x, term in known.items() if x != term or x not in leaves}
        return (self.hierarchy.attach(new) if new else self.hierarchy).restrict(known)

    def to_hierarchy(self, *, parent: str = "error", labels: str = "name") -> Hierarchy:
        """Return the tree on the names that match: `attach`, and of an ontology one parent for each term.

        As in `Hierarchy.attach`, nodes that are left with one child are left out.

        Parameters
        ----------
        parent : {"error", "deepest", "first", "smallest"}
            The parent of an ontology's term that has several: see `Ontology.to_hierarchy`.
        labels : {"id", "name"}
            Names of the inner nodes of an ontology. Leaves are called as the names that match.

        Raises
        ------
        NotATreeError
            If some term above the names has several parents and `parent` is "error".

        Examples
        --------
        >>> import tripletree as tt
        >>> o = tt.Ontology(["1", "2", "3"], [(1, 0), (2, 0)], names=["thing", "cat", "dog"])
        >>> tt.write_newick(tt.match_names(["Dog", "1", "cat"], o).to_hierarchy())
        '(Dog,1[&incertae_sedis=1],cat)thing;'
        """
        if isinstance(self.hierarchy, Hierarchy):
            return self.attach()  # type: ignore[return-value]
        terms = self.on_positions()
        tree = terms.to_hierarchy(parent=parent)
        called = {str(x): y for x, y in zip(terms.terms, terms.names or (), strict=False) if labels == "name"}
        names = [x if x is None else called.get(x) or x for x in tree.names or ()]
        mine = [self.names[k] for (k,) in tree.leaves]
        return tree._but(leaves=mine, names=names, synonyms=None).suppress_unary()

    def on_positions(self) -> Ontology:
        """Return the ontology of `attach` on positions, as 1-tuples, instead of names, as some names may be ids."""
        if all(x is None for x in self.matches):
            return self.attach()  # type: ignore[return-value]  # raises
        known = {(k,): match for k, match in enumerate(self.matches) if match is not None}
        return self.hierarchy.attach(known).restrict(known)  # type: ignore[return-value]

    def choose(self, choices: Mapping[Any, Any]) -> NameMatches:
        """Return the matches with some of them decided by a person, of the kind "chosen".

        Parameters
        ----------
        choices : mapping
            The taxon for some of the names: a label of ``hierarchy`` or a name of its inner nodes, of an ontology the
            id or the name of a term, in another form, by another name or by a path, too. None for none.
        """
        _check_mapping(choices, "choices", "{name: taxon}")
        known = _exact_names(self.hierarchy)
        lost = [x for x in choices.values() if x is not None and x not in known]
        if lost:
            found = _NameIndex(self.hierarchy, None).find_all(lost)
            known |= {x: y.match for x, y in zip(lost, found, strict=True) if y.kind in ("exact", "form", "synonym")}
        missing = [x for x in lost if x not in known]
        if missing:
            raise UnknownLeafError(missing, list(known), what="taxa")
        mine = {y: x for x in self.names if (y := other_form(x)) is not None} | {x: x for x in self.names}
        choices = {mine.get(x, x): None if taxon is None else known[taxon] for x, taxon in choices.items()}
        strange = [x for x in choices if x not in set(self.names)]
        if strange:
            raise UnknownLeafError(strange, list(self.names), what="names")
        new = [
            (choices[x], "chosen", 1.0) if x in choices and choices[x] != match else (match, kind, score)
            for x, match, kind, score in zip(self.names, self.matches, self.kinds, self.scores.tolist(), strict=True)
        ]
        new = [(match, kind if match is not None or kind != "chosen" else "none", score) for match, kind, score in new]
        scores = freeze(np.array([score if match is not None else 0.0 for match, _, score in new]))
        return replace(self, matches=tuple(x[0] for x in new), kinds=tuple(x[1] for x in new), scores=scores)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: name, match, kind, score, and suggestions in one text, with ``|`` between them.

        Edited, its columns name and match are the input of `choose`. Terms of an ontology stand by their names, if
        names tell them apart.
        """
        import pandas as pd

        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame` as lists."""
        called = self.term_names()
        return {
            "name": list(self.names),
            "match": [called.get(x, x) for x in self.matches],
            "kind": list(self.kinds),
            "score": self.scores.tolist(),
            "suggestions": ["|".join(str(called.get(x, x)) for x in some) for some in self.suggestions],
        }

    def without(self, names: Iterable[Any]) -> NameMatches:
        """Return the matches of all other names."""
        left_out = set(names)
        kept = [k for k, x in enumerate(self.names) if x not in left_out]

        def of(some: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(some[k] for k in kept)

        scores = freeze(self.scores[kept])
        return NameMatches(
            of(self.names), of(self.matches), of(self.kinds), scores, of(self.suggestions), self.hierarchy
        )

    def term_names(self) -> dict[Any, str]:
        """Return the names of terms by their ids, if names tell them apart. A hierarchy gives an empty dict."""
        if isinstance(self.hierarchy, Hierarchy):
            return {}
        terms = self.hierarchy.terms
        return {term: x for x, term in _exact_names(self.hierarchy).items() if x not in terms}

    def __str__(self) -> str:
        count = Counter(self.kinds)
        parts = [f"{count[kind]} {kind}" for kind in KINDS if count[kind]]
        advice = on_labels(self.hierarchy) if 2 * len(self.unmatched) > len(self.names) else ""
        return f"{len(self.names)} name{'s' * (len(self.names) != 1)}: {', '.join(parts)}{advice}"


def match_names(
    names: Iterable[Any],
    hierarchy: Hierarchy | Ontology,
    *,
    synonyms: Mapping[str, str | Iterable[str]] | None = None,
    min_score: float = 0.8,
) -> NameMatches:
    """Find which taxon of a hierarchy, or term of an ontology, each name means, though it may be written otherwise.

    Parameters
    ----------
    names : iterable of hashable
        The names, such as the index of a table. A repeated one counts once. A value that is not text can only match
        exactly, and a whole number the text of it.
    hierarchy : Hierarchy or Ontology
        The one to search: labels of leaves, and names of inner nodes. A leaf comes first if both fit. In an
        ontology, ids and names of terms. Species and genus are tried only if some terms have these ranks.
    synonyms : mapping of str to str or list of str, optional
        The accepted name for each other name, such as `tripletree.io.read_synonyms` reads from an NCBI taxdump
        or an ontology.
    min_score : float in [0, 1]
        The least similarity, of each word, for a match by spelling. 1 for none. Names with two words or more match by
        spelling only names with as many: *Mustela vison* and *Mustela nivalis* are different species however
        similar the whole is. No name matches by spelling a taxon whose own name is among `names`.

    Returns
    -------
    NameMatches
        For each name the match, its kind and its score. ``attach()`` makes the hierarchy on the names.

    See Also
    --------
    tripletree.Hierarchy.attach : the same for names that are right.

    Notes
    -----
    Time: linear in the names and labels, and names that match nothing surer times labels for the spelling.

    Examples
    --------
    >>> import tripletree as tt
    >>> h = tt.parse_newick("((Felis_catus,Panthera_leo)Felidae,(Canis_lupus,Vulpes_vulpes)Canidae);")
    >>> found = tt.match_names(["Felis catus", "Canis lupus familiaris", "Pantera leo", "Vulpes lagopus"], h)
    >>> print(found)
    4 names: 1 form, 1 species, 1 spelling, 1 genus
    >>> found.matches
    ('Felis_catus', 'Canis_lupus', 'Panthera_leo', 'Vulpes_vulpes')
    >>> found.attach() == tt.Hierarchy.from_nested([["Felis catus", "Pantera leo"],
    ...                                             ["Canis lupus familiaris", "Vulpes lagopus"]])
    True
    """
    if not isinstance(hierarchy, Ontology):
        hierarchy = check_hierarchy(hierarchy)
    if isinstance(min_score, bool) or not isinstance(min_score, Real) or not 0 <= min_score <= 1:
        msg = f"min_score must be between 0 and 1, not {min_score!r}"
        raise ValueError(msg)
    if hasattr(names, "columns") or isinstance(names, bytes) or not isinstance(names, Iterable):
        msg = f"names must be an iterable of names, such as the index or one column of a table, not {described(names)}"
        raise TypeError(msg)
    asked = tuple(positions([names] if isinstance(names, str) else names))
    if not asked:
        msg = "names is empty; give at least one name"
        raise ValueError(msg)
    taxa = _NameIndex(hierarchy, synonyms)
    found = taxa.find_all(asked)
    unsure = [k for k, x in enumerate(found) if x.kind == "none" and isinstance(asked[k], str)]
    if unsure:
        similar = _most_similar([plain_form(without_author(asked[k])) for k in unsure], list(taxa.by_form))
        taken = {x.match for x in found if x.kind in ("exact", "form")}
        for k, near in zip(unsure, similar, strict=True):
            found[k] = taxa.by_spelling(asked[k], near, min_score, taken)
    scores = freeze(np.array([x.score for x in found]))
    return NameMatches(
        asked,
        tuple(x.match for x in found),
        tuple(x.kind for x in found),
        scores,
        tuple(x.suggestions for x in found),
        taxa.named_hierarchy(),
    )


# ---------------------------------------------------------------------- one name


@dataclass(frozen=True)
class _Match:
    """The result for a name."""

    match: Any
    kind: str
    score: float = 0.0
    suggestions: tuple[Any, ...] = ()


_NOTHING = _Match(None, "none")


class _NameIndex:
    """The taxa of a hierarchy or ontology by all their names."""

    def __init__(self, hierarchy: Hierarchy | Ontology, synonyms: Mapping[str, str | Iterable[str]] | None) -> None:
        self.hierarchy = hierarchy
        leaves = list(hierarchy.leaves)
        #: The taxon by each of its names.
        self.exact = _exact_names(hierarchy)
        # of a hierarchy, a leaf comes before inner nodes of the same form
        self.by_form: dict[str, list[Any]] = {}
        if isinstance(hierarchy, Hierarchy):
            groups = [leaves, [x for x in self.exact if x not in hierarchy.leaves]]
        else:
            groups = [list(self.exact)]
        for group in groups:
            known = set(self.by_form)
            for x in group:
                form = plain_form(x) if isinstance(x, str) else ""
                if form and form not in known and self.exact[x] not in self.by_form.get(form, ()):
                    self.by_form.setdefault(form, []).append(self.exact[x])
        known = set(self.by_form)
        for x in (x for group in groups for x in group if isinstance(x, str)):
            bare = without_author(x)
            form = plain_form(bare) if bare is not x else ""
            if form and form not in known and self.exact[x] not in self.by_form.get(form, ()):
                self.by_form.setdefault(form, []).append(self.exact[x])
        #: True if names of several words begin with a genus.
        self.binomial = isinstance(hierarchy, Hierarchy) or bool({"species", "genus"} & {*(hierarchy.ranks or ())})
        self.synonyms: dict[str, list[str]] = {}
        #: The taxa by the forms of the other names that the hierarchy keeps.
        self.by_other: dict[str, dict[Any, None]] = {}
        if synonyms is not None:
            _check_mapping(synonyms, "synonyms", "{other name: accepted name}, as read_synonyms gives it")
        for other, accepted in (synonyms or {}).items():
            several = [accepted] if isinstance(accepted, str) or not isinstance(accepted, Iterable) else list(accepted)
            if not all(isinstance(x, str) for x in (other, *several)):
                msg = f"synonyms must map text to text or to lists of it, not {other!r} to {accepted!r}"
                raise TypeError(msg)
            self.synonyms.setdefault(plain_form(other), []).extend(map(plain_form, several))
        #: The forms of names that belong to their taxon in part only. Readers write them with two primes.
        self.in_part: set[str] = set()
        for other, accepted in hierarchy.synonyms.items():  # the synonyms of the value itself
            if str(other).endswith("''"):
                self.in_part |= {plain_form(str(other)), plain_form(without_author(str(other)[:-2]))}
            for x in {plain_form(str(other)), plain_form(without_author(str(other).rstrip("'")))}:
                self.by_other.setdefault(x, {})[self.exact.get(accepted)] = None
        self.genera: dict[str, list[int]] = {}
        self.epithets: dict[str, list[Any]] = {}
        for i, x in enumerate(leaves if isinstance(hierarchy, Hierarchy) else ()):
            words = plain_form(without_author(x)).split() if isinstance(x, str) else []
            if len(words) > 1:
                self.genera.setdefault(words[0], []).append(i)
                self.epithets.setdefault(words[-1], []).append(x)
        self.new_names: dict[int, str] = {}

    def find(self, name: Any) -> _Match:
        """Return the taxon of a name, if that is sure. Spelling and genus come later."""
        if name in self.exact:
            return _Match(self.exact[name], "exact", 1.0)
        number = other_form(name)
        if number is not None and number in self.exact:
            return _Match(self.exact[number], "form", 1.0)
        if not isinstance(name, str):
            if number is None:
                return _NOTHING
            name = str(number)
        form = plain_form(name)
        words = name.replace("_", " ").split()
        bare = plain_form(without_author(name))
        tried = [("form", [form]), ("synonym", self.synonyms.get(form, []))]
        if self.binomial and len(words) > 2 and _LATIN_WORD.fullmatch(words[1]):
            species = plain_form(" ".join(words[:2]))
            tried += [("species", [species]), ("species", self.synonyms.get(species, []))]
        if bare != form:
            tried += [("form", [bare]), ("synonym", self.synonyms.get(bare, []))]
        for kind, forms in tried:
            fits = list(dict.fromkeys(x for other in forms for x in self.by_form.get(other, ())))
            if kind == "synonym" and not fits:
                asked = form if forms is tried[1][1] else bare
                fits = [x for x in self.by_other.get(asked, ()) if x is not None]
                if fits and asked in self.in_part:
                    return _Match(None, "ambiguous", 0.0, tuple(fits))
            if len(fits) == 1:
                return _Match(fits[0], kind, 1.0)
            if fits:
                return _Match(None, "ambiguous", 0.0, tuple(fits))
        return _NOTHING

    def find_all(self, names: Sequence[Any]) -> list[_Match]:
        """Return the taxa of names, by their paths, too."""
        found = [self.find(x) for x in names]
        by_path = self.by_path([x for x, match in zip(names, found, strict=True) if match.kind == "none"])
        return [by_path.get(x, match) for x, match in zip(names, found, strict=True)]

    def by_path(self, names: Sequence[Any]) -> dict[Any, _Match]:
        """Return the taxa of names that are paths, or the last name of a label that is one."""
        h = self.hierarchy
        if isinstance(h, Ontology):
            meant = terms_by_path(names, h, form=plain_form)
            return {
                x: _Match(terms[0], "form", 1.0) if len(terms) == 1 else _Match(None, "ambiguous", 0.0, tuple(terms))
                for x, terms in meant.items()
            }
        if h.names is None or not any(isinstance(x, str) for x in names):
            return {}
        paths = Paths(h.leaves, h.names, h.parent, form=plain_form)

        def known_as(u: int) -> Any:
            """Return what `attach` finds the node by."""
            x = h.label(u)
            return x if u < h.n_leaves or (x in self.exact and x not in h.leaves) else paths.text(u)

        found = {}
        for x, nodes in paths.find(names).items():
            taxa = tuple(map(known_as, nodes))
            # a path that is also a label means that one to `attach`
            sure = len(nodes) == 1 and (taxa[0] == h.label(nodes[0]) or taxa[0] not in self.exact)
            found[x] = _Match(taxa[0], "form", 1.0) if sure else _Match(None, "ambiguous", 0.0, taxa)
        return found

    def by_spelling(self, name: str, near: Sequence[str], min_score: float, taken: set[Any]) -> _Match:
        """Return the taxon with the most similar name, or the genus, else the similar ones as suggestions.

        A taxon whose own name is among the names asked for (`taken`) is another one, however similar: of *hesperidus*
        and *hesperus* in one table, neither is the other one misspelt.
        """
        form = plain_form(without_author(name))
        near = [x for x in near if not _are_ids_apart(form, x)]
        scored = sorted(((_similarity(form, x), x) for x in near), key=lambda pair: (-pair[0], pair[1]))
        # a species that was moved to another genus keeps its last word
        moved = self.epithets.get(form.split()[-1], []) if " " in form else []
        short = _SHORT_GENUS.fullmatch(form)
        fits = tuple(x for x in moved if short is not None and plain_form(x).startswith(short[1]))
        if fits or (short is not None and short[2]):  # "t cel" may be something else than a species
            return _Match(None, "ambiguous" if len(fits) > 1 else "none", 0.0, fits)
        similar = [taxon for score, x in scored if score > 0 for taxon in self.by_form[x]]
        others = [taxon for x in near for taxon in self.by_form[x]]
        close = [taxon for score, x in scored if score >= _RESEMBLES for taxon in self.by_form[x]]
        offered = tuple(dict.fromkeys([*close, *moved[:_OFFERED], *similar, *others]))[:_OFFERED]
        if scored and scored[0][0] >= min_score and scored[0][0] > 0:
            best = [x for score, x in scored if score == scored[0][0]]
            fits = tuple(taxon for x in best for taxon in self.by_form[x])
            if len(fits) > 1:
                return _Match(None, "ambiguous", 0.0, fits)
            if fits[0] not in taken:
                return _Match(fits[0], "spelling", scored[0][0], tuple(x for x in offered if x != fits[0]))
        genus = None if is_path(name) else self.genus_of(form)
        return _Match(genus, "genus", 0.0, offered) if genus is not None else _Match(None, "none", 0.0, offered)

    def genus_of(self, form: str) -> Any:
        """Return the taxon that the first of several words stands for, or None."""
        first, *more = form.split() or [""]
        if not more or not self.binomial:
            return None
        h = self.hierarchy
        named = self.by_form.get(first, [])
        if len(named) == 1:
            return named[0]
        leaves = self.genera.get(first, [])
        if named or not leaves or isinstance(h, Ontology) or _NUMBER.fullmatch(more[0]):
            return None  # of OTU 7, OTU is no genus
        labels = [h.leaves[i] for i in leaves]
        if len(labels) == 1:
            return labels[0]
        node = h.common_ancestor(labels)
        # a child of a node with other names below it, or with clades, would be kept out of these: that is said nowhere
        start, stop, _ = h.leaf_intervals
        if stop[node] - start[node] != len(leaves) or any(h.parent[i] != node for i in leaves):
            return None
        if h.names is not None:
            name = h.names[node - h.n_leaves]
            if name is not None:
                return name if name in self.exact else None  # two nodes of one name cannot be told apart
        return self.new_names.setdefault(node, first.capitalize())

    def named_hierarchy(self) -> Hierarchy | Ontology:
        """Return the hierarchy with names for the ancestors of genera that had none."""
        if isinstance(self.hierarchy, Ontology) or not self.new_names:
            return self.hierarchy
        h = self.hierarchy
        names = list(h.names or [None] * (h.n_nodes - h.n_leaves))
        for node, name in self.new_names.items():
            names[node - h.n_leaves] = name
        return h._but(names=names)


def _exact_names(hierarchy: Hierarchy | Ontology) -> dict[Any, Any]:
    """The meaning of each name letter by letter: leaves and inner nodes themselves, terms by ids and by names."""
    if isinstance(hierarchy, Hierarchy):
        inner = [x for x in hierarchy.names or () if x is not None]
        shared = {x for x, count in Counter(inner).items() if count > 1}
        return {x: x for x in [*hierarchy.leaves, *(x for x in inner if x not in shared)]}
    called = [x for x in hierarchy.names or () if x is not None]
    shared = {x for x, count in Counter(called).items() if count > 1}
    by_id = {x: x for x in hierarchy.terms}
    by_name = zip(hierarchy.names or (), hierarchy.terms, strict=False)
    return by_id | {x: term for x, term in by_name if x is not None and x not in by_id and x not in shared}


def _check_mapping(value: Any, what: str, shape: str) -> None:
    if not isinstance(value, Mapping):
        msg = f"{what} must be a mapping {shape}, not {described(value)}"
        raise TypeError(msg)


# ---------------------------------------------------------------------- how names are written


def plain_form(name: str) -> str:
    """Return a name without what writers set differently: case, accents, quotes, underscores, hyphens, extra spaces."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(x for x in plain if not unicodedata.combining(x) and x not in "'\"`\u2018\u2019\u201c\u201d")
    return _SEPARATORS.sub(" ", plain).strip()


def without_author(name: str) -> str:
    """A scientific name without the author and the year behind it: Panthera leo of "Panthera leo (Linnaeus, 1758)".

    Without a year, brackets, or an abbreviation such as "L." nothing tells an author from another word of the name.

    >>> [without_author(x) for x in ("Felis catus Linnaeus, 1758", "Quercus_robur L.", "Felidae G. Fischer, 1817")]
    ['Felis catus', 'Quercus robur', 'Felidae']
    >>> [without_author(x) for x in ("Homo Sapiens", "Escherichia coli K12", "Canis lupus familiaris")]
    ['Homo Sapiens', 'Escherichia coli K12', 'Canis lupus familiaris']
    """
    if not _SIGN_OF_AUTHOR.search(name):
        return name
    found = _AUTHORED.fullmatch(name.replace("_", " ").strip())
    return name if found is None else found[1]


def _similarity(first: str, second: str) -> float:
    """Return the similarity of the words that differ most. 0 if their number differs, except for spaces left out.

    Another number is another thing, so sample12 is not sample13 misspelt.
    """
    from rapidfuzz.distance import Levenshtein

    if _NUMBER.findall(first) != _NUMBER.findall(second):
        return 0.0
    one, two = first.split(), second.split()
    if len(one) != len(two):
        return Levenshtein.normalized_similarity(first, second) if "".join(one) == "".join(two) else 0.0
    return min(Levenshtein.normalized_similarity(x, y) for x, y in zip(one, two, strict=True))


def _are_ids_apart(first: str, second: str) -> bool:
    """True of ASV12 and ASV13, OTU 7 and OTU 8: each is an id of its own, and no other one misspelt."""
    one, two = _NUMBER.findall(first), _NUMBER.findall(second)
    if not one or not two or one == two:
        return False
    return not (" " in first or " " in second) or _NUMBER.sub("0", first) == _NUMBER.sub("0", second)


def _most_similar(forms: Sequence[str], known: Sequence[str]) -> list[list[str]]:
    """Return the names that are most similar as a whole to each of some, the best first."""
    try:
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        purpose = f"looking for similar names of the {len(forms)} without a sure match"
        raise MissingDependencyError("rapidfuzz", "io", purpose) from None
    return [
        [
            x
            for x, _, _ in process.extract(
                form, known, scorer=Levenshtein.normalized_similarity, score_cutoff=_RESEMBLES, limit=10 * _OFFERED
            )
        ]
        for form in forms
    ]
