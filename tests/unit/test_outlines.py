"""Tables of hierarchies under headers that readers do not know: what is read, what is told, and what is asked."""

import io
import re
import shlex

import pytest
from click.testing import CliRunner

from tripletree import parse_newick, write_newick
from tripletree.cli import main
from tripletree.core.notes import collected
from tripletree.errors import ParseError
from tripletree.io import read_annotations, read_edges, read_hierarchy, read_lineages, recognize

#: A file, the tree, and the line that tells how it was read.
READ = [
    (
        "Bereich;Gruppe;Artikel\nObst;Kern;Apfel\nObst;Kern;Quitte\nObst;Stein;Kirsche\nGemüse;Kohl;Wirsing\n",
        "(((Apfel,Quitte)Kern,(Kirsche)Stein)Obst,((Wirsing)Kohl)Gemüse);",
        "read 4 rows: 'Bereich' above 'Gruppe' above 'Artikel'",
    ),
    (
        "Artikel;Gruppe;Bereich\nApfel;Kern;Obst\nQuitte;Kern;Obst\nKirsche;Stein;Obst\nWirsing;Kohl;Gemüse\n",
        "(((Apfel,Quitte)Kern,(Kirsche)Stein)Obst,((Wirsing)Kohl)Gemüse);",
        "read 4 rows: 'Bereich' above 'Gruppe' above 'Artikel'",
    ),
    (
        "Produit,Rayon\nPêche,Fruits\nFigue,Fruits\nNavet,Légumes\n",
        "((Pêche,Figue)Fruits,(Navet)Légumes);",
        "read 3 rows: 'Rayon' above 'Produit'",
    ),
    (
        "SKU;Hauptgruppe;Untergruppe;Preis\n7;Garten;Rasen;9,90\n8;Garten;Rasen;5,00\n9;Garten;Beet;1,50\n",
        "((7,8)Rasen,(9)Beet)Garten;",
        "read 3 rows: 'Hauptgruppe' above 'Untergruppe' above 'SKU'; not used: 'Preis'",
    ),
    (
        "continent,country,city,people\nAsia,Nepal,Patan,30\nAsia,Nepal,Lalit,20\nAsia,Laos,Pakse,10\nAfrica,Chad,Abeche,9\n",
        "(((Patan,Lalit)Nepal,(Pakse)Laos)Asia,((Abeche)Chad)Africa);",
        "read 4 rows: 'continent' above 'country' above 'city'; not used: 'people'",
    ),
    (
        "product_id,category_path\n11,Home > Bath\n12,Home > Bath\n13,Toys > Balls\n",
        "(((11,12)Bath)Home,((13)Balls)Toys);",
        "read 3 rows: 'category_path', names between '>', items in 'product_id'",
    ),
    (
        "Ware;Kategorie\nSieb;Küche / Klein\nReibe;Küche / Klein\nHerd;Küche / Groß\nBett;Schlafen / Groß\n",
        "(((Sieb,Reibe)Klein,(Herd)Groß)Küche,((Bett)Groß)Schlafen);",
        "read 4 rows: 'Kategorie', names between '/', items in 'Ware'",
    ),
    (
        "family,genus,species,author\nFagaceae,Quercus,robur,L.\nPinaceae,Pinus,nigra,A.\nSalicaceae,Populus,nigra,L.\n",
        "((('Quercus robur')Quercus)Fagaceae,(('Pinus nigra')Pinus)Pinaceae,(('Populus nigra')Populus)Salicaceae);",
        "read 3 rows: 'family' above 'genus' above 'species'; not used: 'author'",
    ),
    (
        "Oberbegriff;Unterbegriff\nHolz;Eiche\nHolz;Ahorn\nStoff;Holz\nStoff;Blech\n",
        "((Eiche,Ahorn)Holz,Blech)Stoff;",
        "read 4 rows: 'Unterbegriff' below 'Oberbegriff'",
    ),
    (
        "Mitarbeiter;Vorgesetzter\nLuz;Eva\nPaz;Eva\nEva;Sol\nRey;Sol\n",
        "((Luz,Paz)Eva,Rey)Sol;",
        "read 4 rows: 'Mitarbeiter' below 'Vorgesetzter'",
    ),
    (
        "subject,predicate,object\nox,rdfs:subClassOf,beast\nelk,rdfs:subClassOf,beast\nox,eats,hay\nbeast,rdfs:subClassOf,being\n",
        "((ox,elk)beast)being;",
        "read 4 rows: 'subject' below 'object'",
    ),
    (
        "source,target,type\nox,beast,is_a\nelk,beast,is_a\nhen,bird,is_a\n",
        "((ox,elk)beast,(hen)bird);",
        "read 3 rows: 'source' below 'target'",
    ),
    (
        "subject,predicate,object\nbike,has part,wheel\nbike,has part,frame\nspoke,part of,wheel\nrim,part of,wheel\n",
        "(frame,(spoke,rim)wheel)bike;",
        "read 4 rows: 'subject' below 'object', or above where 'predicate' says so",
    ),
    (
        "#OTU ID,s1,s2,taxonomy\nO1,3,4,k__A;p__B\nO2,0,4,k__A;p__B\nO3,9,1,k__A;p__C\n",
        "((O1,O2)p__B,(O3)p__C)k__A;",
        "read 3 rows: 'taxonomy', names between ';', items in 'OTU ID'; not used: 's1', 's2'",
    ),
]


