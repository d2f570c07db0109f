"""Names of one taxon: equivalent and obsolete ids, names with authors, whole numbers, rows that are synonyms."""

import io
import json
import re

import pandas as pd
import pytest
from click.testing import CliRunner

import tripletree as tt
from tripletree.cli import main
from tripletree.core import doubts
from tripletree.core.notes import collected
from tripletree.io import parse_obo, read_edges, read_lineages, read_obograph, read_owl

pytest.importorskip("rapidfuzz")

OBO = """[Term]
id: X:1
name: thing
[Term]
id: X:2
name: cup
alt_id: X:20
equivalent_to: Y:2
equivalent_to: Z:2
is_a: X:1
[Term]
id: Y:2
name: mug
is_a: X:1
[Term]
id: Y:3
is_a: Y:2
[Term]
id: X:3
is_a: X:2
[Term]
id: X:4
is_a: X:1
[Term]
id: X:5
name: beaker
is_obsolete: true
replaced_by: X:6
[Term]
id: X:6
name: goblet
is_obsolete: true
replaced_by: Y:2
[Term]
id: X:7
is_obsolete: true
consider: X:3
"""
WANTED = {"Y:2": "X:2", "Z:2": "X:2", "mug": "X:2", "X:20": "X:2", "X:5": "X:2", "X:6": "X:2"}


def check(o):
    assert sorted(map(str, o.terms)) == ["X:1", "X:2", "X:3", "X:4", "Y:3"]
    assert o.synonyms.items() >= WANTED.items()
    assert bool(tt.displays(o.to_hierarchy(), tt.TripletSet.from_labels([("X:3", "Y:3", "X:4")])))


def test_one_taxon__obo():
    with collected() as notes:
        o = parse_obo(OBO)
    check(o)
    assert {"beaker", "goblet"} <= o.synonyms.keys()
    assert "1 obsolete term has only terms to consider: X:7 (X:3)" in [x.text for x in notes]
    with pytest.warns(UserWarning, match="'X:5' for 'X:2'"):
        assert o.attach({"s": "X:5"}).parents("s") == ["X:2"]
    found = tt.match_names(["X:5", "goblet", "mug", "X:7"], o)
    assert found.matches == ("X:2", "X:2", "X:2", None)
    assert found.kinds[:3] == ("synonym",) * 3
    assert list(parse_obo(OBO, root="X:5").leaves) == ["Y:3", "X:3"]


def test_one_taxon__obograph():
    iri = "http://purl.obolibrary.org/obo/"
    ids = ["X_1", "X_2", "Y_2", "Y_3", "X_3", "X_4"]
    nodes = [{"id": iri + x, "type": "CLASS", "lbl": {"Y_2": "mug"}.get(x, x)} for x in ids]
    for old, new in (("X_5", "X_6"), ("X_6", "Y_2")):
        value = {"pred": iri + "IAO_0100001", "val": iri + new}
        nodes.append({"id": iri + old, "type": "CLASS", "meta": {"deprecated": True, "basicPropertyValues": [value]}})
    nodes[1]["meta"] = {"basicPropertyValues": [{"pred": "hasAlternativeId", "val": "X:20"}]}
    up = {"X_2": "X_1", "Y_2": "X_1", "Y_3": "Y_2", "X_3": "X_2", "X_4": "X_1"}
    edges = [{"sub": iri + x, "pred": "is_a", "obj": iri + y} for x, y in up.items()]
    same = [{"nodeIds": [iri + x for x in ("X_2", "Y_2", "Z_2")]}]
    graph = {"nodes": nodes, "edges": edges, "equivalentNodesSets": same}
    check(read_obograph(io.StringIO(json.dumps({"graphs": [graph]}))))


