"""One function for all formats: the recognised format of a source, and that it is then read as such."""

import gzip
import io
import logging
import re
import tarfile
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster import ReCon
from tripletree.core.hierarchy import Hierarchy
from tripletree.datasets import sample_path
from tripletree.errors import NotATreeError, ParseError, TripletreeError
from tripletree.io import (
    FORMATS,
    parse_newick,
    parse_obo,
    read_hierarchy,
    read_lineages,
    read_ontology,
    recognize,
    write_edges,
    write_hierarchy,
    write_json,
    write_lineages,
    write_linkage,
    write_newick,
    write_nexus,
)

TREE = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
NODES = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tgenus\t|\n3\t|\t2\t|\tspecies\t|\n4\t|\t2\t|\tspecies\t|\n"
NAMES = "".join(f"{i}\t|\t{x}\t|\t\t|\tscientific name\t|\n" for i, x in enumerate(["root", "G", "G a", "G b"], 1))
OBO = "format-version: 1.2\n\n[Term]\nid: X:1\nname: top\n\n[Term]\nid: X:2\nis_a: X:1\n\n[Term]\nid: X:3\nis_a: X:1\n"
DIAMOND = OBO + "\n[Term]\nid: X:4\nis_a: X:2\nis_a: X:3\n\n[Term]\nid: X:5\nis_a: X:2\n"

SAMPLES = {
    "newick": ["((a,b),c);", "[&R] ((a,b),c);", " \n[a comment]\n(a,b);", "a;", "'a b';"],
    "nexus": ["#NEXUS\nbegin trees;\ntree t = ((a,b),c);\nend;\n", "#nexus\nbegin trees; tree t=(a,b); end;"],
    "dot": ["digraph { a -> b; a -> c }", "// drawn\nstrict digraph x {\na -> b\n}"],
    "json": ['{"name": "x", "children": ["a", "b"]}', '[["a", "b"], "c"]', "[[1, 2], 3]", '[{"id": "a"}]'],
    "obo": [OBO, "[Term]\nid: X:1\n", "! a comment\n[Term]\nid: X:1\n"],
    "lineages": [
        "k__Bacteria; p__Firmicutes\nk__Bacteria; p__Proteobacteria\n",
        "Feature ID\tTaxon\tConfidence\nf1\tk__A; p__B\t0.9\nf2\tk__A; p__C\t0.9\n",
        "# Google_Product_Taxonomy_Version: 2021-09-21\n1 - Animals\n2 - Animals > Dogs\n3 - Animals > Cats\n",
        "Animals\nAnimals > Dogs\nAnimals > Cats\n",
        "kingdom,family,genus\nAnimalia,Felidae,Felis\nAnimalia,Felidae,Lynx\n",
        "k__Bacteria|p__Firmicutes\nk__Bacteria|p__Proteobacteria\n",
    ],
    "edges": ["child,parent\na,r\nb,r\n", "id\tparent_id\na\tr\nb\tr\n", "a\tr\nb\tr\n", "parent;child\nr;a\nr;b\n"],
    "linkage": ["0 1 0.5 2\n2 3 0.7 3\n", "0,1,0.5,2\n2,3,0.7,3\n"],
    "taxdump": [NODES],
    "phyloxml": [
        '<?xml version="1.0"?>\n<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true"><clade>'
        "<clade><name>a</name></clade><clade><name>b</name></clade></clade></phylogeny></phyloxml>"
    ],
}
ALL = [pytest.param(kind, text, id=f"{kind}-{k}") for kind, texts in SAMPLES.items() for k, text in enumerate(texts)]


@pytest.mark.parametrize(("kind", "text"), ALL)
def test_recognize__by_content(kind, text, tmp_path):
    assert recognize(io.StringIO(text)) == kind
    assert recognize(io.BytesIO(b"\xef\xbb\xbf" + text.encode())) == kind
    (tmp_path / "misleading.nwk.gz").write_bytes(gzip.compress(text.encode()))
    assert recognize(tmp_path / "misleading.nwk.gz") == kind
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.writestr("inside.txt", text)
    assert recognize(tmp_path / "one.zip") == kind


@pytest.mark.parametrize(("kind", "text"), ALL)
def test_read_hierarchy__reads_what_was_recognized(kind, text):
    options = {"labels": "id"} if kind == "taxdump" else {}
    if text in ("[Term]\nid: X:1\n", "! a comment\n[Term]\nid: X:1\n"):
        assert read_hierarchy(io.StringIO(text)).n_leaves == 1
        return
    hierarchy = read_hierarchy(io.StringIO(text), **options)
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy == read_hierarchy(io.StringIO(text), format=kind, **options)


