"""What files say, and what follows: a small file of each kind that is easily taken for more than it says.

Each comes with the triplets that hold however it is meant. The tests read these files, and
``benchmarks/bench_meaning.py`` gives the same files to other packages.
"""

from pathlib import Path
from typing import Any, NamedTuple


class Reading(NamedTuple):
    """A small file, and what follows from it.

    A folder has a name that ends in a slash, and its files stand behind lines such as "== nodes.dmp". `certain` are the
    triplets that hold in every reading, all of them, as "a b | c". A file that is refused has the words of the error
    instead. `options` are those of the reader.
    """

    kind: str
    name: str
    text: str
    leaves: str = ""
    certain: tuple[str, ...] = ()
    refused: str = ""
    options: dict[str, Any] = {}
    ontology: bool = False

    def written(self, folder: Path) -> Path:
        """Write the file into a folder."""
        path = folder / self.name
        if not self.name.endswith("/"):
            path.write_text(self.text, encoding="utf-8")
            return path
        path.mkdir()
        for part in self.text.split("== ")[1:]:
            name, _, text = part.partition("\n")
            (path / name).write_text(text, encoding="utf-8")
        return path


LINEAGES = (
    Reading(
        "items known to an inner taxon",
        "lineages.tsv",
        "Feature ID\tTaxon\nr1\tk__A; p__B; o__C\nr2\tk__A; p__B; o__D\nr3\tk__A; p__E\nr4\tk__A; p__B\nr5\tk__A\n",
        "r1 r2 r3 r4 r5",
        ("r1 r2 | r3", "r1 r4 | r3", "r2 r4 | r3"),
    ),
    Reading(
        "names that are not taxa",
        "lineages.tsv",
        "u1\tB; P; uncultured\nu2\tB; P; uncultured\nv1\tB; P; V\nv2\tB; P; V\nw\tB; W; unclassified W\n",
        "u1 u2 v1 v2 w",
        ("u1 u2 | w", "u1 v1 | w", "u1 v2 | w", "u2 v1 | w", "u2 v2 | w", "v1 v2 | w"),
    ),
    Reading(
        "items without a taxon",
        "lineages.tsv",
        "x\tA; B\ny\tA; B\nz\tA; C\nlost\tUnassigned\nempty\t\n",
        "x y z",
        ("x y | z",),
    ),
    Reading(
        "confidences behind names",
        "final.taxonomy",
        "s1\tB(100);F(100);L(98);\ns2\tB(100);F(97);M(90);\ns3\tB(98);P(88);Q(80);\n",
        "s1 s2 s3",
        ("s1 s2 | s3",),
    ),
    Reading(
        "a classifier's ranks and confidences",
        "rdp.txt",
        "s1\t\tRoot\trootrank\t1.0\tB\tdomain\t1.0\tF\tphylum\t0.98\ns2\t\tRoot\trootrank\t1.0\tB\tdomain\t1.0\tF\t"
        "phylum\t0.88\ns3\t\tRoot\trootrank\t1.0\tB\tdomain\t0.9\tP\tphylum\t0.8\ts\tclass\t.7\n",
        "s1 s2 s3",
        ("s1 s2 | s3",),
    ),
    Reading(
        "ranks, names and percents in turn",
        "blca.txt",
        "s1\tsuperkingdom:B;100.0;phylum:F;97.0;class:L;88.5;\ns2\tsuperkingdom:B;99.0;phylum:F;100.0;\n"
        "s3\tsuperkingdom:B;100.0;phylum:P;80.0;class:Not Available;70.0;\ns4\tUnclassified\n",
        "s1 s2 s3",
        ("s1 s2 | s3",),
    ),
    Reading(
        "the same of another program",
        "sintax.txt",
        "s1\td:B(1.00),p:F(0.98),c:L(0.91)\t+\td:B,p:F\ns2\td:B(1.00),p:F(0.97)\t+\td:B\ns3\td:B(1.00),p:P(.9)\t+\t\ns4\t\t\t\n",
        "s1 s2 s3",
        ("s1 s2 | s3",),
    ),
)