def test_one_taxon__owl():
    def one(x, more=""):
        return f'<owl:Class rdf:about="http://purl.obolibrary.org/obo/{x}">{more}</owl:Class>'

    def ref(tag, x):
        return f'<{tag} rdf:resource="http://purl.obolibrary.org/obo/{x}"/>'

    def is_a(x):
        return ref("rdfs:subClassOf", x)

    def label(x):
        return f"<rdfs:label>{x}</rdfs:label>"

    gone = "<owl:deprecated>true</owl:deprecated>"
    same = ref("owl:equivalentClass", "Y_2") + f"<owl:equivalentClass>{one('Z_2')}</owl:equivalentClass>"
    alternative = "<oio:hasAlternativeId>X:20</oio:hasAlternativeId>"
    text = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
    xmlns:obo="http://purl.obolibrary.org/obo/"
    xmlns:oio="http://www.geneontology.org/formats/oboInOwl#">{one("X_1")}
    {one("X_2", label("cup") + is_a("X_1") + same + alternative)}
    {one("Y_2", is_a("X_1") + label("mug"))}{one("Y_3", is_a("Y_2"))}{one("X_3", is_a("X_2"))}
    {one("X_4", is_a("X_1"))}{one("X_5", gone + ref("obo:IAO_0100001", "X_6"))}
    {one("X_6", gone + ref("obo:IAO_0100001", "Y_2"))}</rdf:RDF>"""
    check(read_owl(io.StringIO(text)))


EDGES = """taxonID,acceptedNameUsageID,parentNameUsageID,scientificName,taxonomicStatus
1,,,Accipitridae,accepted
2,,1,"Aquila chrysaetos (Linnaeus, 1758)",accepted
3,,1,"Aquila audax Latham, 1801",accepted
4,2,1,"Falco chrysaetos Linnaeus, 1758",synonym
5,4,1,Falco fulvus,synonym
6,,5,Aquila chrysaetos homeyeri,accepted
7,,,Falco ruber,misapplied
"""


def test_one_taxon__rows_with_an_accepted_name_elsewhere():
    with collected() as notes:
        h = read_edges(io.StringIO(EDGES))
    assert list(h.leaves) == ["3", "6"]
    assert dict(h.synonyms) == {"4": "2", "Falco chrysaetos Linnaeus, 1758": "2", "5": "2", "Falco fulvus": "2"}
    labels = "labels are ids, as '3': labels='name' takes names, as 'Aquila audax Latham, 1801'"
    told = [x.text for x in notes if x.topic != "reading"]
    assert told == ["3 rows have an accepted name elsewhere", labels]
    assert doubts(h) == told + ["4 other names of its nodes, as '4'"]


@pytest.mark.parametrize("labels", ["id", "name"])
def test_one_taxon__a_name_of_several_taxa_matches_none(labels):
    rows = """taxonID,acceptedNameUsageID,parentNameUsageID,scientificName,taxonomicStatus
