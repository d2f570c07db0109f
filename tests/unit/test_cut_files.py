"""Files that were cut off, or lost their head: a refusal or the tree that stands there, never another one.

One tree is written in every format, and each file is cut at every line and at many other bytes, from either end. What
is left must be refused, or give a tree whose nodes stand below each other as in the whole one.

In documents (Newick, NEXUS, XML, JSON, DOT) every cut can be told, but for one: the text before a tree's last semicolon
is a tree, too: ``(cat,lion)felids;`` without its first half is ``felids;``, of one leaf. Where every line stands for
itself (lineages, edges, taxdumps, OBO, WordNet's leaves, linkages) a file that ends with a line may have had more, and
a word that is cut through is another word.
"""

import bz2
import gzip
import io
import lzma
import random
import zipfile

import numpy as np
import pytest
from file_samples import DOCUMENTS, ID, MERGES, SAMPLES, TREE, UP, lines

from tripletree.errors import ParseError, TripletreeError
from tripletree.io import FORMATS, read_hierarchy, recognize, write_linkage
from tripletree.io.taxdump import read_taxdump

ALL = [pytest.param(kind, text, id=f"{kind}-{k}") for kind, texts in SAMPLES.items() for k, text in enumerate(texts)]


def read(text, kind=None):
    """The tree, and the format that it was taken for."""
    name = kind or recognize(io.StringIO(text))
    options = {"taxdump": {"labels": "id"}}.get(name, {})
    options |= {"tree": 0} if name == "nexus" else {}
    return read_hierarchy(io.StringIO(text), format=kind, **options), name


def order(hierarchy):
    """The labels and names, and which of them stand below which."""
    called = [*map(str, hierarchy.leaves), *(hierarchy.names or [None] * hierarchy.n_nodes)][: hierarchy.n_nodes]
    pairs = set()
    for u, name in enumerate(called):
        p = hierarchy.parent[u]
        while p >= 0:
            pairs.add((name, called[p]))
            p = hierarchy.parent[p]
    return set(called) - {None}, {pair for pair in pairs if None not in pair}


def cuts(n, text, rng, many=20):
    """Places to cut: behind every line, and elsewhere."""
    return sorted({i + 1 for i in range(n) if text[i] == "\n"} | set(rng.sample(range(1, n), min(many, n - 1))))[:-1]


def check_honest(text, rest, kind, *, middle=False):
    """Read the rest of a text: refused, or a part of the whole. The middle of a document may be a subtree."""
    try:
        part, name = read(rest)
    except TripletreeError:
        return
    whole, _ = read(text)
    if part == whole:
        return
    labels, pairs = order(whole)
    found, below = order(part)
    if part.n_leaves == 1:  # from which nothing follows
        assert name in (kind, "newick") or kind not in DOCUMENTS
        return
    assert middle or kind not in DOCUMENTS
    # a table of parents and children, in this order, reads as lineages of two names where its header is lost
    assert name == kind or (name == "lineages" and text.startswith("parent;child"))
    assert {pair for pair in below if labels.issuperset(pair)} <= pairs
    odd = found - labels  # words that are cut through
    assert all(x in text.replace("_", " ") or x in text for x in odd)
    assert not odd or kind not in DOCUMENTS
    assert len(odd) <= 2 or not rest.endswith("\n")


@pytest.mark.parametrize(("kind", "text"), ALL)
def test_cut__the_samples_are_this_tree(kind, text):
    whole, name = read(text)
    assert name == kind
    if kind == "linkage" or whole.n_leaves == 2:
        return
    assert whole.n_leaves == TREE.n_leaves
    shapes = [sorted({tuple(map(str, h.clade(u))) for u in range(h.n_nodes)}, key=len) for h in (whole, TREE)]
    assert [len(x) for x in shapes[0]] == [len(x) for x in shapes[1]]


def test_cut__every_format_has_a_sample():
    assert set(SAMPLES) == set(FORMATS) - {"folder"}


@pytest.mark.filterwarnings("ignore:1 item without a taxon")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("kind", "text"), ALL)
def test_cut__the_end_is_missing(kind, text, end):
    rng = random.Random(0)
    text = text.replace("\n", end)
    for stop in cuts(len(text.rstrip()), text, rng):
        check_honest(text, text[:stop], kind)
        if kind in DOCUMENTS:
            with pytest.raises(TripletreeError):
                read(text[:stop], kind)


@pytest.mark.parametrize(("kind", "text"), ALL)
def test_cut__the_head_is_missing(kind, text):
    rng = random.Random(1)
    for start in cuts(len(text.rstrip()), text, rng):
        check_honest(text, text[start:], kind)


