"""read_wordnet: synsets, senses, and the real file where it is installed."""

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import NotATreeError, ParseError, TripletreeError
from tripletree.io.wordnet import read_wordnet

DATA = """  1 This software and database is being provided to you, the LICENSEE, by
  2 Princeton University under the following license.
00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is perceived
00001930 03 n 02 physical_entity 0 Body 1 001 @ 00001740 n 0000 | an entity that has physical existence
02084071 05 n 03 dog 0 domestic_dog 0 Canis_familiaris 0 003 @ 00001930 n 0000 @ 01317541 n 0000 + 00692347 v 0101 | a
01317541 05 n 0a pet 0 a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 001 @ 00001930 n 0000 | a domesticated animal @ home | x
02999999 05 n 01 Lassie 0 002 @i 02084071 n 0000 %p 00001930 n 0000 | a dog
"""
INDEX = """  1 This software and database is being provided
body n 2 1 @ 2 0 00009999 00001930
dog n 3 2 @ ~ 3 1 00007777 02084071 00008888
entity n 1 1 ~ 1 1 00001740
lassie n 1 1 @i 1 0 02999999
pet n 1 2 @ ~ 1 0 01317541
physical_entity n 1 1 @ 1 0 00001930
"""


def read(text, **options):
    return read_wordnet(io.StringIO(text), **options)


def test_wordnet__synsets():
    wordnet = read(DATA)
    assert list(wordnet.terms) == ["n00001740", "n00001930", "n02084071", "n01317541", "n02999999"]
    assert wordnet.names == ("entity", "physical entity", "dog", "pet", "Lassie")
    assert wordnet.edges.tolist() == [[1, 0], [2, 1], [2, 3], [3, 1], [4, 2]]
    assert wordnet.relations == ("hypernym",) * 4 + ("instance_hypernym",)
    with pytest.raises(NotATreeError, match="n02084071"):
        wordnet.to_hierarchy()
    h = wordnet.select(relations=["hypernym"]).to_hierarchy(parent="deepest", labels="name")
    assert h == Hierarchy.from_nested([[[["dog"]], "Lassie"]]) or "dog" in h.leaves


def test_wordnet__senses(tmp_path):
    wanted = ["entity.n.01", "physical_entity.n.01", "dog.n.02", "pet.n.01", "lassie.n.01"]
    assert list(read(DATA, ids="sense", index=io.StringIO(INDEX)).terms) == wanted
    (tmp_path / "data.noun").write_text(DATA)
    with pytest.raises(ParseError, match="give index=, the file index.noun, or take ids='wnid'"):
        read_wordnet(tmp_path, ids="sense")
    (tmp_path / "index.noun").write_text(INDEX)
    assert list(read_wordnet(tmp_path, ids="sense").terms) == wanted
    assert list(read_wordnet(tmp_path / "data.noun", ids="sense").terms) == wanted


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("02084071 05", "0208407 05"), 5, "not a synset"),
        (("n 03 dog", "n 0x dog"), 5, "not a synset"),
        (("n 03 dog", "n 00 dog"), 5, "not a synset"),
        (("003 @ 00001930", "004 @ 00001930"), 5, "not a synset"),
        (("003 @ 00001930", "-03 @ 00001930"), 5, "not a synset"),
        (("01317541 05", "00001740 05"), 6, "n00001740 stands twice: it is on line 3 already"),
        (("@i 02084071", "@i 02084072"), 7, "this synset points at n02084072, which is not in the file"),
        (("~ 00001930 n", "@ 02999999 n"), None, "cycle"),
        (("~ 00001930 n", "@ 00001740 n"), None, "its own parent"),
    ],
)
def test_wordnet__what_is_refused(change, line, message):
    assert change[0] in DATA
    with pytest.raises(ParseError, match=message) as caught:
        read(DATA.replace(*change, 1))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("lassie n 1", "lassy n 1"), "n02999999 is not among the senses of 'lassie'"),
        (("dog n 3 2", "dog n 4 2"), "line 3, column 1: not a line of an index"),
        (("dog n 3 2", "dog n three 2"), "line 3, column 1: not a line of an index"),
    ],
)
def test_wordnet__an_index_that_does_not_fit(change, message):
    with pytest.raises(ParseError, match=message):
        read(DATA, ids="sense", index=io.StringIO(INDEX.replace(*change)))


def test_wordnet__nothing_to_read():
    for text in ("", "  1 only a licence\n"):
        with pytest.raises(ParseError, match="no synsets in it"):
            read(text)
    with pytest.raises(ValueError, match="ids must be .*, not 'nltk'"):
        read(DATA, ids="nltk")


@given(
    st.integers(0, len(DATA)), st.integers(0, 30), st.text(st.sampled_from("0123 n@|\n") | st.characters(), max_size=8)
)
def test_wordnet__any_text_is_read_or_refused(at, cut, junk):
    text = DATA[:at] + junk + DATA[at + cut :]
    for options in ({}, {"ids": "sense", "index": io.StringIO(INDEX)}):
        try:
            wordnet = read(text, **options)
        except TripletreeError:
            continue
        assert wordnet.n_terms >= 1


@pytest.mark.shared
def test_wordnet__the_real_nouns():
    places = [Path("/usr/share/wordnet"), Path(os.environ.get("TRIPLETREE_DATA", "/nowhere")) / "wordnet"]
    folder = next((x for x in places if (x / "data.noun").is_file()), None)
    if folder is None:
        pytest.skip("no WordNet: install Debian's wordnet-base, or put wordnet/data.noun into $TRIPLETREE_DATA")
    wordnet = read_wordnet(folder, ids="sense")
    assert (wordnet.n_terms, len(wordnet.leaves), wordnet.roots) == (82_115, 64_958, ["entity.n.01"])
    assert round(100 * len(wordnet.multi_parent) / wordnet.n_terms, 1) == 2.7
    assert {"dog.n.01", "thing.n.12", "object.n.01", "amsterdam.n.01"} <= set(wordnet.terms)
    assert wordnet.parents("dog.n.01") == ["canine.n.02", "domestic_animal.n.01"]
    assert wordnet.to_hierarchy(parent="deepest").n_leaves == 64_958