1,,,Aves,accepted
2,,1,Falco niger,accepted
3,,1,Falco albus,accepted
4,2,,Falco minor,synonym
5,3,,Falco minor,misapplied
6,3,,Falco major,pro parte synonym
7,2;3,,Falco rex,pro parte synonym
8,0,1,Falco novus,accepted
"""
    with collected() as notes:
        h = read_edges(io.StringIO(rows), labels=labels)
    assert h.n_leaves == 3  # 0 is no accepted taxon
    found = tt.match_names(["Falco minor", "Falco rex", "Falco major"], h)
    both = ("2", "3") if labels == "id" else ("Falco niger", "Falco albus")
    assert found.matches == (None, None, None)
    assert [set(x) for x in found.suggestions] == [set(both), set(both), {both[1]}]
    assert "3 names lead to several accepted taxa" in [x.text for x in notes]  # the id 7, too
    assert "3 rows are names in part or misapplied, which match none" in [x.text for x in notes]
    for status, match in [
        ("synonym", both[1]),
        ("proparte synonym", None),
        ("in part", None),
        ("misidentification", None),
    ]:
        other = read_edges(io.StringIO(rows.replace("major,pro parte synonym", f"major,{status}")), labels=labels)
        assert tt.match_names(["Falco major"], other).matches == (match,)


def test_one_taxon__authors_on_either_side():
    h = read_edges(io.StringIO(EDGES), labels="name")
    found = tt.match_names(["Aquila audax", "Falco chrysaetos", "Aquila chrysaetos (L.)"], h)
    assert found.matches == ("Aquila audax Latham, 1801", *["Aquila chrysaetos (Linnaeus, 1758)"] * 2)
    assert found.kinds == ("form", "synonym", "species")
    both = tt.parse_newick("('Morus L.','Morus Vieillot, 1816','Sula Brisson, 1760');")
    assert tt.match_names(["Morus", "Sula"], both).kinds == ("ambiguous", "form")


def test_one_taxon__whole_numbers_are_names():
    h = tt.parse_newick("((101,102)1009,103);")
    assert tt.match_names([101, 102.0, 1009, 1.5, True], h).matches == ("101", "102", "1009", None, None)
    assert h.attach({"s": 101, "t": "102", "u": 103}) == tt.parse_newick("((s,t),u);")
    assert list(h.restrict([103, 101]).leaves) == [103, 101]
    whole = tt.Hierarchy([3, 3, 4, 4, -1], [1, 2, 3])
    assert tt.match_names(["1", "3", "03"], whole).matches == (1, 3, None)


CATS = (
    "taxonID,scientificName,parentNameUsageID,acceptedNameUsageID\n1,Felidae,,\n2,Felis,1,\n3,Felis catus,2,\n"
    "4,Felis domesticus,2,3\n5,Panthera,1,\n6,Panthera leo,5,\n7,Felis silvestris,2,\n8,Panthera onca,5,\n"
)


def test_one_taxon__labels_that_are_ids_are_told_where_names_are_asked_for(tmp_path, monkeypatch):
    h = read_edges(io.StringIO(CATS), labels="id")
    advice = "labels are ids, as '3': labels='name' takes names, as 'Felis catus'"
    found = tt.match_names(["Felis catus", "Panthera leo", "Felis domesticus"], h)
    assert str(found) == f"3 names: 1 synonym, 2 none; {advice}"
    X = pd.DataFrame({"x": range(4)}, index=["Felis catus", "Panthera leo", "Panthera onca", "Felis silvestris"])
    with pytest.raises(ValueError, match=re.escape(advice)):
        tt.cluster.ReCon(2).fit(X, hierarchy=h)
    with pytest.raises(ValueError, match=re.escape(advice)):
        tt.report(X, hierarchy=h)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cats.csv").write_text(CATS)
    X.to_csv("x.csv")
    for command in ("cluster x.csv --hierarchy cats.csv -k 2", "report x.csv --know cats.csv --resamples 0"):
        failed = CliRunner().invoke(main, command.split())
        assert failed.exit_code == 2
        assert "; labels are ids, as '3': --labels name takes names, as 'Felis catus'" in failed.stderr
        done = CliRunner().invoke(main, [*command.split(), "--labels", "name"])
        assert done.exit_code == 0, done.output


def test_one_taxon__fits_find_other_names_and_say_so():
    h = read_edges(io.StringIO(CATS), labels="name")
    names = ["Felis domesticus", "Panthera leo", "Panthera onca", "Felis silvestris"]
    X = pd.DataFrame({"x": [9.0, 1, 2, 8]}, index=names)
    with pytest.warns(UserWarning, match="'Felis domesticus' for 'Felis catus'"):
        found = tt.cluster.ReCon(2).fit(X, hierarchy=h)
    assert found.labels_.tolist() == [0, 1, 1, 0]
    both = X.rename(index={"Panthera onca": "Felis catus"})
    with pytest.warns(UserWarning, match="'Felis domesticus' beside 'Felis catus'"):
        tt.cluster.ReCon(2).fit(both, hierarchy=h)


def test_one_taxon__given_synonyms_beside_those_of_the_value():
    h = read_edges(io.StringIO(CATS), labels="name")
    found = tt.match_names(["Felis domesticus", "house cat"], h, synonyms={"house cat": "Felis catus"})
    assert found.matches == ("Felis catus", "Felis catus")
    assert found.kinds == ("synonym", "synonym")


def test_one_taxon__commands_and_the_report_count_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cats.csv").write_text(CATS)
    names = ["Felis domesticus", "Panthera leo", "Panthera onca", "Felis silvestris", "Lynx lynx"]
    (tmp_path / "x.csv").write_text(
        "name,kg\n" + "".join(f"{x},{k}\n" for k, x in zip((3, 190, 6, 7, 8), names, strict=True))
    )
    options = ["--labels", "name"]
    clustered = CliRunner().invoke(main, ["cluster", "x.csv", "--hierarchy", "cats.csv", "-k", "2", *options])
    assert clustered.exit_code == 0, clustered.output
    assert clustered.stdout.startswith("label,cluster\nFelis domesticus,")  # kg 3 and 6 are taxon ids by chance
    assert "1 sample is not in cats.csv" in clustered.stderr
    told = CliRunner().invoke(main, ["report", "x.csv", "--know", "cats.csv", "--resamples", "0", *options])
    assert "4 of the 5 samples have a place in it" in told.stdout
    plain = CliRunner().invoke(main, ["cluster", "x.csv", "--hierarchy", "cats.csv", "-k", "2"])
    assert "has 1 leaf among the 5 labels of DATA" in plain.stderr  # names are looked for, not kg


RANKED = """plant_name_id,taxon_status,family,genus,species,taxon_name,accepted_plant_name_id
1,Accepted,Fagaceae,Quercus,robur,Quercus robur,1
2,Accepted,Fagaceae,Quercus,petraea,Quercus petraea,2
3,Synonym,Fagaceae,Quercus,sessilis,Quercus sessilis,2
4,Accepted,Fagaceae,Fagus,sylvatica,Fagus sylvatica,4
5,Synonym,Fagaceae,Quercus,fagoides,Quercus fagoides,4
6,Misapplied,Fagaceae,Quercus,fagina,Quercus fagina,4
7,Synonym,Fagaceae,Quercus,lost,Quercus lost,99
"""


def test_one_taxon__synonyms_in_tables_of_ranks_are_names_of_their_accepted_taxa():
    with collected() as notes:
        h = read_lineages(io.StringIO(RANKED))
    assert list(h.leaves) == ["Quercus robur", "Quercus petraea", "Fagus sylvatica"]
    assert "4 rows have an accepted name elsewhere" in [x.text for x in notes]
    found = tt.match_names(["Quercus sessilis", "Quercus fagoides", "Quercus fagina"], h)
    assert found.matches == ("Quercus petraea", "Fagus sylvatica", None)
    assert h.synonyms["5"] == "Fagus sylvatica"
    assert "Quercus lost" not in h.synonyms
    whole = tt.read_ontology(io.StringIO(RANKED), format="lineages")
    assert whole.synonyms["Quercus fagoides"] == "Fagaceae; Fagus; Fagus sylvatica"


def test_one_taxon__synonyms_among_items_and_rows_that_stand_at_their_accepted_name():
    rows = """scientificName,acceptedNameUsage,taxonomicStatus,family,genus,species
Quercus robur,,accepted,Fagaceae,Quercus,Quercus robur
Quercus petraea,,accepted,Fagaceae,Quercus,Quercus petraea
Fagus sylvatica,,accepted,Fagaceae,Fagus,Fagus sylvatica
Quercus fagoides,Fagus sylvatica,synonym,Fagaceae,Quercus,Quercus fagoides
Fagus sylvestris,Fagus sylvatica L.,synonym,Fagaceae,Fagus,Fagus sylvatica
"""
    h = read_lineages(io.StringIO(rows))
    assert list(h.leaves) == ["Quercus robur", "Quercus petraea", "Fagus sylvatica", "Fagus sylvestris"]
    assert dict(h.synonyms) == {"Quercus fagoides": "Fagus sylvatica"}
    assert dict(tt.read_ontology(io.StringIO(rows), format="lineages").synonyms) == dict(h.synonyms)