@pytest.mark.parametrize(
    "text",
    ["hello world", "a line; of prose\nanother\n", "x,y,z\n1,2,3\n", "| a | b |\n|---|---|\n", "<a></a>", "", " \n"],
)
def test_recognize__anything_else_is_refused(text):
    with pytest.raises(ParseError):
        recognize(io.StringIO(text))


def test_recognize__triplets_are_told_apart():
    for text in ("a b | c\n", "a,b,c\nx,y,z\n", "# comment\n'a x' b | c | 2\n", "'a x' b | c\n'a x' b | d\n"):
        assert recognize(io.StringIO(text)) == "triplets"
        with pytest.raises(ParseError, match="read_triplets reads them"):
            read_hierarchy(io.StringIO(text))


@pytest.mark.parametrize(
    "text",
    [
        "taxon,belongs_to,weight\ncat,Felidae,1\nlion,Felidae,2\nFelidae,Carnivora,4\n",
        "class,superclass\ncat,felid\nfelid,carn\ndog,carn\n",
    ],
)
def test_recognize__edges_with_words_of_ranks_are_no_lineages(text):
    with pytest.raises(ParseError, match="neither edges nor lineages: .*read_edges"):
        read_hierarchy(io.StringIO(text))


@pytest.mark.parametrize("text", ["a1\tk__B; p__P; c__X\na2\t\n", "a1\tk__B\na2\t\n"])
def test_recognize__lineages_with_an_empty_taxon(text):
    assert recognize(io.StringIO(text)) == "lineages"
    with pytest.warns(UserWarning, match="1 item without a taxon is left out: 'a2'"):
        assert set(read_hierarchy(io.StringIO(text)).leaves) == {"a1"}


def test_recognize__archives_and_folders(tmp_path):
    dump = tmp_path / "dump"
    dump.mkdir()
    (dump / "nodes.dmp").write_text(NODES)
    (dump / "names.dmp").write_text(NAMES)
    with tarfile.open(tmp_path / "dump.tar.gz", "w:gz") as archive:
        for name in ("nodes.dmp", "names.dmp"):
            archive.add(dump / name, name)
    with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
        for name in ("nodes.dmp", "names.dmp"):
            archive.write(dump / name, name)
    for path in (dump, tmp_path / "dump.tar.gz", tmp_path / "dump.zip", dump / "nodes.dmp"):
        assert recognize(path) == "taxdump"
        assert list(read_hierarchy(path).leaves) == ["G a", "G b"]
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    (tmp_path / "folder" / "inside" / "x.txt").write_text("")
    (tmp_path / "folder" / "y.txt").write_text("")
    assert recognize(tmp_path / "folder") == "folder"
    assert read_hierarchy(tmp_path / "folder").n_leaves == 2
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", "x")
        archive.writestr("b.txt", "y")
    with pytest.raises(ParseError, match="an archive of 2 files, none of which is nodes.dmp: 'a.txt', 'b.txt'"):
        recognize(tmp_path / "two.zip")


def test_recognize__a_taxdump_without_nodes_is_not_a_tree_of_files(tmp_path):
    (tmp_path / "names.dmp").write_text("1\t|\troot\t|\t\t|\tscientific name\t|\n")
    with pytest.raises(ParseError, match="no nodes.dmp"):
        read_hierarchy(tmp_path)


def test_recognize__numpy_and_parquet(tmp_path):
    Z = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 3]], float)
    np.save(tmp_path / "z.npy", Z)
    np.savez(tmp_path / "z.npz", linkage=Z)
    for name in ("z.npy", "z.npz"):
        assert recognize(tmp_path / name) == "linkage"
        assert read_hierarchy(tmp_path / name) == from_linkage(Z)
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"child": ["a", "b"], "parent": ["r", "r"]}).to_parquet(tmp_path / "e.parquet")
    assert recognize(tmp_path / "e.parquet") == "edges"
    assert list(read_hierarchy(tmp_path / "e.parquet").leaves) == ["a", "b"]


@pytest.mark.parametrize("write", [write_newick, write_nexus, write_json, write_edges])
def test_read_hierarchy__reads_what_is_written(write):
    assert read_hierarchy(io.StringIO(write(TREE))) == TREE


def test_read_hierarchy__reads_lineages_and_linkages_that_are_written(tmp_path):
    named = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], names=["ab", "all"])
    assert read_hierarchy(io.StringIO(write_lineages(named))) == named
    merged = from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    write_linkage(merged, tmp_path / "z.npy")
    assert read_hierarchy(tmp_path / "z.npy") == merged


