"""Newick as others write it: names with apostrophes, support values in labels and in comments."""

import io
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import GuessedLabelWarning, ParseError
from tripletree.io import (
    parse_newick,
    read_hierarchies,
    read_hierarchy,
    read_nexus,
    read_support,
    write_newick,
    write_nexus,
)

NAN = np.nan


def loose(text):
    with pytest.warns(GuessedLabelWarning) as caught:
        found = parse_newick(text, strict=False)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    return list(found.leaves), caught[0].message.labels


@pytest.mark.parametrize(
    ("text", "leaves", "guessed"),
    [
        ("(O'Hara,b);", ["O'Hara", "b"], {"O'Hara": (1, 2)}),
        ("(O'Hara,\n al'Thor:1,d'Arcy[it's]);", ["O'Hara", "al'Thor", "d'Arcy"], None),
        ("('Tis,O'Hara,Twas',b);", ["'Tis", "O'Hara", "Twas'", "b"], None),
        ("('it''s','two words','a,(b)',O'Hara);", ["it's", "two words", "a,(b)", "O'Hara"], {"O'Hara": (1, 30)}),
        ("('it's',b);", ["it's", "b"], {"it's": (1, 2)}),
        ("(Rock 'n' Roll,b);", ["Rock 'n' Roll", "b"], None),
        ('(6" gun,b);', ['6" gun', "b"], None),
        ("(Tel'Aran'Rhiod,b[(c'd)]);", ["Tel'Aran'Rhiod", "b"], None),
        ("(a,b)O'Neill;", ["a", "b"], {"O'Neill": (1, 6)}),
        ("(',b);", ["'", "b"], None),
    ],
)
def test_names__apostrophes(text, leaves, guessed):
    found, labels = loose(text)
    assert found == leaves
    if guessed is not None:
        assert labels == guessed
    with pytest.raises(ParseError, match=r"strict=False takes names|never closed|'\]'|'\['"):
        parse_newick(text)


def test_names__what_is_reported():
    with pytest.warns(GuessedLabelWarning, match=r"<string>: 1 name with quotes, taken as it stands: \"O'Hara\" "):
        parse_newick("(O'Hara,b);", strict=False)
    many = "(" + ",".join(f"n'{i}" for i in range(30)) + ");"
    with pytest.warns(GuessedLabelWarning, match="30 names .* and 10 more; write_newick"):
        again = parse_newick(many, strict=False)
    assert parse_newick(write_newick(again)) == again
    with pytest.warns(GuessedLabelWarning):
        assert read_hierarchy(io.StringIO("(O'Hara,b);"), strict=False, format="newick").n_leaves == 2
    with pytest.warns(GuessedLabelWarning):
        assert len(read_hierarchies(io.StringIO("(a,b'c);(d'e,f);"), format="newick", strict=False)) == 2


def test_names__brackets_are_as_strict_as_ever():
    for text in ("(a,b]);", "(a[x,b);", "((a,b);", "(a'b c'd,e f g'h)(x);"):
        with pytest.raises(ParseError):
            parse_newick(text, strict=False)


labels = st.text(st.sampled_from("ab'\"x1_. "), min_size=1, max_size=6).filter(lambda x: x == x.strip())


