"""Advice about the columns of a table of unknown names: only columns of items are named."""

import io
import re

import pytest

from tripletree.errors import ParseError
from tripletree.io import read_pairs, read_triplets

#: Tables that hold no triplets: measures, yes and no, people, dates, one value.
NO_TRIPLETS = [
    "prot1,prot2,similarity\np1,p2,0.93\np1,p3,0.21\np2,p3,0.5\n",
    "u,v,distance\nk1,k2,3\nk2,k3,1\n",
    "src,dst,weight\n1,2,3\n2,3,1\n",
    "coder,text1,text2\nAnn,t1,t2\nBob,t2,t3\n",
    "sort,i,j\nmust,0,4\ncannot,0,7\n",
    "EndDate,State,Done\n2024-01-02 10:00,IP,100\n2024-01-03 11:00,IP,100\nx,IP,90\n",
    "Group ID,confidence,Rec,name\n0,0.98,r1,ann\n0,0.97,r2,bob\n1,0.9,r3,cy\n",
    "thing1,thing2,with,without\nA,B,9,1\nA,C,2,8\n",
]


@pytest.mark.parametrize("text", NO_TRIPLETS)
def test_read_triplets__columns_that_hold_no_items_are_not_offered(text):
    with pytest.raises(ParseError, match="the table lacks the column") as caught:
        read_triplets(io.StringIO(text), format="csv")
    assert "a, b and c of ab|c)" not in str(caught.value)


@pytest.mark.parametrize("rows", ["x,y,z\nx,z,w\n", "item1,item7,item3\n", "12,15,17\n15,17,20\n17,20,15\n"])
def test_read_triplets__columns_that_share_their_vocabulary_are_offered_and_work(rows):
    text = "near,beside,far,rating\n" + rows.replace("\n", ",5\n")
    with pytest.raises(ParseError, match="the table lacks") as caught:
        read_triplets(io.StringIO(text), format="csv")
    assert "columns=('near', 'beside', 'far') (a, b and c of ab|c)" in str(caught.value)
    assert len(read_triplets(io.StringIO(text), columns=("near", "beside", "far"))) == rows.count("\n")


@pytest.mark.parametrize(
    ("head", "yes", "no"),
    [("Probe 1;Probe 2;selbe Art", "ja", "Nein"), ("spécimen A;spécimen B;même espèce", "oui", "non"),
     ("Text1;Text2;gleich", "wahr", "falsch"), ("doc1;doc2;idem", "VRAI", "FAUX"), ("doc1;doc2;judged", "Y", "N")],
)  # fmt: skip
def test_read_triplets__pairs_are_offered_with_their_reader(head, yes, no):
    text = f"{head}\nP01;P02;{yes}\nP01;P03;{no}\nP02;P03;weiß nicht\n"
    with pytest.raises(ParseError, match=r"look like pairs[.] If ") as caught:
        read_triplets(io.StringIO(text), format="csv")
    calls = re.findall(r"read_pairs\(path(?:\([^()]*\)|[^()])*\)", str(caught.value))
    found = [list(eval(x, {"read_pairs": read_pairs, "path": io.StringIO(text)})) for x in calls]
    told = [("P01", "P02", "must"), ("P01", "P03", "cannot")]
    turned = [("P01", "P03", "must"), ("P01", "P02", "cannot")]
    assert found == ([told, turned] if head.endswith("judged") else [told])


@pytest.mark.parametrize("name", ["distance", "Abstand", "jw_score", "cosine_similarity", "kinship"])
def test_read_pairs__numbers_called_proximities_are_no_links(name):
    text = f"left,right,{name}\nx,y,0.1\nx,z,0.9\n"
    with pytest.raises(ParseError, match=rf"the numbers of .{name}. are not links, unless.*[.] If (?:low|high) ones"):
        read_pairs(io.StringIO(text), columns=("left", "right", name))
    renamed = text.replace(name, "probability")
    found = read_pairs(io.StringIO(renamed), columns=("left", "right", "probability"))
    assert list(found) == [("x", "z", "must"), ("x", "y", "cannot")]


@pytest.mark.parametrize("head", ["rec_id_1,rec_id_2,label", "id1,id2,verdict_of_two"])
def test_read_pairs__the_column_of_words_for_links_is_the_link(head):
    text = f"{head},jw_score\na,b,match,0.9\na,c,non-match,0.1\nb,d,possible match,0.5\n"
    assert list(read_pairs(io.StringIO(text))) == [("a", "b", "must"), ("a", "c", "cannot")]
    with pytest.raises(ParseError, match="line 4: 'so so' is not a link.*[?] where no link is known"):
        read_pairs(io.StringIO(text.replace("possible match", "so so")))


def test_read_triplets__a_fourth_column_of_items_may_be_the_odd_one():
    with pytest.raises(
        ParseError,
        match=r"[Ii]f 'x' names the odd one of 'u', 'v' and 'w': read_answers\(path, items=\['u', 'v', 'w'\], odd='x'",
    ):
        read_triplets(io.StringIO("u,v,w,x\na,b,c,b\nd,c,a,c\n"), format="csv")


def test_read_pairs__ids_are_source_and_id_together():
    text = "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,match\ncrm,1,web,1,1\ncrm,1,web,2,0\n"
    assert list(read_pairs(io.StringIO(text))) == [("crm-__-1", "web-__-1", "must"), ("crm-__-1", "web-__-2", "cannot")]
    one = text.replace("web,1,", "crm,7,").replace("web", "crm")
    assert list(read_pairs(io.StringIO(one))) == [("1", "7", "must"), ("1", "2", "cannot")]
