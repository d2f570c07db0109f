"""read_icd: a sample in the shape of the CDC's tabular list."""

import io
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, ParseError, TripletreeError
from tripletree.io.icd import icd_ontology, read_icd

SAMPLE = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:noNamespaceSchemaLocation="icd10cm-tabular.xsd">
  <version>2024</version>
  <title>ICD-10-CM TABULAR LIST of DISEASES and INJURIES</title>
  <introduction>
    <introSection type="title"><title>Conventions</title></introSection>
  </introduction>
  <chapter>
    <name>1</name>
    <desc>Certain infectious and parasitic diseases (A00-B99)</desc>
    <includes><note>diseases generally recognized as communicable or transmissible</note></includes>
    <sectionIndex>
      <sectionRef first="A00" last="A09" id="A00-A09">Intestinal infectious diseases</sectionRef>
    </sectionIndex>
    <section id="A00-A09">
      <desc>Intestinal infectious diseases (A00-A09)</desc>
      <diag>
        <name>A00</name>
        <desc>Cholera</desc>
        <diag><name>A00.0</name><desc>Cholera due to Vibrio cholerae 01, biovar cholerae</desc>
          <inclusionTerm><note>Classical cholera</note></inclusionTerm></diag>
        <diag><name>A00.1</name><desc>Cholera due to Vibrio cholerae 01, biovar eltor</desc></diag>
        <diag><name>A00.9</name><desc>Cholera, unspecified</desc></diag>
      </diag>
      <diag><name>A09</name><desc>Infectious gastroenteritis and colitis,
        unspecified</desc><excludes1><note>colitis NOS (K52.9)</note></excludes1></diag>
    </section>
  </chapter>
  <chapter>
    <name>20</name>
    <desc>External causes of morbidity (V00-Y99)</desc>
    <section id="V00-X58"><desc>Accidents (V00-X58)</desc></section>
    <section id="V00-V09">
      <desc>Pedestrian injured in transport accident (V00-V09)</desc>
      <diag>
        <name>V00</name>
        <desc>Pedestrian conveyance accident</desc>
        <sevenChrNote><note>The appropriate 7th character is to be added</note></sevenChrNote>
        <sevenChrDef><extension char="A">initial encounter</extension></sevenChrDef>
        <diag><name>V00.0</name><desc>Pedestrian on foot injured in collision</desc>
          <diag><name>V00.01</name><desc>with roller-skater</desc></diag>
          <diag placeholder="true"><name>V00.02</name><desc>with skateboarder</desc></diag>
        </diag>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
"""
CODES = ["A00.0", "A00.1", "A00.9", "A09", "V00.01", "V00.02"]


def read(text, **options):
    return read_icd(io.StringIO(text), **options)


def test_icd__codes():
    h = read(SAMPLE)
    want = Hierarchy.from_nested([[[["A00.0", "A00.1", "A00.9"], "A09"]], [[[["V00.01", "V00.02"]]]]])
    assert read(SAMPLE, placeholders=False) == want
    assert h.open_leaves == ["A00.9"]  # "Cholera, unspecified"
    assert list(h.leaves) == CODES
    assert {x for x in h.names if x} == {"A00", "A00-A09", "chapter 1", "V00", "V00.0", "V00-V09", "chapter 20"}
    rank = {h.label(u): h.ranks[u] for u in range(h.n_nodes)}
    assert {x: rank[x] for x in ("chapter 1", "A00-A09", "A00", "A09", "A00.0", "V00.0", None)} == {
        "chapter 1": "chapter",
        "A00-A09": "section",
        "A00": "category",
        "A09": "category",
        "A00.0": "subcategory",
        "V00.0": "subcategory",
        None: None,
    }


def test_icd__descriptions():
    h = read(SAMPLE, labels="name")
    assert h.leaves[3] == "Infectious gastroenteritis and colitis, unspecified"
    assert h.label(h.common_ancestor([h.leaves[0], h.leaves[3]])) == "Intestinal infectious diseases (A00-A09)"
    with pytest.raises(DuplicateLeafError, match="labels='id'"):
        read(SAMPLE.replace("with roller-skater", "with skateboarder"), labels="name")


def test_icd__clades_are_those_of_the_codes():
    h = read(SAMPLE)
    for a, b in combinations(CODES, 2):
        name = h.label(h.common_ancestor([a, b]))
        shared = a.startswith(b[:3])
        assert (name in {"A00", "V00.0"}) == shared


def test_icd__a_section_called_like_its_only_category():
    ontology = icd_ontology(io.StringIO(SAMPLE.replace('id="A00-A09">\n', 'id="A00">\n')))
    assert "section A00" in ontology.terms
    assert ontology.names[0] == "Certain infectious and parasitic diseases (A00-B99)"


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("<name>A00.1</name>", "<name>A00.0</name>"), 23, "the code 'A00.0' stands twice"),
        (("<name>A00</name>", ""), 18, "a <diag> without element <name>"),
        (("<name>20</name>", "<name> </name>"), 30, "a <chapter> without element <name>"),
        ((' id="V00-V09"', ""), 34, "a <section> without attribute id"),
        (("<ICD10CM.tabular ", "<ICD10CM.index "), 2, "the root is <ICD10CM.index>, not <ICD10CM.tabular>"),
        (("</section>", "</chapter>"), 28, "mismatched tag"),
    ],
)
def test_icd__what_is_refused(change, line, message):
    with pytest.raises(ParseError, match=message) as caught:
        read(SAMPLE.replace(*change, 1))
    if line is not None:
        assert caught.value.line == line


def test_icd__entities_are_refused():
    text = SAMPLE.split("\n", 1)[1]
    with pytest.raises(ParseError):
        read('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + text.replace("Cholera<", "&b;<"))


def test_icd__no_codes():
    with pytest.raises(ParseError, match="no codes"):
        read("<ICD10CM.tabular><chapter><name>1</name></chapter></ICD10CM.tabular>")
    with pytest.raises(ParseError):
        read("")
    with pytest.raises(ParseError):
        read_icd(io.BytesIO(b"\x1f\x8b no gzip"))
    with pytest.raises(ValueError, match="labels"):
        read(SAMPLE, labels="code")


def test_icd__deep_nesting():
    n = 5_000
    diags = "".join(f"<diag><name>{k}</name>" for k in range(n)) + "</diag>" * n
    h = read(f"<ICD10CM.tabular><chapter><name>1</name>{diags}</chapter></ICD10CM.tabular>")
    assert (h.n_nodes, list(h.leaves)) == (n + 1, [str(n - 1)])


@given(
    st.integers(0, len(SAMPLE)),
    st.integers(0, 60),
    st.text(st.sampled_from("<>/&;'\"diag name=A0") | st.characters(), max_size=8),
)
def test_icd__any_text_is_read_or_refused(at, cut, junk):
    try:
        h = read(SAMPLE[:at] + junk + SAMPLE[at + cut :])
    except TripletreeError:
        return
    assert h.n_leaves >= 1