@given(st.lists(labels, min_size=2, max_size=5, unique=True))
def test_names__quoted_text_means_the_same_whether_strict_or_not(names):
    text = write_newick(Hierarchy.from_nested([names[0], names[1:]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_newick(text, strict=False) == parse_newick(text)


words = st.from_regex(r"[a-z.]+('[a-z.]+)+", fullmatch=True)


@given(st.lists(words, min_size=2, max_size=5, unique=True))
def test_names__words_with_apostrophes_within_are_never_something_else(names):
    with pytest.warns(GuessedLabelWarning):
        assert list(parse_newick(f"({','.join(names)});", strict=False).leaves) == names


# ---------------------------------------------------------------------- support


@pytest.mark.parametrize(
    ("text", "names", "support"),
    [
        ("(((a,b)98:1,c)apes[&support=70],d);", (None, "apes", None), [98, 70, NAN]),
        ("(((a,b):1[98],c)'two words',d)100;", (None, "two words", None), [98, NAN, 100]),
        ("(((a,b)[&rate=1,r={1,2},prob=0.3]:1,c)98[&posterior=0.5,prob=1],d);", None, [0.3, 0.5, NAN]),
        ("(((a[&support=1],b)89/45,c)1e-3[note],d:1[5]);", None, [89, 1e-3, NAN]),
        ("(((a,b)'98',c)[&!support=3,support=\"4\"],d);", None, [98, 4, NAN]),
        ("(a,b,c);", None, [NAN]),
    ],
)  # fmt: skip
def test_support__where_programs_put_it(text, names, support):
    h, found = read_support(io.StringIO(text))
    assert h.names == names
    np.testing.assert_array_equal(found, support)
    assert not found.flags.writeable
    assert h == parse_newick(text)
    nexus = f"#NEXUS\nbegin trees;\n tree x = {text}\nend;"
    again, same = read_support(io.StringIO(nexus))
    assert again.names == names
    np.testing.assert_array_equal(same, support)


def test_support__keys_are_tried_in_order():
    text = "((a,b)[&prob=0.9,posterior=0.5]7,c);"
    for keys, expected in ((("posterior",), 0.5), (("prob", "posterior"), 0.9), ("prob", 0.9), (("rate",), 7)):
        assert read_support(io.StringIO(text), keys=keys)[1][0] == expected


@given(hierarchies(max_leaves=8, unary=True), st.data())
def test_support__what_is_written_is_read_back(h, data):
    inner = h.n_nodes - h.n_leaves
    value = st.floats(allow_infinity=False, allow_nan=False) | st.just(NAN)
    support = np.array(data.draw(st.lists(value, min_size=inner, max_size=inner)))
    names = data.draw(st.lists(st.sampled_from([None, "clade", "a [b]", "it's"]), min_size=inner, max_size=inner))
    h = Hierarchy(h.parent, h.leaves, names=names)
    for write, read in ((write_newick, read_support), (write_nexus, read_support)):
        again, found = read(io.StringIO(write(h, support=support)))
        at = {frozenset(map(str, h.clade(u))): [] for u in range(h.n_leaves, h.n_nodes)}
        for u in range(inner):
            at[frozenset(map(str, h.clade(h.n_leaves + u)))].append(((h.names or names)[u], repr(float(support[u]))))
        for u in range(inner):
            name = None if again.names is None else again.names[u]
            said = at[frozenset(again.clade(again.n_leaves + u))]
            assert (name, repr(float(found[u]))) in said


def test_support__bad_input():
    h = parse_newick("((a,b),c);")
    for bad in ([1], [1, np.inf], "ab", [[1, 2]], [1, "x"]):
        with pytest.raises(ValueError, match="support must be 2 finite numbers or NaN, one for each inner node"):
            write_newick(h, support=bad)
    with pytest.raises(ParseError, match="2 trees where one is expected"):
        read_support(io.StringIO("(a,b);(c,d);"))
    with pytest.raises(ParseError, match="NEXUS"):
        read_support(io.StringIO("#NEXUS begin trees; tree x = (a,b); end;"), format="newick")
    with pytest.raises(ValueError, match="files of OBO do not hold support values; nexus, phyloxml, nexml, newick do"):
        read_support(io.StringIO("[Term]\nid: a\n"))
    for wrong in ("1", True, 0.5):
        with pytest.raises(TypeError, match="part must be the position of a number"):
            read_support(io.StringIO("((a,b)1,c);"), part=wrong)
    with pytest.raises(ValueError, match="files of OBO do not hold several trees; nexus, phyloxml, nexml, newick do"):
        read_hierarchies(io.StringIO("[Term]\nid: a\n"))


# ---------------------------------------------------------------------- NEXUS as Newick


def test_nexus__lengths_and_blanks_as_in_newick():
    inverted = Hierarchy([3, 3, 4, 4, -1], ["a b", "it's", "d"], height=[0, 0, 0, 2.0, 1.5], names=["x y", None])
    text = write_nexus(inverted, blanks="underscore", tree="my tree")
    assert "1 a_b," in text
    assert "2 'it''s'," in text
    assert "TREE my_tree = [&R] ((1:2,2:2)x_y:0,3:2);" in text
    assert "-0.5" in write_nexus(inverted, lengths="exact")
    assert read_nexus(io.StringIO(text), underscores="blank") == inverted
    clash = Hierarchy.from_nested(["a b", "a_b"])
    with pytest.raises(ValueError, match=re.escape("blanks as underscores")):
        write_nexus(clash, blanks="underscore")
    with pytest.raises(ValueError, match="blanks must be"):
        write_nexus(clash, blanks="none")
