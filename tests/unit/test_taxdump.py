"""read_taxdump: folders, archives, names, roots, and refusals with their places."""

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.algorithms.induce import induce
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, ParseError, TripletreeError, UnknownLeafError
from tripletree.io import read_synonyms
from tripletree.io import taxdump as _dmp
from tripletree.io.taxdump import read_taxdump, taxdump_ontology

TAXA = [
    (1, 1, "no rank", "root"),
    (2, 1, "domain", "Bacteria"),
    (33208, 1, "kingdom", "Metazoa"),
    (1224, 2, "phylum", "Pseudomonadota"),
    (9606, 207598, "species", "Homo sapiens"),
    (9598, 207598, "species", "Pan troglodytes"),
    (207598, 33208, "subfamily", "Homininae"),
    (629395, 33208, "genus", "Bacteria"),
]
UNIQUE = {2: "Bacteria <bacteria>", 629395: "Bacteria <walking sticks>"}


def dmp(*fields):
    return "\t|\t".join(map(str, fields)) + "\t|\n"


def nodes(taxa=TAXA):
    return "".join(dmp(i, p, rank, "", 8, 0) for i, p, rank, _ in taxa).encode()


def names(taxa=TAXA, unique=UNIQUE):
    lines = []
    for i, _, _, name in taxa:
        lines.append(dmp(i, f"old {name}", "", "synonym"))
        lines.append(dmp(i, name, unique.get(i, ""), "scientific name"))
    return "".join(lines).encode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "nodes.dmp").write_bytes(nodes())
    (tmp_path / "names.dmp").write_bytes(names())
    return tmp_path


def literal(taxa, call):
    """The hierarchy of taxa, node by node: leaf labels, clades by name, and ranks by name."""
    children = {}
    for i, p, _, _ in taxa:
        if i != p:
            children.setdefault(p, []).append(i)
    clades = []
    for i, _, rank, _ in taxa:
        below, todo = set(), [i]
        while todo:
            u = todo.pop()
            todo += children.get(u, [])
            if u not in children:
                below.add(call[u])
        clades.append((call[i], frozenset(below), None if rank == "no rank" else rank))
    return Counter(clades)


def seen(h):
    ranks = h.ranks or [None] * h.n_nodes
    return Counter((h.label(u), frozenset(h.clade(u)), ranks[u]) for u in range(h.n_nodes))


def test_taxdump__names_ranks_and_unique_names(folder):
    h = read_taxdump(folder)
    call = {i: UNIQUE.get(i, name) for i, _, _, name in TAXA}
    assert seen(h) == literal(TAXA, call)
    assert list(h.leaves) == ["Pseudomonadota", "Homo sapiens", "Pan troglodytes", "Bacteria <walking sticks>"]
    assert h.has_unary


def test_taxdump__tax_ids_do_without_names():
    h = read_taxdump(io.BytesIO(nodes()), labels="id")
    assert seen(h) == literal(TAXA, {i: str(i) for i, *_ in TAXA})


@pytest.mark.parametrize("root", ["Homininae", "207598", 207598])
def test_taxdump__a_root_of_ones_own(folder, root):
    h = read_taxdump(folder, root=root)
    assert h == Hierarchy.from_nested(["Homo sapiens", "Pan troglodytes"])
    assert (h.names, h.ranks) == (("Homininae",), ("species", "species", "subfamily"))


def test_taxdump__a_root_that_is_a_leaf(folder):
    assert list(read_taxdump(folder, root=9606, labels="id").leaves) == ["9606"]


def test_taxdump__a_root_of_several_taxa_is_asked_back(folder):
    with pytest.raises(ValueError, match="'Bacteria <bacteria>', 'Bacteria <walking sticks>'"):
        read_taxdump(folder, root="Bacteria")
    assert read_taxdump(folder, root="Bacteria <bacteria>").n_leaves == 1


@pytest.mark.parametrize("root", ["Hominine", 4, "4", -7, 10**30])
def test_taxdump__an_unknown_root(folder, root):
    with pytest.raises(UnknownLeafError):
        read_taxdump(folder, root=root)


def test_taxdump__arguments_are_checked(folder):
    with pytest.raises(ValueError, match="labels must be 'name' or 'id', not 'taxid'"):
        read_taxdump(folder, labels="taxid")
    with pytest.raises(TypeError, match="root must be"):
        read_taxdump(folder, root=["Homininae"])