TREES = (
    Reading("marked as unrooted", "tree.nwk", "[&U] (a:1,b:1,(c:1,d:1)95:1);\n", "a b c d"),
    Reading(
        "the same with an outgroup",
        "tree.nwk",
        "[&U] (a:1,b:1,(c:1,d:1)95:1);\n",
        "a b c d",
        ("b c | a", "b d | a", "c d | a", "c d | b"),
        options={"outgroup": "a"},
    ),
    Reading(
        "a block that says so of all its trees",
        "splits.nex",
        "#NEXUS\nbegin trees;\nproperties partialTrees=no rooted=no reticulated=no;\ntranslate 1 'a', 2 'b', 3 'c';\n"
        "[TREES]\n[1] tree 't1'=((1:1,2:1):1,3:2);\nend;\n",
        "a b c",
    ),
    Reading(
        "a tree whose name is a comment",
        "splits.nex",
        "#NEXUS\nbegin trees;\nproperties partialTrees=no rooted=yes;\n[tree1] ((a:1,b:1):1,c:2);\nend;\n",
        "a b c",
        ("a b | c",),
    ),
    Reading(
        "a network",
        "network.nwk",
        "((A:2,(B:1)#H1:1)I1:1,(#H1:1,C:2)I2:1)R;\n",
        refused="a network, in which '#H1' has several parents",
    ),
    Reading(
        "types of viruses in names",
        "tree.nwk",
        "((A,B)'Coxsackievirus(16)',(C,D)'Hepatitis(1)');\n",
        "A B C D",
        ("A B | C", "A B | D", "C D | A", "C D | B"),
    ),
    Reading("two trees", "trees.nwk", "((a,b),c);\n((a,c),b);\n", refused="2 trees where one is expected"),
    Reading(
        "two trees without a common leaf",
        "families.nwk",
        "((a,b),c);\n(d,e);\n",
        "a b c d e",
        (
            *("a b | c", "a b | d", "a c | d", "b c | d", "a b | e", "a c | e", "b c | e"),
            *("d e | a", "d e | b", "d e | c"),
        ),
        options={"join": True},
    ),
    Reading("a length of nan", "tree.nwk", "((a:1,b:1):nan,c:2);\n", "a b c", ("a b | c",)),
    Reading("decimal commas", "tree.nwk", "((a:0,12,b:0,5):0,3,c:1,25);\n", refused="a decimal comma"),
    Reading("support before the length", "tree.nwk", "((a:1,b:2):1.00:0.5,c:3);\n", "a b c", ("a b | c",)),
    Reading(
        "brackets in labels", "tree.nwk", "((x[1].2:1,x[1].3:1):1,y[2].1:1);\n", refused="square brackets are comments"
    ),
    Reading("copies of a gene", "tree.nwk", "((human,mouse),(human,rat));\n", refused="'human' has occurred before"),
    Reading(
        "double quotes in TRANSLATE",
        "trees.nex",
        '#NEXUS\nbegin trees;\ntranslate 1 "n", 2 "o", 3 "p";\ntree t = ((1,2),3);\nend;\n',
        "n o p",
        ("n o | p",),
    ),
    Reading(
        "an unclassified clade",
        "tree.nwk",
        "((u:1,v:1)unclassified_Felidae:1,a:1,(b:1,c:1)Felis:1)Felidae;\n",
        "u v a b c",
        ("b c | a",),
    ),
)

_TERMS = """format-version: 1.2

[Term]
id: T:1

[Term]
id: T:2
is_a: T:1
equivalent_to: S:2

[Term]
id: S:2
is_a: T:1

[Term]
id: T:3
is_a: T:2

[Term]
id: S:3
is_a: S:2

[Term]
id: T:4
is_a: T:1
"""
_PARTS = """format-version: 1.2

[Term]
id: P:body
relationship: has_part P:arm
relationship: has_part P:leg

[Term]
id: P:arm
relationship: has_part P:hand
relationship: has_part P:elbow

[Term]
id: P:hand

[Term]
id: P:elbow

[Term]
id: P:leg

[Typedef]
id: has_part
"""


def _match(relation: str, other: int) -> str:
    return f'<skos:{relation} rdf:resource="http://purl.obolibrary.org/obo/T_{other}"/>'


