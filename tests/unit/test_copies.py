"""Copies of a gene: a triplet of species holds whichever copy stands for each of them."""

from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from examples import small_world

import tripletree as tt
from tripletree.algorithms import merge_copies
from tripletree.algorithms.copies import whole_clades
from tripletree.algorithms.supertree import _closed_parts
from tripletree.cli import main
from tripletree.errors import UnknownLeafError


def certain(h, species):
    """The definition: the triplets that the tree of one copy of each displays, for every choice of copies."""
    kinds = sorted(set(species.values()))
    copies = [[x for x in h.leaves if species.get(x) == kind] for kind in kinds]
    common = None
    for chosen in product(*copies):
        name = dict(zip(chosen, kinds, strict=True))
        tree = h.restrict(chosen)
        found = {(frozenset([name[a], name[b]]), name[c]) for a, b, c in tt.algorithms.all_triplets(tree)}
        common = found if common is None else common & found
    return common


def shown(value):
    return {(frozenset([a, b]), c) for a, b, c in tt.algorithms.all_triplets(value)}


@pytest.mark.parametrize("n", [4, 5, 6])
def test_copies__every_choice_of_copies(n):
    rng = np.random.default_rng(n)
    world = small_world(n)
    for k in rng.choice(len(world), min(len(world), 60), replace=False):
        h = tt.Hierarchy.from_nested(world[k])
        species = dict(zip(h.leaves, rng.choice(list("wxyz"), n).tolist(), strict=True))
        wanted = certain(h, species)
        assert shown(merge_copies(h, species)) == wanted
        whole = whole_clades(h, species)
        assert set(whole.leaves) == set(species.values())
        assert shown(whole) <= wanted


def test_copies__leaves_without_a_species_are_left_out_and_none_at_all_is_refused():
    h = tt.parse_newick("((a1,b1)clade,(c1,d1));")
    known = {"a1": "a", "b1": "b", "c1": "c"}
    assert shown(merge_copies(h, known)) == shown(whole_clades(h, known.get)) == {(frozenset("ab"), "c")}
    with pytest.raises(UnknownLeafError):
        merge_copies(h, {"z": "y"})
    with pytest.raises(TypeError, match="species must be a mapping or a function"):
        whole_clades(h, 3)


def test_copies__without_copies_a_tree_stays_as_it_is():
    h = tt.parse_newick("(((a,b),c),(d,(e,f)));")
    assert whole_clades(h, lambda x: x) == h.suppress_unary()


def test_copies__caterpillar():
    n = 20_000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    h = tt.Hierarchy(parent)
    assert whole_clades(h, lambda x: x // 2).n_leaves == n // 2
    # a species at both ends leaves the root alone: each other species has far to go
    spanning = whole_clades(h, lambda x: -1 if x in (0, n - 1) else x // 2)
    assert spanning.n_nodes - spanning.n_leaves == 1


def test_copies__a_supertree_of_genes():
    genes = [tt.parse_newick("(((h1,h2),m1),r1);"), tt.parse_newick("(((h1,m1),m2),f1);")]
    found = tt.supertree(genes, species=lambda gene: gene[0])
    assert found.consistent
    assert tt.write_newick(found.hierarchy, lengths=False) == "(f,(h,m),r);"
    assert list(tt.decompose(genes[0], species={"h1": "h", "h2": "h", "m1": "m", "r1": "r"})) == [("h", "m", "r")]


def test_copies__labels_that_repeat_are_copies_in_an_ontology(tmp_path):
    path = tmp_path / "gene.nwk"
    path.write_text("(((human,mouse),human),(rat,fly));\n")
    with pytest.raises(tt.errors.ParseError, match="read_ontology takes them for copies of one"):
        tt.read_hierarchy(path)
    assert shown(tt.read_ontology(path)) == {
        (frozenset(["human", "mouse"]), "rat"),
        (frozenset(["human", "mouse"]), "fly"),
        (frozenset(["rat", "fly"]), "human"),
        (frozenset(["rat", "fly"]), "mouse"),
    }


def test_copies__in_the_shell(tmp_path):
    (tmp_path / "genes.nwk").write_text("(((h1,h2),m1),r1);\n(((h1,m1),m2),f1);\n")
    table = tmp_path / "species.csv"
    table.write_text("gene,species\nh1,h\nh2,h\nm1,m\nm2,m\nr1,r\nf1,f\n")
    command = ["supertree", str(tmp_path / "genes.nwk"), "--species", str(table)]
    done = CliRunner().invoke(main, command)
    assert (done.exit_code, done.stdout) == (0, "(f,(h,m),r);\n")
    table.write_text("gene,species\nh1,h\nh1,m\n")
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "h1 has the species h, m, where one is needed" in done.output


@pytest.mark.parametrize("n", [4, 5, 6])
def test_supertree__votes_of_open_nodes_are_certain(n):
    rng = np.random.default_rng(n)
    world = small_world(n)
    for k in rng.choice(len(world), min(len(world), 80), replace=False):
        bare = tt.Hierarchy.from_nested(world[k])
        mask = rng.random(bare.n_nodes) < 0.3
        mask[-1] = False
        h = tt.Hierarchy(bare.parent, bare.leaves, incertae_sedis=mask)
        parts = _closed_parts(h)
        votes = [shown(part) for part in parts]
        assert set().union(*votes) <= shown(h)
        assert not any(part.open_leaves for part in parts)
        kept = [x for x in h.leaves if x in parts[-1].leaves]
        assert shown(bare.restrict(kept)) & shown(h) == votes[-1] or len(parts) == 1


def test_supertree__an_open_item_does_not_vote_against_its_neighbours():
    open_one = tt.parse_newick("((a,b)g,x[&incertae_sedis=1],c);")
    other = tt.parse_newick("(((a,x),b),c);")
    against = tt.parse_newick("((b,c),a);")
    found = tt.supertree([*[open_one] * 3, other, against])
    assert not found.consistent
    assert {(frozenset("ax"), "b"), (frozenset("ab"), "c")} <= shown(found.hierarchy)
