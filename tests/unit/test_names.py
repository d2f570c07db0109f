"""match_names: how names that are written otherwise find their taxa, and that nothing is matched in silence."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tripletree.errors import UnknownLeafError

pytest.importorskip("rapidfuzz")

CARNIVORES = tt.parse_newick(
    "((Felis_catus,(Panthera_leo,Panthera_tigris))Felidae,"
    "((Mustela_nivalis,Mustela_erminea,Neogale_vison)Mustelidae,(Canis_lupus,Vulpes_vulpes)Canidae));"
)


def found(name, **options):
    result = tt.match_names([name], CARNIVORES, **options)
    return result.matches[0], result.kinds[0]


@pytest.mark.parametrize(
    ("name", "match", "kind"),
    [
        ("Felis_catus", "Felis_catus", "exact"),
        ("Felidae", "Felidae", "exact"),
        ("felis  CATUS", "Felis_catus", "form"),
        ("'Félis catus'", "Felis_catus", "form"),
        ("Canis lupus familiaris", "Canis_lupus", "species"),
        ("Canis lupus Linnaeus, 1758", "Canis_lupus", "species"),
        ("Panthera tigirs", None, "genus"),  # two letters of six differ
        ("Panthera tigri", "Panthera_tigris", "spelling"),
        ("Pantera tigri", "Panthera_tigris", "spelling"),
        ("Mustella ermineaa", "Mustela_erminea", "spelling"),
        ("Mustelaerminea", "Mustela_erminea", "spelling"),
        ("Vulpes lagopus", "Vulpes_vulpes", "genus"),
        ("Ursus arctos", None, "none"),
        ("Felida", "Felidae", "spelling"),
    ],
)
def test_names__kinds(name, match, kind):
    if kind == "genus" and match is None:
        match = "Panthera"  # the ancestor of both had no name
    assert found(name) == (match, kind)


def test_names__a_similar_species_is_another_species():
    result = tt.match_names(["Mustela vison", "Mustela nivalus"], CARNIVORES)
    assert result.kinds == ("none", "spelling")
    assert result.matches[1] == "Mustela_nivalis"
    assert result.suggestions[0][0] == "Neogale_vison"  # the species was moved there


def test_names__synonyms_come_before_spelling():
    assert found("Mustela vison", synonyms={"Mustela vison": "Neogale vison"}) == ("Neogale_vison", "synonym")
    older = {"Mustela vison": ["Neogale vison"]}
    assert found("mustela_vison energumenos", synonyms=older) == ("Neogale_vison", "species")
    both = {"weasel": ["Mustela nivalis", "Mustela erminea"]}
    result = tt.match_names(["weasel"], CARNIVORES, synonyms=both)
    assert (result.matches, result.kinds) == ((None,), ("ambiguous",))
    assert set(result.suggestions[0]) == {"Mustela_nivalis", "Mustela_erminea"}


def test_names__two_that_are_as_near_match_neither():
    h = tt.parse_newick("((abcdefx,abcdefy),c);")
    result = tt.match_names(["abcdefz", "abcdef"], h)
    assert result.kinds == ("ambiguous", "ambiguous")
    assert set(result.suggestions[0]) == {"abcdefx", "abcdefy"}
    h = tt.parse_newick("((Aa_b,aa_B),c);")
    assert tt.match_names(["AA B"], h).kinds == ("ambiguous",)


def test_names__a_genus_is_its_named_node_or_the_parent_of_all_its_leaves():
    h = tt.parse_newick("(((Aus_bus,Aus_cus)Aus,(Xus_bus,Xus_cus)),(Yus_bus,(Zus_bus,Yus_cus)));")
    result = tt.match_names(["Aus dddd", "Xus dddd", "Yus dddd"], h)
    assert result.kinds == ("genus", "genus", "none")
    assert result.matches == ("Aus", "Xus", None)
    assert h.names.count(None) == 5  # the caller's is not touched
    assert result.hierarchy == h
    found = tt.match_names(["Aus bus", "Aus cus", "Aus dddd", "Yus dddd", "Zus bus", "Xus bus"], h)
    attached = found.attach()
    assert attached.open_leaves == ["Aus dddd"]
    attached = attached._but(incertae_sedis=None)
    expected = [[["Aus bus", "Aus cus", "Aus dddd"], "Xus bus"], "Zus bus"]
    assert attached == tt.Hierarchy.from_nested(expected)


def test_names__a_first_word_that_says_nothing_places_nothing():
    """If all names begin alike, or the leaves of a genus have clades, a place would be invented."""
    h = tt.parse_newick("(((patient_a,patient_b),(patient_c,patient_d)),(patient_e,patient_f));")
    assert tt.match_names(["patient a", "patient zeta", "subject a"], h).matches == ("patient_a", None, None)


def test_names__min_score():
    assert found("Panthera tigri", min_score=1)[1] == "genus"
    assert found("Panthera tigirs", min_score=0.6) == ("Panthera_tigris", "spelling")
    for wrong in (-0.1, 1.5, True):
        with pytest.raises(ValueError, match="min_score must be between 0 and 1"):
            found("a", min_score=wrong)


def test_names__are_taken_once_and_need_not_be_text():
    h = tt.Hierarchy([3, 3, 4, 4, -1], [1, 2, "c"])
    result = tt.match_names([1, "c", 1, 7, None], h)
    assert result.names == (1, "c", 7, None)
    assert result.matches == (1, "c", None, None)
    assert result.unmatched == [7, None]
    with pytest.raises(ValueError, match="names is empty"):
        tt.match_names([], h)
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        tt.match_names(["a"], "tree.nwk")
    with pytest.raises(UnknownLeafError):
        tt.match_names(["zz"], h).attach()


def test_names__a_similar_name_of_the_same_genus_is_offered_before_other_genera():
    h = tt.parse_newick("((Proteles_cristata,Hyaena_hyaena),(Sus_cristatus,Pavo_cristatus));")
    result = tt.match_names(["Proteles cristatus"], h, min_score=0.9)
    assert result.suggestions[0][0] == "Proteles_cristata"


def test_names__what_is_refused():
    for names in (None, 5, b"Felis"):
        with pytest.raises(TypeError, match="names must be an iterable of names"):
            tt.match_names(names, CARNIVORES)
    for synonyms in (["wolf"], "taxdump/", {"wolf": None}, {"wolf": ["Canis lupus", 3]}, {1: "Canis lupus"}):
        with pytest.raises(TypeError, match="synonyms must"):
            tt.match_names(["wolf"], CARNIVORES, synonyms=synonyms)
    for score in ("high", None, True, float("nan")):
        with pytest.raises(ValueError, match="min_score must be between 0 and 1"):
            tt.match_names(["wolf"], CARNIVORES, min_score=score)
    with pytest.raises(TypeError, match="choices must be a mapping"):
        tt.match_names(["wolf"], CARNIVORES).choose(["Canis_lupus"])


def test_names__a_table_is_not_a_list_of_names():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"kg": [4]}, index=["felis catus"])
    with pytest.raises(TypeError, match="the index or one column of a table, not DataFrame"):
        tt.match_names(table, CARNIVORES)
    assert tt.match_names(table.index, CARNIVORES).matches == ("Felis_catus",)


def test_names__without_a_letter_match_nothing():
    result = tt.match_names(["", "  ", "'", "_", "felis catus"], CARNIVORES)
    assert result.kinds == ("none",) * 4 + ("form",)


def test_names__choices_of_a_person():
    result = tt.match_names(["Ursus arctos", "Panthera leo", "Vulpes lagopus"], CARNIVORES)
    mine = result.choose({"Ursus arctos": "Mustelidae", "Vulpes lagopus": None, "Panthera leo": "Panthera_leo"})
    assert mine.matches == ("Mustelidae", "Panthera_leo", None)
    assert mine.kinds == ("chosen", "form", "none")
    assert result.matches[0] is None
    with pytest.raises(UnknownLeafError, match="Bear"):
        result.choose({"Ursus arctos": "Bear"})
    with pytest.raises(UnknownLeafError, match="Ursus"):
        result.choose({"Ursus": "Felidae"})


def test_names__the_table_says_all():
    pytest.importorskip("pandas")
    frame = tt.match_names(["Ursus arctos", "Panthera leo"], CARNIVORES).to_frame()
    assert list(frame.columns) == ["name", "match", "kind", "score", "suggestions"]
    assert frame["kind"].tolist() == ["none", "form"]
    assert frame["score"].tolist() == [0.0, 1.0]


def test_names__another_number_is_another_name():
    samples = tt.Hierarchy.from_nested([["sample0101", "sample0102"], "sample2001b"])
    result = tt.match_names(["sample0103", "sampel0102", "sample2001"], samples)
    assert result.matches == (None, "sample0102", "sample2001b")
    assert result.suggestions[0] == ()  # ids that differ in the number only are no misspellings


def test_names__ids_with_a_number_are_neither_misspelt_nor_a_genus():
    h = tt.parse_newick("((ASV1,ASV2),(ASV13,ASV14),(OTU_7,OTU_17),'Otu 0007');")
    found = tt.match_names(["ASV12", "OTU_8", "Otu 8", "ASV1", "asv13"], h)
    assert found.kinds == ("none", "none", "none", "exact", "form")
    assert found.suggestions == ((),) * 5
    quercus = tt.parse_newick("(('Quercus robur','Quercus rubra'),Fagus);")
    assert tt.match_names(["Quercus sp2"], quercus).kinds == ("genus",)


def test_names__an_abbreviated_genus_is_a_suggestion_where_one_species_fits():
    h = tt.parse_newick("((('Quercus robur','Quercus rubra')Quercus,'Quararibea robur'),('Acer rubrum',Acer_alba));")
    found = tt.match_names(["Q. rubra", "Q. robur", "A. rubra", "A. alba", "Q rubra"], h)
    assert found.matches == (None,) * 5
    assert found.kinds == ("none", "ambiguous", "none", "none", "none")
    both = ("Quercus robur", "Quararibea robur")
    assert found.suggestions == (("Quercus rubra",), both, (), ("Acer_alba",), ("Quercus rubra",))


def test_names__choices_in_another_form_by_a_path_and_by_other_names():
    food = tt.parse_newick("((rye,wheat)Bread,(cod,eel)Fish,(oat,corn)Bread2)Food;")
    found = tt.match_names(["loaf", "x"], food)
    assert found.choose({"loaf": "Food > Bread"}).matches[0] == "Bread"
    numbers = tt.parse_newick("((101,102),103);")
    for name, taxon in ((999, "102"), ("999", 102), (999.0, 102.0)):
        assert tt.match_names([101, 999], numbers).choose({name: taxon}).matches == ("101", "102")
    o = tt.Ontology(["1", "2", "3"], [(1, 0), (2, 0)], names=["thing", "cat", "dog"], synonyms={"tom": "2"})
    assert tt.match_names(["x", "y"], o).choose({"x": "Tom", "y": 3}).matches == ("2", "3")


@given(st.randoms(use_true_random=False), st.sampled_from(["mammals", "primates", "animals"]))
def test_law__case_and_underscores_never_change_the_taxon(rng, sample):
    h = tt.datasets.load_hierarchy(sample)
    leaves = list(h.leaves)
    label = rng.choice(leaves)
    name = "".join(x.swapcase() if rng.random() < 0.3 else rng.choice("_ ") if x in "_ " else x for x in label)
    result = tt.match_names([name], h)
    assert result.matches == (label,) or result.kinds == ("ambiguous",)
    assert result.kinds[0] in ("exact", "form", "ambiguous")


def test_law__one_wrong_letter_finds_the_taxon_or_says_that_it_does_not():
    h = tt.datasets.load_hierarchy("mammals")
    rng = random.Random(5)
    labels = [x for x in h.leaves if min(map(len, x.split("_"))) >= 6]
    wrong = {}
    for label in labels:
        at = rng.choice([i for i, x in enumerate(label) if x != "_"])
        wrong[label[:at] + "q" + label[at + 1 :]] = label
    result = tt.match_names(wrong, h)
    for name, match, kind in zip(result.names, result.matches, result.kinds, strict=True):
        assert match == wrong[name] or kind in ("ambiguous", "genus", "none")
    assert sum(kind == "spelling" for kind in result.kinds) > 0.9 * len(labels)


def test_names__a_taxon_with_its_own_name_in_the_table_is_no_misspelt_one():
    h = tt.parse_newick("((Bus_hesperus,Bus_arcticus)Bus,Panthera_tigris);")
    assert tt.match_names(["Bus hesperidus"], h).kinds == ("spelling",)
    for own in ("Bus hesperus", "Bus_hesperus"):
        found = tt.match_names(["Bus hesperidus", own, "Pantera tigri"], h)
        assert found.matches == ("Bus", "Bus_hesperus", "Panthera_tigris")
        assert found.kinds[::2] == ("genus", "spelling")
        assert found.suggestions[0][0] == "Bus_hesperus"


def test_names__several_of_one_taxon_are_told():
    found = tt.match_names(["Canis lupus familiaris", "canis lupus", "Vulpes lagopus", "Vulpes corsac"], CARNIVORES)
    assert found.shared == {"Canis_lupus": ("Canis lupus familiaris", "canis lupus")}
    assert tt.match_names(["Vulpes lagopus", "Vulpes corsac"], CARNIVORES).shared == {}


@pytest.mark.parametrize(
    ("name", "match", "kind"),
    [
        ("T lymphocyte", "T-lymphocyte", "form"),
        ("b-cell", "B cell", "form"),
        ("Corvus novae zelandiae", "Corvus novae-zelandiae", "form"),
        ("Corvus novae-zelandiae minor", "Corvus novae-zelandiae", "species"),
        ("-1", None, "none"),
    ],
)
def test_names__hyphens_and_blanks(name, match, kind):
    h = tt.Hierarchy.from_nested([["T-lymphocyte", "B cell"], "Corvus novae-zelandiae", "1"])
    found = tt.match_names([name], h)
    assert (found.matches[0], found.kinds[0]) == (match, kind)


def test_names__the_tree_of_an_ontology_has_names_that_are_ids_of_terms():
    o = tt.Ontology(["1", "2", "3"], [(1, 0), (2, 0)], names=["thing", "cat", "dog"])
    found = tt.match_names(["1", "CAT", "3"], o)
    with pytest.raises(tt.errors.DuplicateLeafError):
        found.attach()
    assert tt.write_newick(found.to_hierarchy()) == "(1[&incertae_sedis=1],CAT,3)thing;"
    assert tt.write_newick(found.to_hierarchy(labels="id")) == "(1[&incertae_sedis=1],CAT,3)1;"
    with pytest.raises(UnknownLeafError, match="no name matches"):
        tt.match_names(["eel"], o).to_hierarchy()
