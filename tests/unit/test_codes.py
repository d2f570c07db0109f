"""read_codes: ATC, ICD, MeSH and other codes that are paths."""

import io
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tripletree.algorithms import all_triplets
from tripletree.algorithms.induce import induce
from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.io import read_codes, read_hierarchy, recognize


def newick(text: str, **options: object) -> str:
    return tt.write_newick(read_codes(io.StringIO(text), **options))


LISTS = {
    "ATC whole": ("code,name\nN,NERVES\nN02,PAIN\nN02B,analgesics\nN02BA,salicylic\nN02BA01,a\nN02BA51,b\nN05,SLEEP\n",
                  "((((N02BA01,N02BA51)N02BA)N02B)N02,N05)N;"),
    "ATC leaves only": ("ATC\nN02BA01\nN02BA51\nN02BB02\nN05CF01\nC07AB02\n",
                        "((((N02BA01,N02BA51)N02BA,N02BB02)N02B,N05CF01)N,C07AB02);"),
    "ICD with dots": ("icd10;title\nA00;Cholera\nA00.0;a\nA00.1;b\nS72.001A;c\nS72.002A;d\nS73.0;e\n",
                      "((A00.0,A00.1)A00,(S72.001A,S72.002A)S72.00,S73.0);"),
    "ICD with ranges": ("code,name\nA00-A09,gut\nA00,Cholera\nA00.0,a\nA00.1,b\nA09,x\nB01,y\n",
                        "(((A00.0,A00.1)A00,A09)A00-A09,B01);"),
    "MeSH": ("Parts;A01\nBelly;A01.923.047\nTrunk;A01.923\nGroin;A01.923.047.365\nSkin;A17\nScalp;A17.815\n",
             "((((A01.923.047.365)A01.923.047)A01.923)A01,(A17.815)A17);"),
    "sections": ("1\n1.1\n1.10\n1.2\n2\n", "((1.1,1.10,1.2)1,2);"),
    "EC numbers": ("ec_no\n1.1.1.1\n1.1.1.10\n1.1.2.3\n3.1.1.1\n", "(((1.1.1.1,1.1.1.10)1.1.1,1.1.2.3)1.1,3.1.1.1);"),
    "EC classes": ("ec,name\n1.-.-.-,a\n1.1.-.-,b\n1.1.1.-,c\n1.1.1.1,d\n1.1.1.2,e\n1.2.-.-,f\n",
                   "(((1.1.1.1,1.1.1.2)1.1.1.-)1.1.-.-,1.2.-.-)1.-.-.-;"),
    "enzclass": ("-----\n  CLASSES\n\n1. -. -.-  Oxidoreductases.\n1. 1. -.-    On CH-OH.\n1. 1. 1.-     With NAD.\n"
                 "1. 1. 2.-     With a cytochrome.\n1. 2. -.-    On oxo groups.\n",
                 "((1.1.1.-,1.1.2.-)1.1.-.-,1.2.-.-)1.-.-.-;"),
    "sections before their numbers": ("code,name\nA,farms\n01,crops\n01.1,oats\n02,woods\nB,mines\n05,coal\n05.2,x\n",
                                      "(((01.1)01,02)A,((05.2)05)B);"),
    "sections elsewhere": ("code,name\n01,crops\n01.1,oats\n01.2,figs\n02,woods\n05,coal\nA,farms\nB,mines\n",
                           "((01.1,01.2)01,02,05);"),
    "tax.summary": ("taxlevel\trankID\ttaxon\tdaughterlevels\ttotal\n0\t0\tRoot\t1\t9\n1\t0.1\tBact\t2\t9\n2\t0.1.1\t"
                    "Firmic\t0\t5\n2\t0.1.2\tTener\t0\t4\n1\t0.2\tArch\t0\t1\n", "((0.1.1,0.1.2)0.1,0.2)0;"),
    "NAICS": ("naics_code,title\n11,farms\n111,crops\n1111,oil\n112,cows\n21,mines\n211,gas\n212,ore\n",
              "(((1111)111,112)11,(211,212)21);"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "right"), LISTS.values(), ids=LISTS)
def test_codes_are_paths(text: str, right: str) -> None:
    assert newick(text) == right


@pytest.mark.parametrize("kind", [x for x in LISTS if x != "sections"])
def test_lists_of_codes_are_recognised(kind: str) -> None:
    text, right = LISTS[kind]
    assert recognize(io.StringIO(text)) == "codes"
    assert tt.write_newick(read_hierarchy(io.StringIO(text))) == right


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("child,parent\na01,a0\na02,a0\na0,a\n", "edges"),
        ("A01.1,A01\nA01.2,A01\nA01,A\n", "edges"),
        ("node10\tnode1\nnode11\tnode1\nnode1\troot\n", "edges"),
        ("code,kingdom,phylum\nA1,k,p\nA11,k,q\n", "lineages"),
        ("life;cat;puma\nlife;cat;lion\nlife;dog\n", "lineages"),
    ],
)
def test_other_tables_are_no_codes(text: str, form: str) -> None:
    assert recognize(io.StringIO(text)) == form


@pytest.mark.parametrize("text", ["date,x\n12.03.2024,1\n13.03.2024,2\n", "version,n\n1.2.3,5\n1.2.4,6\n"])
def test_dates_and_versions_are_no_codes(text: str) -> None:
    with pytest.raises(ParseError, match="fit neither|not recognised|may be children"):
        recognize(io.StringIO(text))


