"""Checks of arguments: words among choices."""

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.core.checks import check_choice


@pytest.mark.parametrize(
    "value",
    [None, 1, np.nan, pd.NA, b"up", ["up"], {}, np.array("up"), np.array(["up", "down"]), np.eye(9), pd.Series(["up"])],
    ids=lambda value: f"{type(value).__name__}{np.shape(value)}",
)
def test_choice__anything_but_a_known_word_is_named_in_one_line(value):
    with pytest.raises(ValueError, match=r"^way must be 'up' or 'down', not [^\n]+$"):
        check_choice(value, "way", ("up", "down"))


def test_choice__words_of_numpy_and_none_among_the_choices():
    check_choice(np.str_("up"), "way", ("up", "down"))
    check_choice(None, "labels", ("id", "name", None))


def test_choice__arrays_where_functions_take_a_word():
    tree = tt.parse_newick("((a,b),c);")
    words = np.array(["size", "height"])
    with pytest.raises(ValueError, match="rule must be one of"):
        tt.cut(tree, 2, rule=words)
    with pytest.raises(ValueError, match="lengths must be True, False, 'monotone' or 'exact', not"):
        tt.write_newick(tree, lengths=words)
    with pytest.raises(ValueError, match="mode must be 'certain'"):
        tt.read_ontology("cells.obo", mode=words)