# ---------------------------------------------------------------------- where the files lie


def in_tar(mode, members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def in_zip(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


MEMBERS = [("citations.dmp", b"x" * 3000), ("a/names.dmp", names()), ("a/nodes.dmp", nodes()), ("../evil", b"no")]


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_taxdump__archives(folder, kind):
    mode = {"tar": "w", "tar.gz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}.get(kind)
    content = in_zip(MEMBERS) if kind == "zip" else in_tar(mode, MEMBERS)
    path = folder / "out" / f"taxdump.{kind}"
    path.parent.mkdir()
    path.write_bytes(content)
    h = read_taxdump(folder)
    for source in (path, io.BytesIO(content)):
        again = read_taxdump(source)
        assert (again, again.names, again.ranks) == (h, h.names, h.ranks)
    assert sorted(x.name for x in folder.rglob("*")) == ["names.dmp", "nodes.dmp", "out", path.name]


def test_taxdump__members_packed_one_by_one(folder):
    h = read_taxdump(folder)
    for base in ("nodes.dmp", "names.dmp"):
        (folder / f"{base}.xz").write_bytes(lzma.compress((folder / base).read_bytes()))
        (folder / base).unlink()
    assert read_taxdump(folder) == read_taxdump(folder / "nodes.dmp.xz") == h
    packed = [(x.name, x.read_bytes()) for x in sorted(folder.iterdir())]
    assert read_taxdump(io.BytesIO(in_tar("w", packed))) == h


def test_taxdump__the_file_itself(folder):
    assert read_taxdump(folder / "nodes.dmp") == read_taxdump(str(folder))
    os.rename(folder / "nodes.dmp", folder / "my_nodes.txt")
    assert read_taxdump(folder / "my_nodes.txt", labels="id").n_leaves == 4


def test_taxdump__windows_line_ends_blank_lines_and_no_last_end(folder):
    h = read_taxdump(folder)
    content = nodes().replace(b"\n", b"\r\n\r\n").rstrip()
    (folder / "nodes.dmp").write_bytes(content)
    assert read_taxdump(folder) == h


def test_taxdump__blocks_do_not_show(folder, monkeypatch):
    h = read_taxdump(folder)
    for size in (1, 7, 50, 200):
        monkeypatch.setattr(_dmp, "BLOCK", size)
        again = read_taxdump(folder)
        assert (again, again.names, again.ranks) == (h, h.names, h.ranks)
        with pytest.raises(ParseError) as caught:
            read_taxdump(io.BytesIO(nodes() + b"7\t|\tx\t|\tgenus\t|\t\t|\t8\t|\t0\t|\n"), labels="id")
        assert (caught.value.line, caught.value.column) == (9, 5)


def test_taxdump__a_link_in_an_archive_is_not_followed():
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("nodes.dmp")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(ParseError, match=r"no nodes\.dmp in this archive"):
        read_taxdump(io.BytesIO(stream.getvalue()))


def test_taxdump__missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_taxdump(tmp_path / "nowhere")
    with pytest.raises(ParseError, match=r"no nodes\.dmp .* in this folder"):
        read_taxdump(tmp_path)
    (tmp_path / "nodes.dmp").write_bytes(nodes())
    with pytest.raises(ParseError, match=r"no names\.dmp beside this nodes\.dmp.*labels='id'"):
        read_taxdump(tmp_path)
    with pytest.raises(ParseError, match="two files nodes.dmp"):
        read_taxdump(io.BytesIO(in_tar("w", [("a/nodes.dmp", nodes()), ("b/nodes.dmp", nodes())])))


@pytest.mark.parametrize("content", [in_zip(MEMBERS)[:300], in_tar("w:gz", MEMBERS)[:200], in_tar("w", MEMBERS)[:5000]])
def test_taxdump__damaged_archives(content):
    with pytest.raises(ParseError):
        read_taxdump(io.BytesIO(content))


# ---------------------------------------------------------------------- refusals


def line(*fields):
    return dmp(*fields).encode()


BAD_NODES = [
    (b"", 1, "no taxa in it"),
    (nodes() + line(7, 1, "genus"), 9, "3 fields where the first line has 6"),
    (nodes() + line(7, 1, "genus", "", 8, 0)[:-7], 9, "fields? where the first line has 6|does not end in"),
    (line(1, 1), 1, "2 fields where at least 3 are needed"),
    (b"1 | 1 | no rank |\n", 1, "0 fields where at least 3"),
    (nodes() + line(-7, 1, "genus", "", 8, 0), 9, "'-7' is not a tax id"),
    (nodes() + line("", 1, "genus", "", 8, 0), 9, "'' is not a tax id"),
    (nodes() + line(9606, 1, "genus", "", 8, 0), 9, "tax id 9606 stands twice: it is on line 5 already"),
    (nodes() + line(7, 8, "genus", "", 8, 0), 9, "the parent 8 of tax id 7 is missing"),
    (nodes() + line(7, 7, "genus", "", 8, 0), 9, r"2 roots.*1 \(line 1\) and 7 \(line 9\)"),
    (nodes() + line(7, 8, "g", "", 8, 0) + line(8, 7, "g", "", 8, 0), None, r"cycle: (7 -> 8 -> 7|8 -> 7 -> 8)"),
    (nodes().replace(b"1\t|\t1\t", b"1\t|\t2\t", 1), None, "cycle: (1 -> 2 -> 1|2 -> 1 -> 2)"),
    (nodes().replace(b"species", b"sp\xffcies"), 5, "not UTF-8"),
]


@pytest.mark.parametrize(("content", "at", "message"), BAD_NODES)
def test_taxdump__bad_nodes(content, at, message):
    with pytest.raises(ParseError, match=message) as caught:
        read_taxdump(io.BytesIO(content), labels="id")
    if at is not None and "UTF" not in message:
        assert caught.value.line == at


BAD_NAMES = [
    (names(TAXA[:-1]), "one taxon of nodes.dmp has no scientific name here, tax id 629395$"),
    (names() + line(2, "Eubacteria", "", "scientific name"), "line 17.*a second scientific name for tax id 2"),
    (names() + line(2, "Eubacteria"), "line 17.*2 fields where the first line has 4"),
    (names().replace(b"Homo sapiens\t|\t\t|\tscientific", b"\t|\t\t|\tscientific"), "name of tax id 9606 is empty"),
    (names().replace(b"Homininae", b"Homin\xffae"), "byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize(("content", "message"), BAD_NAMES)
def test_taxdump__bad_names(folder, content, message):
    (folder / "names.dmp").write_bytes(content)
    with pytest.raises(ParseError, match=message) as caught:
        read_taxdump(folder)
    assert caught.value.path.endswith("names.dmp")


def test_taxdump__names_of_other_taxa_do_not_matter(folder):
    (folder / "names.dmp").write_bytes(names() + line(5, "other", "", "scientific name"))
    assert read_taxdump(folder).n_leaves == 4


def test_taxdump__leaves_of_one_name_without_unique_one(folder):
    (folder / "nodes.dmp").write_bytes(nodes() + line(7, 1, "genus", "", 8, 0))
    (folder / "names.dmp").write_bytes(names() + line(7, "Homo sapiens", "", "scientific name"))
    with pytest.raises(DuplicateLeafError, match="take labels='id'") as caught:
        read_taxdump(folder)
    assert caught.value.labels == ["Homo sapiens"]


def test_taxdump__names_instead_of_nodes(folder, tmp_path):
    (tmp_path / "renamed.txt").write_bytes(names())
    packed = tmp_path / "names.dmp.gz"
    packed.write_bytes(gzip.compress(names()))
    for source in (folder / "names.dmp", tmp_path / "renamed.txt", packed, io.BytesIO(names())):
        with pytest.raises(ParseError, match="this is names.dmp.*: give nodes.dmp, or the folder or archive"):
            read_taxdump(source)


def test_taxdump__how_many_tax_ids_are_known(folder):
    with pytest.raises(UnknownLeafError, match="the 8 known ones are '1', '2', '33208', ...$"):
        read_taxdump(folder, root=5, labels="id")


# ---------------------------------------------------------------------- any tree, any text


@given(st.lists(st.integers(0, 30), max_size=30), st.randoms(use_true_random=False))
def test_taxdump__any_tree_in_any_order(picks, random):
    ids = random.sample(range(1, 1000), len(picks) + 1)
    taxa = [(ids[0], ids[0], "no rank", "x")]
    taxa += [(ids[k], ids[p % k], random.choice(["genus", "no rank"]), "x") for k, p in enumerate(picks, 1)]
    random.shuffle(taxa)
    assert seen(read_taxdump(io.BytesIO(nodes(taxa)), labels="id")) == literal(taxa, {i: str(i) for i, *_ in taxa})
    root = random.choice(ids)
    below = {root}
    for _ in taxa:
        below |= {i for i, p, *_ in taxa if p in below}
    part = [(i, i if i == root else p, rank, x) for i, p, rank, x in taxa if i in below]
    h = read_taxdump(io.BytesIO(nodes(taxa)), labels="id", root=root)
    assert seen(h) == literal(part, {i: str(i) for i, *_ in part})


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 30))
def test_taxdump__any_bytes_are_read_or_refused(junk, at, cut):
    content = nodes()
    for text in (junk, content[:at] + junk + content[at + cut :]):
        try:
            h = read_taxdump(io.BytesIO(text), labels="id")
        except TripletreeError:
            continue
        assert h.n_leaves >= 1


def test_taxdump__a_long_chain():
    n = 100_000
    taxa = [(1, 1, "no rank", ""), *((k, k - 1, "clade", "") for k in range(2, n))]
    h = read_taxdump(io.BytesIO(nodes(taxa)), labels="id")
    assert (h.n_nodes, h.n_leaves, list(h.leaves)) == (n - 1, 1, [str(n - 1)])
    assert read_taxdump(io.BytesIO(nodes(taxa)), labels="id", root=n // 2).n_nodes == n // 2


def test_taxdump__as_an_ontology(folder):
    ontology = taxdump_ontology(folder)
    assert ontology.to_hierarchy() == read_taxdump(folder, labels="id")
    assert ontology.names[4] == "Homo sapiens"
    assert ontology.ranks[0] is None


@pytest.mark.shared
def test_taxdump__mammals(shared):
    whole = read_taxdump(shared / "hierarchies" / "ncbi_mammalia", placeholders=False)
    assert (whole.n_leaves, int(whole.depth.max()), int((whole.n_children == 1).sum())) == (9621, 32, 1185)
    assert whole.names[-1] == "root"
    # "unclassified Macaca" and its like are gone, and no triplet says that their members belong together
    h = read_taxdump(shared / "hierarchies" / "ncbi_mammalia")
    kept = set(h.names)
    gone = [u for u, name in enumerate(whole.names, whole.n_leaves) if name not in kept]
    assert whole.n_nodes - h.n_nodes == len(gone) == 392
    triples = []
    for u in gone:
        near = [whole.clade(x)[0] for x in whole.children(u)[:2].tolist()]
        far = next((whole.clade(x)[0] for x in whole.children(int(whole.parent[u])).tolist() if x != u), None)
        if len(near) == 2 and far is not None:
            triples.append((*near, far))
    assert len(triples) > 100
    assert (induce(whole, triples).odd == 2).all()
    assert (induce(h, triples).odd == -1).all()
    apes = read_taxdump(shared / "hierarchies" / "ncbi_mammalia" / "nodes.dmp.xz", root="Hominidae")
    assert {"Pongo abelii", "Pan paniscus"} <= set(apes.leaves)
    assert apes.ranks[-1] == "family"


# ---------------------------------------------------------------------- other names


def test_synonyms__lead_to_the_names_that_the_taxonomy_has(folder):
    extra = [
        dmp(9606, "man", "", "genbank common name"),
        dmp(9606, "Homo sapiens Linnaeus, 1758", "", "authority"),
        dmp(9598, "ape", "", "common name"),
        dmp(9606, "ape", "", "common name"),
        dmp(9606, "holotype 7", "", "type material"),
        dmp(2, "germs", "", "blast name"),
        dmp(77, "gone", "", "synonym"),
    ]
    with (folder / "names.dmp").open("ab") as file:
        file.write("".join(extra).encode())
    found = read_synonyms(folder)
    assert found["man"] == found["old Homo sapiens"] == ["Homo sapiens"]
    assert found["ape"] == ["Pan troglodytes", "Homo sapiens"]
    assert found["old Bacteria"] == ["Bacteria <bacteria>", "Bacteria <walking sticks>"]
    assert not {"holotype 7", "germs", "gone"} & set(found)


def test_synonyms__need_names(folder):
    (folder / "names.dmp").unlink()
    with pytest.raises(ParseError, match=r"no names\.dmp"):
        read_synonyms(folder)