def test_read_hierarchy__options_go_to_the_reader():
    assert list(read_hierarchy(io.StringIO(OBO), labels="name").leaves) == ["X:2", "X:3"]
    with pytest.raises(
        TypeError, match="relations: no option of format 'newick', which takes tree, join, outgroup, rooted"
    ):
        read_hierarchy(io.StringIO("(a,b);"), relations=None)
    with pytest.raises(TypeError, match="nonsense: no option of format 'obo', which takes relations, .*parent, labels"):
        read_hierarchy(io.StringIO(OBO), nonsense=1)
    with pytest.raises(ValueError, match="there is no format 'newik'; known are .*newick"):
        read_hierarchy(io.StringIO("(a,b);"), format="newik")


def test_read_hierarchy__several_parents_need_a_choice():
    with pytest.raises(NotATreeError, match="X:4"):
        read_hierarchy(io.StringIO(DIAMOND))
    first = read_hierarchy(io.StringIO(DIAMOND), parent="first")
    assert first == Hierarchy.from_nested([["X:4", "X:5"]]).reindex(first.leaves)


def test_read_ontology__two_readings():
    ontology = read_ontology(io.StringIO(DIAMOND))
    assert ontology == parse_obo(DIAMOND)
    tree = read_ontology(io.StringIO(DIAMOND), mode="tree", parent="first")
    assert tree == ontology.to_hierarchy(parent="first")
    with pytest.raises(NotATreeError):
        read_ontology(io.StringIO(DIAMOND), mode="tree")
    with pytest.raises(ValueError, match="mode must be 'certain' .* or 'tree'"):
        read_ontology(io.StringIO(DIAMOND), mode="both")
    with pytest.raises(ParseError, match="Newick, in which every node has one parent: read_hierarchy reads it"):
        read_ontology(io.StringIO("(a,b);"))
    edges = read_ontology(io.StringIO("child,parent\nx,a\nx,b\na,r\nb,r\n"))
    assert edges.multi_parent == ["x"]
    assert read_ontology(sample_path("cell_types.obo"), relations=None).n_terms == 59


def test_read_hierarchy__says_what_it_took(caplog):
    with caplog.at_level(logging.INFO, logger="tripletree.io"):
        read_hierarchy(io.StringIO("((a,b),c);"))
    assert caplog.messages == ["<stream>: Newick, because it has the brackets or the semicolon of Newick"]


def test_recognize__takes_no_time_over_what_never_ends():
    for text in ("<!" * 2**16, "<!--" * 2**16, "<?" * 2**16, "<" * 2**17, "#" * 2**16, "(" * 2**20, ";" * 2**20):
        with suppress(ParseError):
            recognize(io.StringIO(text))
    for text in ("#", "##\n#", "\n#\n"):
        with pytest.raises(ParseError):
            recognize(io.StringIO(text))
    owl = '<?xml version="1.0"?>\n<!-- <nexml> -->\n<!DOCTYPE rdf:RDF [\n<!ENTITY a "x" >\n]>\n<rdf:RDF xmlns:rdf="y">'
    assert recognize(io.StringIO(owl)) == "owl"


def test_write_hierarchy__by_extension_or_by_name(tmp_path):
    h = parse_newick("((a:1,b:1)x:1,c:2)r;")
    for name, form in FORMATS.items():
        for extension in form.extensions:
            for packed in ("",) if extension == ".npz" else ("", ".gz"):
                path = tmp_path / f"tree{extension.upper()}{packed}"
                write_hierarchy(h, path)
                assert read_hierarchy(path) == h or extension == ".npy", path  # .npy has no labels
                assert recognize(path) == name
    assert write_hierarchy(h, format="newick", names=False, lengths=False) == "((a,b),c);"
    stream = io.StringIO()
    write_hierarchy(h, stream, format="json")
    assert read_hierarchy(io.StringIO(stream.getvalue())) == h


@pytest.mark.parametrize(
    ("path", "options", "error", "message"),
    [
        (None, {}, ValueError, "no file extension to choose a format by; give format=, one of .*newick"),
        ("-", {}, ValueError, "no file extension"),
        ("tree.xyz", {}, ValueError, r"tree.xyz: no format has this extension; .*\.nwk"),
        ("tree.nwk.zip", {}, ValueError, "zip archives are read, not written"),
        (None, {"format": "owl"}, ValueError, "format 'owl' is read, not written; written are .*newick"),
        (None, {"format": "newik"}, ValueError, "format 'newik' is not known"),
        ("tree.nwk", {"sep": ";"}, TypeError, "sep: no option of format 'newick', which takes names, lengths"),
    ],
)
def test_write_hierarchy__refuses_what_it_does_not_know(path, options, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        write_hierarchy(Hierarchy.from_nested(["a", "b"]), path, **options)
    assert list(tmp_path.iterdir()) == []


def test_formats__have_records_that_fit_each_other():
    extensions = [x for form in FORMATS.values() for x in form.extensions]
    assert len(set(extensions)) == len(extensions)
    for name, form in FORMATS.items():
        assert form.name == name
        assert form.read or form.ontology, name
        assert bool(form.write) == bool(form.extensions), name


@given(st.text(max_size=200) | st.sampled_from([x for texts in SAMPLES.values() for x in texts]), st.data())
def test_read_hierarchy__any_text_is_read_or_refused(text, data):
    if text and data.draw(st.booleans()):  # damaged somewhere
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 5)) :]
    with suppress(TripletreeError):
        assert isinstance(read_hierarchy(io.StringIO(text)), Hierarchy)