@pytest.mark.parametrize(("text", "newick", "told"), READ)
def test_outlines__read_and_told(text, newick, told, tmp_path):
    with collected() as notes:
        found = read_hierarchy(io.StringIO(text))
    assert write_newick(found) == newick
    assert told in [x.text for x in notes if x.topic == "reading"]
    (tmp_path / "f.csv").write_text(text, encoding="utf-8")
    reader = read_edges if recognize(tmp_path / "f.csv") == "edges" else read_lineages
    assert write_newick(reader(tmp_path / "f.csv")) == newick


#: A file, and the trees of the calls that its error prints, in their order.
ASKED = [
    ("Garten;Rasen;Mäher\nObst;Kern;Apfel\nObst;Kern;Quitte\nObst;Stein;Kirsche\nGemüse;Kohl;Wirsing\n", [4, 5]),
    ("tip,clade\na,C1\nb,C1\nc,C2\nd,C2\n", [4, 5]),
    ("kategori,vare\nMat,Loff\nMat,Melk\nMat,Ost\nSko,Hæl\n", [4, 5]),
    ("to,from\nA,root\nB,root\na,A\nb,A\n", [3, 4]),
    ("start,stop\nA,B\nB,C\nC,D\n", [1, 1, None, None]),
    ("subject,predicate,object\nfox,eats,hen\nowl,eats,vole\nhen,eats,corn\n", [2, None]),
    ("plot,stand,valley\np1,U,east\np2,U,east\np3,V,west\np4,W,west\np5,V,west\n", [5]),
    ("konto;text;oben\n1;Aktiva;\n10;Kasse;1\n11;Bank;1\n2;Passiva;\n20;Kapital;2\n21;Kredit;2\n", [4]),
]


@pytest.mark.parametrize(("text", "leaves"), ASKED)
def test_outlines__asked_with_calls_that_work(text, leaves):
    with pytest.raises(ParseError) as caught:
        read_hierarchy(io.StringIO(text))
    calls = re.findall(r"read_(?:lineages|edges)\([^()]*\)", str(caught.value))
    assert len(calls) == len(leaves)
    for call, n in zip(calls, leaves, strict=True):
        found = eval(call, {"read_lineages": read_lineages, "read_edges": read_edges, "path": io.StringIO(text)})
        assert n is None or found.n_leaves == n