@pytest.mark.parametrize("text", ["tree,name\n1.1,x\n1.1.1,y\n1.1.2,z\n", "sample,site\nS1.1,x\nS1.1.1,y\nS1.1.2,w\n"])
def test_codes_under_another_name_are_not_guessed(text: str) -> None:
    with pytest.raises(ParseError, match="not called code: format='codes' reads them"):
        recognize(io.StringIO(text))
    h = read_hierarchy(io.StringIO(text), format="codes")
    assert not {"tree", "sample"} & {*h.leaves, *(h.names or ())}


def test_names_of_codes() -> None:
    text = "Tree Number,Heading\nC04,Neoplasms\nC04.1,Cysts\nC04.2,Tumours\n"
    h = read_codes(io.StringIO(text), labels="name")
    assert list(h.leaves) == ["Cysts", "Tumours"]
    assert h.names == ("Neoplasms",)


def test_names_that_repeat_are_told_with_a_way_on() -> None:
    text = "code,name\nA01.1.1,x\nA01.1.2,x\n"
    with pytest.raises(DuplicateLeafError, match="labels='id'"):
        read_codes(io.StringIO(text), labels="name")
    assert list(read_codes(io.StringIO(text), labels="id").leaves) == ["A01.1.1", "A01.1.2"]


def test_frames_and_columns_by_name() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "key": ["X1", "X1.5.1", "X1.5.2"], "word": ["a", "b", "c"]})
    h = read_codes(frame, code_column="key", name_column="word", labels="name")
    assert tt.write_newick(h) == "((b,c)X1.5)a;"  # X1.5 holds two, though no row lists it


def test_a_row_may_say_the_same_again_and_not_another_name() -> None:
    assert newick("code,name\nA1.1.1,x\nA1.1.1,x\nA1.1.2,y\n") == "(A1.1.1,A1.1.2)A1.1;"
    with pytest.raises(ParseError, match=r"line 3.*'A1.1.1' has the name 'y' here, 'x' in line 2"):
        newick("code,name\nA1.1.1,x\nA1.1.1,y\nA1.1.2,y\n")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("code,name\nA1,x\nB1,y\n", {"code_column": "code"}, "no code begins with another one, such as 'A1'"),
        ("x,y\nred,1\nblue,2\n", {}, "no column holds codes.*code_column"),
        ("code,name\nA1,x\n,y\nA11,z\n", {}, "line 3.*no code in this row"),
        ("code,name\nA1,x\n", {"code_column": "kode"}, "'kode' is not a column"),
        ("code,name\n", {"code_column": "code"}, "no codes in it|no rows"),
    ],
)
def test_errors(text: str, options: dict, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        read_codes(io.StringIO(text), **options)


PATHS = st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=5).map(tuple), min_size=2, max_size=12, unique=True)


@given(PATHS)
def test_triplets_are_those_of_common_beginnings(paths: list[tuple[int, ...]]) -> None:
    """The literal definition: ab|c if the beginning that a and b share is longer than those with c."""
    codes = [".".join(map(str, x)) for x in paths] + ["7", "7.7"]
    h = read_codes(pd.DataFrame({"code": codes}))
    leaves = [x for x in [*paths, (7, 7)] if not any(y != x and y[: len(x)] == x for y in paths)]
    name = {x: ".".join(map(str, x)) for x in leaves}
    assert set(h.leaves) == set(name.values())

    def shared(x: tuple, y: tuple) -> int:
        return next((k for k, (i, j) in enumerate(zip(x, y, strict=False)) if i != j), min(len(x), len(y)))

    right = set()
    for three in combinations(leaves, 3):
        for k in range(3):
            a, b, c = (three[(k + j) % 3] for j in range(3))
            if shared(a, b) > max(shared(a, c), shared(b, c)):
                right.add((frozenset((name[a], name[b])), name[c]))
    assert {(frozenset(x[:2]), x[2]) for x in all_triplets(h)} == right


def test_codes__zeros_at_the_end_of_deweys_numbers_mean_general():
    rows = "500,Science\n540,Chemistry\n541,Physical\n541.3,Mixed\n541.7,Optical\n548,Crystals\n550,Earth\n"
    called = read_codes(io.StringIO("ddc,title\n" + rows))
    assert list(called.leaves) == ["541.3", "541.7", "548", "550"]
    assert list(induce(called, [("541.3", "548", "550"), ("541.3", "541.7", "548")])) == [
        ("541.3", "548", "550"),
        ("541.3", "541.7", "548"),
    ]
    unknown = read_codes(io.StringIO("code,title\n" + rows))  # or ICD-9's
    assert unknown.open_leaves == ["500", "540"]
    assert list(induce(unknown, [("541.3", "541.7", "540"), ("541.3", "541.7", "548")])) == [
        None,
        ("541.3", "541.7", "548"),
    ]
    assert read_codes(io.StringIO("icd9,title\n" + rows)).open_leaves == []


@pytest.mark.parametrize("column", ["NUTS_ID", "nuts code"])
def test_codes__nuts(column):
    lines = f"{column},name\nDE,Deutschland\nDE1,BW\nDE11,Stuttgart\nDE12,Karlsruhe\nDE2,Bayern\nFR,France\nFR1,IdF\n"
    assert tt.write_newick(tt.read_hierarchy(io.StringIO(lines)), names=False) == "(((DE11,DE12),DE2),(FR1));\n".strip()


def test_codes__a_column_of_levels_is_no_parent():
    lines = "level,ISCO 08 code,title\n1,1,A\n2,11,B\n3,111,C\n3,112,D\n1,2,E\n2,21,F\n"
    assert sorted(tt.read_hierarchy(io.StringIO(lines)).leaves) == ["111", "112", "21"]