@pytest.mark.parametrize(("kind", "text"), ALL)
def test_cut__both_ends_are_missing(kind, text):
    rng = random.Random(2)
    for _ in range(30):
        start, stop = sorted(rng.sample(range(len(text)), 2))
        if stop - start > 12:  # a word or two may be anything
            check_honest(text, text[start:stop], kind, middle=True)


@pytest.mark.parametrize(
    "text",
    [
        "begin trees;\ntree one = (a,b);\nend;\n",
        "begin trees; tree one = (a,b); end;",
        "tree one = [&R] (a,b);\nend;\n",
        "BEGIN TAXA;\nDIMENSIONS NTAX=2;\n",
        "end;\n",
        "\n\nEndBlock;",
    ],
)
def test_cut__commands_of_nexus_without_its_first_line(text):
    with pytest.raises(ParseError, match="commands of NEXUS, but not the first line '#NEXUS': is its head missing?"):
        recognize(io.StringIO(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<name>a</name>\n<name>b</name>\n</clade>\n"[1:], "XML"),
        ('xmlns="x">\n', "XML"),
        ('name": "a"}, {"name": "b"}]}\n', "JSON"),
        ("a -> b;\na -> c;\n}\n", "DOT"),
        ("0013 03 n 01 owl 0 001 @ 00000003 n 0000 | a owl\n", "a WordNet data file"),
    ],
)
def test_cut__the_middle_of_a_file(text, kind):
    with pytest.raises(ParseError, match=f"this looks like the middle of {kind}: is the head of the file missing?"):
        recognize(io.StringIO(text))


@pytest.mark.parametrize("text", ["a,b\n", "a;\nb;\n", "a\tb\nb\tc\nc\td\n", "0.5,1\n"])
def test_cut__two_cells_are_not_edges_by_themselves(text):
    with pytest.raises(ParseError, match=r"may be children and parents, but .*format='edges' if the child comes first"):
        recognize(io.StringIO(text))
    if ";" not in text:
        assert read_hierarchy(io.StringIO(text), format="edges").n_leaves == 1


def test_cut__a_path_without_its_number():
    with pytest.raises(ParseError, match="line 1: no number before this path, as most lines have one: 'pets'"):
        read_hierarchy(io.StringIO("pets\n2 - pets > dogs\n3 - pets > cats\n"))


def test_cut__synsets_that_are_gone():
    text = SAMPLES["wordnet"][0]
    with pytest.raises(ParseError, match="line 5: this synset has n00000012 below it.*: was the file cut off"):
        read_hierarchy(io.StringIO(text[: text.index("00000012 03")]))


def test_cut__names_of_a_taxdump(tmp_path):
    (tmp_path / "nodes.dmp").write_text(SAMPLES["taxdump"][0])
    names = lines(lambda x: f"{ID[x]}\t|\t{x}\t|\t\t|\tscientific name\t|", ID)
    for stop in range(len(names)):
        (tmp_path / "names.dmp").write_text(names[:stop])
        if names[stop:].strip():
            with pytest.raises(ParseError):
                read_taxdump(tmp_path)
    (tmp_path / "names.dmp").write_text(names)
    assert order(read_taxdump(tmp_path)) == order(TREE)


def zipped(content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", content)
    return stream.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_cut__packed_files(pack):
    content = pack(SAMPLES["edges"][0].encode())
    assert read_hierarchy(io.BytesIO(content)).n_leaves == 7
    for k in range(1, len(content)):
        for rest in (content[:-k], content[k:]):
            if rest.startswith(b"PK\x01\x02") or len(rest) > 12:
                with pytest.raises(TripletreeError):
                    read_hierarchy(io.BytesIO(rest))


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_cut__numpy_arrays(suffix, tmp_path):
    whole = read_hierarchy(io.StringIO(MERGES))
    write_linkage(whole, tmp_path / f"z{suffix}")
    content = (tmp_path / f"z{suffix}").read_bytes()
    assert np.array_equal(read_hierarchy(io.BytesIO(content)).parent, whole.parent)
    for k in range(1, len(content)):
        with pytest.raises(TripletreeError):
            read_hierarchy(io.BytesIO(content[:-k]))


def test_cut__parquet():
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table({"child": list(UP), "parent": list(UP.values())}), stream)
    content = stream.getvalue()
    for k in range(1, len(content), 7):
        for rest in (content[:-k], content[k:]):
            with pytest.raises(TripletreeError):
                read_hierarchy(io.BytesIO(rest))
