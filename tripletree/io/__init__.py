r"""Reading and writing: hierarchies, ontologies and triplets in the formats that people have.

Every reader takes a path, an open file object or ``"-"`` for the standard input, and unpacks gzip, bzip2, xz and zip.
Every writer takes the same (``"-"`` is the standard output), writes aside and renames, so that no half-written file
is ever seen. Without a target it returns the text.

>>> import io
>>> h = read_hierarchy(io.StringIO("((human:6,chimp:6):2,gorilla:8);"))  # whatever the format
>>> h.height.tolist()
[0.0, 0.0, 0.0, 6.0, 8.0]
>>> write_newick(h, lengths=False)
'((human,chimp),gorilla);'

Unreadable input is refused with its place, never repaired in silence:

>>> parse_newick("((human,chimp)),gorilla);")
Traceback (most recent call last):
    ...
tripletree.errors.ParseError: <string>, line 1, column 16: this ',' stands outside of all brackets...
  ((human,chimp)),gorilla);
                 ^

Triplets have a text format of their own, one ``a b | c`` a line (`tripletree.io.triplets` describes
it), and are read from tables with the columns a, b, c and perhaps weight:

>>> t = read_triplets(io.StringIO("human chimp | gorilla"))
>>> write_triplets(t, format="csv")
'a,b,c\nchimp,human,gorilla\n'

=============================  =====================================================
any format
read_hierarchy, recognize      by the content; the name of the format
read_hierarchies               every tree of a file that may hold several
join_hierarchies               trees that share no leaves, below one root
read_support                   a tree and the support of its inner nodes
write_hierarchy                by the extension of the path, or by name
read_ontology                  the same if nodes may have several parents
trees
read_newick, write_newick      Newick; ``parse_newick`` for strings, ``write_newick_all``
read_nexus, write_nexus        NEXUS; ``write_nexus_all``
read_phyloxml, read_nexml      PhyloXML, NeXML
read_json, write_json          nested JSON, lists in each other, flat lists with children
read_linkage, write_linkage    scipy's linkage matrices: .npy, .npz, text
read_dot                       trees as graphs in Graphviz's language
read_folder                    the files below a folder
taxonomies
read_taxdump                   NCBI's taxonomy
read_synonyms                  the other names of its taxa, and of terms of ontologies
read_lineages, write_lineages  paths such as ``k__Bacteria; p__Firmicutes``, ``a > b > c``; columns of ranks
read_edges, write_edges        tables of children and parents
read_icd                       ICD-10-CM
read_codes                     lists of codes that are paths: ATC, ICD, MeSH, ...
ontologies
read_obo, write_obo            OBO; `parse_obo` of a string
read_owl, read_obograph        OWL (RDF/XML), OBO Graphs (JSON)
read_wordnet                   WordNet's nouns
what people know
read_triplets, write_triplets  triplets; `read_triplet_batches` part by part
read_pairs, write_pairs        must-links and cannot-links
read_answers, write_answers    people's replies to "which of these three is the odd one?", and who
append_answer, append_undo     one more of them, safely on disk
forget_person                  all that one person said, removed
export_answers                 the same for cblearn, salmon, R, and with the columns of BIDS
read_odd_one_out               which of three is the odd one, as triplets
read_comparisons               d(a, b) < d(a, c), which is not a triplet
read_annotations               which items belong to which nodes: tables, GAF, GPAD
=============================  =====================================================

Trees of other libraries (networkx, ete3, DendroPy, ...) are the business of `tripletree.interop`.
"""

from __future__ import annotations

from tripletree.io.annotations import read_annotations
from tripletree.io.answer_exports import export_answers
from tripletree.io.answers import (
    append_answer,
    append_undo,
    forget_person,
    read_answers,
    read_odd_one_out,
    write_answers,
)
from tripletree.io.codes import read_codes
from tripletree.io.comparisons import read_comparisons
from tripletree.io.dot import read_dot
from tripletree.io.edges import read_edges, write_edges
from tripletree.io.folders import read_folder
from tripletree.io.forest import join_hierarchies
from tripletree.io.icd import read_icd
from tripletree.io.lineages import read_lineages, write_lineages
from tripletree.io.linkage_files import read_linkage, write_linkage
from tripletree.io.nested_json import read_json, write_json
from tripletree.io.newick import parse_newick, read_newick, write_newick, write_newick_all
from tripletree.io.nexml import read_nexml
from tripletree.io.nexus import read_nexus, write_nexus, write_nexus_all
from tripletree.io.obo import parse_obo, read_obo, write_obo
from tripletree.io.obograph import read_obograph
from tripletree.io.owl import read_owl
from tripletree.io.pairs import read_pairs, write_pairs
from tripletree.io.phyloxml import read_phyloxml
from tripletree.io.registry import (
    FORMATS,
    read_hierarchies,
    read_hierarchy,
    read_ontology,
    read_support,
    read_synonyms,
    recognize,
    write_hierarchy,
)
from tripletree.io.taxdump import read_taxdump
from tripletree.io.triplets import read_triplet_batches, read_triplets, write_triplets
from tripletree.io.wordnet import read_wordnet

__all__ = [
    "FORMATS",
    "append_answer",
    "append_undo",
    "export_answers",
    "forget_person",
    "join_hierarchies",
    "parse_newick",
    "parse_obo",
    "read_annotations",
    "read_answers",
    "read_codes",
    "read_comparisons",
    "read_dot",
    "read_edges",
    "read_folder",
    "read_hierarchies",
    "read_hierarchy",
    "read_icd",
    "read_json",
    "read_lineages",
    "read_linkage",
    "read_newick",
    "read_nexml",
    "read_nexus",
    "read_obo",
    "read_obograph",
    "read_odd_one_out",
    "read_ontology",
    "read_owl",
    "read_pairs",
    "read_phyloxml",
    "read_support",
    "read_synonyms",
    "read_taxdump",
    "read_triplet_batches",
    "read_triplets",
    "read_wordnet",
    "recognize",
    "write_answers",
    "write_edges",
    "write_hierarchy",
    "write_json",
    "write_lineages",
    "write_linkage",
    "write_newick",
    "write_newick_all",
    "write_nexus",
    "write_nexus_all",
    "write_obo",
    "write_pairs",
    "write_triplets",
]
