"""Headers of ranks in other languages, in any order."""

import contextlib
import io

import pytest

from tripletree.io import read_hierarchy, write_newick

ROWS = (
    "Panthera;Panthera leo;Felidae\nPanthera;Panthera onca;Felidae\nFelis;Felis catus;Felidae\n"
    "Canis;Canis lupus;Canidae\n"
)
ENGLISH = write_newick(read_hierarchy(io.StringIO("genus;species;family\n" + ROWS)))


@pytest.mark.parametrize(
    "head", ["Gattung;Art;Familie", "Genre;Espèce;Famille", "GÉNERO;ESPECIE;FAMILIA", "Genus;species;Familie"]
)
def test_read_hierarchy__ranks_of_other_languages_are_a_lineage_header(head):
    found = read_hierarchy(io.StringIO(f"{head}\n{ROWS}"))
    assert write_newick(found) == ENGLISH
    assert {x for x in found.ranks if x} == {"family", "genus", "species"}


@pytest.mark.parametrize("head", ["title;genre;classe", "Stamm;Art;x"])
def test_read_hierarchy__words_with_other_meanings_alone_are_no_ranks(head):
    ranks = None
    with contextlib.suppress(ValueError):
        ranks = read_hierarchy(io.StringIO(f"{head}\n{ROWS}")).ranks
    assert {"genus", "class", "phylum", "species"}.isdisjoint(ranks or ())
