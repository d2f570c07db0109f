"""read_comparisons and read_odd_one_out on tables with headers of another meaning, or of none that is known."""

import io

import pandas as pd
import pytest

from tripletree.errors import ParseError
from tripletree.io.answers import read_odd_one_out
from tripletree.io.comparisons import read_comparisons


def compare(text, **options):
    rows, leaves = read_comparisons(io.StringIO(text), **options)
    return [tuple(leaves[i] for i in row) for row in rows.tolist()], leaves


def odd_one(text, **options):
    return read_odd_one_out(io.StringIO(text), **options)


def test_comparisons__triplets_are_told():
    told = "columns a, b and c hold triplets .* read_triplets reads them, and TripletSet.to_comparisons"
    frame = pd.DataFrame({"a": ["cat", "ant"], "b": ["dog", "eel"], "c": ["eel", "cat"]})
    for source in (frame, frame.assign(weight=1), io.StringIO(frame.to_csv(index=False))):
        with pytest.raises(ParseError, match=told):
            read_comparisons(source)
    for text in ("a b c\n0 1 2\n", "A,B,C,weight\ncat,dog,eel,1\n"):
        with pytest.raises(ParseError, match=told):
            compare(text)
    assert compare(frame.to_csv(index=False), columns=["a", "b", "c"])[0][0] == ("cat", "dog", "eel")
    letters = "a,b,c\nx,y,z\n"
    assert compare(letters, leaves=list("abcxyz"))[0] == compare(letters, header=False)[0]
    assert compare("a,b,c\nb,c,a\n")[0] == [("a", "b", "c"), ("b", "c", "a")]


def test_comparisons__a_first_row_that_may_be_a_header_is_refused():
    text = "ask,pro,con\ncat,dog,eel\nant,eel,cat\n"
    with pytest.raises(ParseError, match="line 1: is this a header. 'ask', 'pro', 'con' occur nowhere else"):
        compare(text)
    with pytest.raises(ParseError, match="line 1: is this a header. 'ask', 'pro', 'con' occur nowhere else"):
        odd_one(text, odd=2)
    assert len(compare(text, header=True)[0]) == len(odd_one(text, odd=2, header=True)) == 2
    assert len(compare(text, header=False)[0]) == 3
    assert len(compare(text + "eel,pro,cat\n")[0]) == 4  # they occur elsewhere


@pytest.mark.parametrize(
    ("near", "far"),
    [("chosen", "rejected"), ("chosen", "not_chosen"), ("selected", "unselected"), ("match", "foil"), ("nah", "fern"),
     ("proche", "loin"), ("better", "worse"), ("gewählt", "nicht gewählt"), ("Picked", "notPicked"), ("near", "far")],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "who,"])
def test_comparisons__names_of_near_and_far_in_any_order(near, far, before):
    wanted = [("oak", "elm", "cat"), ("cat", "dog", "oak")]
    who = "p7," if before else ""
    for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        rows = [("anchor", near, far), *wanted]
        text = "".join(f"{before if k == 0 else who}{','.join(row[i] for i in order)}\n" for k, row in enumerate(rows))
        assert compare(text)[0] == wanted, text


def test_comparisons__the_one_chosen_of_two_options_is_an_answer():
    wanted = [("oak", "elm", "cat"), ("cat", "dog", "oak")]
    assert compare("anchor,left,right,chosen\noak,elm,cat,elm\ncat,oak,dog,dog\n")[0] == wanted
    assert compare("anchor,left,right,chosen,rejected\noak,elm,cat,elm,cat\ncat,oak,dog,dog,oak\n")[0] == wanted