ONTOLOGIES = (
    Reading("equivalent terms", "terms.obo", _TERMS, "T:3 S:3 T:4", ("T:3 S:3 | T:4",), ontology=True),
    Reading(
        "wholes that name their parts",
        "parts.obo",
        _PARTS,
        "P:hand P:elbow P:leg",
        ("P:hand P:elbow | P:leg",),
        options={"relations": ["has_part"]},
        ontology=True,
    ),
    Reading(
        "parents in a file that was not read",
        "terms.obo",
        "format-version: 1.2\nimport: base.obo\n\n"
        + "".join(
            f"[Term]\nid: {x}\nname: {x}\n{above}\n"
            for x, above in (
                ("T:1", ""),
                ("T:2", "is_a: T:1\n"),
                ("T:3", "is_a: T:1\n"),
                ("T:4", "is_a: B:1\n"),
                ("T:5", "is_a: B:1\n"),
                ("T:6", "is_a: B:2\n"),
            )
        ),
        "T:2 T:3 T:4 T:5 T:6",
        ("T:4 T:5 | T:2", "T:4 T:5 | T:3"),
        ontology=True,
    ),
    Reading(
        "terms that sound unknown",
        "diseases.obo",
        "format-version: 1.2\n\n"
        + "".join(
            f"[Term]\nid: {x}\nname: {name}\n{above}\n"
            for x, name, above in (
                ("D:1", "disease", ""),
                ("D:2", "tumor", "is_a: D:1\n"),
                ("D:3", "unknown primary tumor", "is_a: D:2\n"),
                ("D:4", "a", "is_a: D:3\n"),
                ("D:5", "b", "is_a: D:3\n"),
                ("D:6", "lipoma", "is_a: D:2\n"),
                ("D:7", "tumor, unspecified", "is_a: D:2\n"),
            )
        ),
        "D:4 D:5 D:6 D:7",
        ("D:4 D:5 | D:6",),
        ontology=True,
    ),
    Reading(
        "concepts that match exactly",
        "thesaurus.rdf",
        '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:skos="http://www.w3.org/2004/02/skos/core#">\n'
        + "".join(
            f'<skos:Concept rdf:about="http://purl.obolibrary.org/obo/T_{x}">{inner}</skos:Concept>\n'
            for x, inner in (
                ("0", ""),
                ("1", _match("broader", 0) + _match("exactMatch", 2)),
                ("2", _match("broader", 0)),
                ("3", _match("broader", 0) + '<skos:exactMatch rdf:resource="http://elsewhere/9"/>'),
                *(("4", _match("broader", 1)), ("5", _match("broader", 2)), ("6", _match("broader", 3))),
            )
        )
        + "</rdf:RDF>\n",
        "T:4 T:5 T:6",
        ("T:4 T:5 | T:6",),
        ontology=True,
    ),
    Reading(
        "a term with two parents",
        "edges.csv",
        "child,parent\nmammal,animal\npet,animal\ncat,mammal\ncat,pet\ndog,mammal\ndog,pet\nwhale,mammal\nparrot,pet\n",
        "cat dog whale parrot",
        ontology=True,
    ),
)

TABLES = (
    Reading(
        "synonyms among the rows",
        "taxa.tsv",
        "taxonID\tacceptedNameUsageID\tparentNameUsageID\tscientificName\ttaxonomicStatus\n"
        "1\t\t\tAnimalia\tvalid\n2\t\t1\tFelidae\tvalid\n3\t\t2\tPanthera leo\tvalid\n4\t\t2\tFelis catus\tvalid\n"
        "5\t\t1\tOctopus\tvalid\n6\t3\t1\tFelis leo\tinvalid\n",
        "3 4 5",
        ("3 4 | 5",),
    ),
    Reading(
        "an item without a parent",
        "edges.csv",
        "child,parent\na,x\nb,x\nx,r\nc,r\nlost,NA\n",
        "a b c lost",
        ("a b | c",),
    ),
    Reading(
        "the same as an ontology",
        "edges.csv",
        "child,parent\na,x\nb,x\nx,r\nc,r\nlost,NA\n",
        "a b c lost",
        ("a b | c",),
        ontology=True,
    ),
    Reading(
        "sections before the numbers of their classes",
        "nace.csv",
        "code,name\nA,farms\n01,crops\n01.1,oats\n02,woods\nB,mines\n05,coal\n",
        "01.1 02 05",
        ("01.1 02 | 05",),
    ),
    Reading(
        "codes",
        "codes.csv",
        "code,name\nA,a\nA01,b\nA01AA,c\nA01AB,d\nC,e\nC07AB,f\n",
        "A01AA A01AB C07AB",
        ("A01AA A01AB | C07AB",),
    ),
    Reading(
        "whole numbers as names", "edges.csv", "child,parent\n11,1\n12,1\n1,0\n13,0\n", "11 12 13", ("11 12 | 13",)
    ),
)

_NODES = [(1, 1, "root"), (2, 1, "Felidae"), (3, 2, "Felis"), (4, 2, "unclassified Felidae"), (5, 3, "Felis catus")]
_NODES += [(6, 3, "Felis chaus"), (7, 4, "Felidae x1"), (8, 4, "Felidae x2"), (9, 1, "Octopus")]
DUMPS = (
    Reading(
        "a node that is not a taxon",
        "taxdump/",
        "== nodes.dmp\n"
        + "".join(f"{k}\t|\t{above}\t|\tno rank\t|\n" for k, above, _ in _NODES)
        + "== names.dmp\n"
        + "".join(f"{k}\t|\t{name}\t|\t\t|\tscientific name\t|\n" for k, _, name in _NODES)
        + "== merged.dmp\n10\t|\t5\t|\n",
        "5 6 7 8 9",
        ("5 6 | 9", "5 7 | 9", "5 8 | 9", "6 7 | 9", "6 8 | 9", "7 8 | 9"),
        options={"labels": "id"},
    ),
)

READINGS = (*LINEAGES, *TREES, *ONTOLOGIES, *DUMPS, *TABLES)