def test_outlines__columns_that_are_named_tell_the_format():
    text = "Produkt;Kategorie\nSieb;Küche\nReibe;Küche\nBett;Schlafen\n"
    wanted = "((Sieb,Reibe)Küche,(Bett)Schlafen);"
    assert write_newick(read_hierarchy(io.StringIO(text))) == wanted
    found = read_hierarchy(io.StringIO(text), child_column="Produkt", parent_column="Kategorie")
    assert write_newick(found) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "name;x;y\na;1;2\nb;3;4\nc;5;6\n",  # numbers
        "word1,word2,word3\nox,elk,hen\nelk,ox,hen\n",  # items of a question
        "name1,name2,type\nox,elk,same\nhen,cod,other\nowl,elk,same\nauk,cod,other\n",  # pairs
        "ID;Gewicht;Farbe\n1;10;rot\n2;12;rot\n3;11;blau\n",
    ],
)
def test_outlines__other_tables_are_no_hierarchies(text):
    with pytest.raises(ParseError, match="not recognised"):
        read_hierarchy(io.StringIO(text))


@pytest.mark.parametrize(
    ("text", "want", "told"),
    [
        ("Tier;Familie\nrex;Canidae\ntom;Felidae\n", {"rex": ["Canidae"], "tom": ["Felidae"]}, "items in 'Tier'"),
        ("GO:1,g1\nGO:2,g1\nGO:1,g2\n", {"g1": ["GO:1", "GO:2"], "g2": ["GO:1"]}, "items in 1, nodes in 0"),
        ("gene\tterms\ng1\tGO:1,GO:2\ng2\tGO:1\n", {"g1": ["GO:1", "GO:2"], "g2": ["GO:1"]}, "between ','"),
        (
            "Familie;Tier\nCanidae;rex\nFelidae;tom\nFelidae;kit\n",
            {"rex": ["Canidae"], "tom": ["Felidae"], "kit": ["Felidae"]},
            "items in 'Tier', nodes in 'Familie'",
        ),
    ],
)
def test_annotations__roles_by_names_and_data(text, want, told):
    with collected() as notes:
        assert read_annotations(io.StringIO(text)) == want
    assert any(told in x.text for x in notes if x.topic == "reading")


@pytest.mark.parametrize(("text", "leaves"), ASKED)
def test_outlines__asked_with_options_that_work(text, leaves, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text(text, encoding="utf-8")
    asked = CliRunner().invoke(main, ["convert", "f.csv", "--to", "newick"])
    assert asked.exit_code == 2
    ways = re.findall(r"--from \w+(?: -O (?:'[^']*'|[^\s;'])+)+", asked.output)
    assert len(ways) == len(leaves)
    for way, n in zip(ways, leaves, strict=True):
        done = CliRunner().invoke(main, ["convert", "f.csv", "--to", "newick", *shlex.split(way)])
        assert n is None or done.exit_code == 0, done.output
        assert n is None or parse_newick(done.stdout).n_leaves == n


@pytest.mark.parametrize("name", ["L{}", "level_{}", "Ebene {}", "Category{}"])
def test_outlines__levels_by_number_of_which_some_end_early(name):
    names = [name.format(k) for k in (1, 2, 3)]
    rows = [
        "Tools,,",
        "Tools,Saws,",
        "Tools,Saws,Hand saw",
        "Tools,Saws,Band saw",
        "Tools,Nails,",
        "Food,,",
        "Food,Rye,",
    ]
    h = read_hierarchy(io.StringIO("\n".join([",".join(names), *rows])))
    assert write_newick(h) == "((('Hand saw','Band saw')Saws,Nails)Tools,(Rye)Food);"
    gap = read_hierarchy(io.StringIO("\n".join([",".join(names), *rows, "Food,,Bun"])))
    assert gap.open_leaves == ["Bun"]  # somewhere in Food


def test_outlines__paths_with_dots_before_their_titles():
    lines = "path,title\nroot.a,A\nroot.a.x,X\nroot.a.y,Y\nroot.b,B\nroot.b.z,Z\nroot,R\n"
    assert write_newick(read_hierarchy(io.StringIO(lines))) == "((x,y)a,(z)b)root;"