@given(st.binary(max_size=200))
def test_recognize__any_bytes_are_told_or_refused(content):
    with suppress(TripletreeError):
        assert recognize(io.BytesIO(content)) in {*FORMATS, "triplets"}


def test_recognition__nested_columns_are_named_and_the_command_works():
    text = "plot,stand,valley\np1,U,east\np2,U,east\np3,unknown,west\np4,n/a,west\np5,V,west\n"
    with pytest.raises(ParseError, match="what are the columns 'plot', 'stand', 'valley'") as caught:
        read_hierarchy(io.StringIO(text))
    (call,) = re.findall(r"read_lineages\(path.*\)", str(caught.value).splitlines()[0])
    found = eval(call, {"read_lineages": read_lineages, "path": io.StringIO(text)})
    assert write_newick(found) == "(((p1,p2)U)east,(p3[&incertae_sedis=1],p4[&incertae_sedis=1],(p5)V)west);"
    crossed = text.replace("p5,V", "p5,U")
    with pytest.raises(ParseError, match="not recognised") as caught:
        read_hierarchy(io.StringIO(crossed))
    assert "read_lineages" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "child,parent\ncat,felid\nlion,felid\nfelid,mammal\ndog,mammal\n",
        "id,name,parent_id\n1,all,\n2,left,1\n3,right,1\n4,x,2\n5,y,2\n",
        "prefLabel,broader\ncat,felid\nlion,felid\nfelid,\n",
        "order,family,genus,species\nA,B,C,x\nA,B,C,y\nA,D,E,z\n",
        "species,family,order\nx,B,A\ny,B,A\nz,C,A\n",
        ",family,order\nx,B,A\ny,B,A\nz,C,A\n",
        "Feature ID,Taxon\nf1,k__A; p__B\nf2,k__A; p__C\nf3,k__A; p__C\n",
        "path\n/a/b/c\n/a/b/d\n/a/e\n",
        "code,title\nA,one\nA01,two\nA02,three\nB,four\nB01,five\n",
        "sku,Department,Aisle\n7,Food,Bread\n8,Food,Cheese\n9,Toys,Cars\n",
    ],
)
def test_read_hierarchy__a_data_frame_is_read_as_the_file_that_it_writes(text):
    expected = read_hierarchy(io.StringIO(text))
    frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    frames = [frame.rename(columns={"Unnamed: 0": ""}), pl.from_pandas(frame.rename(columns={"Unnamed: 0": ""}))]
    if len(frame.columns) > 2 and not text.startswith("code"):
        frames.append(frame.set_index(frame.columns[0]).rename_axis(index={"Unnamed: 0": None}))
    for one in frames:
        assert recognize(one) == recognize(io.StringIO(text))
        found = read_hierarchy(one)
        assert found == expected
        assert found.names == expected.names


def test_read_hierarchy__numbers_of_rows_are_no_column_and_frames_of_something_else_are_refused():
    frame = pd.DataFrame({"child": ["x", "y", "z", "w"], "parent": ["z", "z", "w", None]})
    assert read_hierarchy(frame[::-1]).n_leaves == 2
    with pytest.raises(ParseError, match="read_triplets reads them"):
        read_hierarchy(pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}))
    with pytest.raises(ParseError, match="not recognised"):
        read_hierarchy(pd.DataFrame({"kg": [1.5], "cm": [2.5], "age": [3.0]}))


def test_fit__takes_a_table_of_a_taxonomy():
    taxonomy = pd.DataFrame({"family": [*"xxyy"], "genus": [*"uvww"], "species": [*"abcd"]})
    X = pd.DataFrame({"kg": [1.0, 2.0, 3.0, 2.0]}, index=[*"abcd"])
    expected = ReCon(2).fit(X, hierarchy=read_hierarchy(taxonomy)).labels_
    for one in (taxonomy, taxonomy.set_index("species"), pl.from_pandas(taxonomy)):
        assert ReCon(2).fit(X, hierarchy=one).labels_.tolist() == expected.tolist() == [0, 0, 1, 1]
