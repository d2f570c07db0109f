"""Tables of answers as laboratories write them: comparisons are never read as odd one out, layouts give the same."""

import io
import json
import re

import pandas as pd
import pytest

from tripletree import triplets_from_comparisons
from tripletree.core.leaves import LeafIndex
from tripletree.errors import ParseError
from tripletree.io import read_answers, read_comparisons, read_triplets

#: (anchor, near, far), as asked and answered.
SAID = [("cat", "dog", "eel"), ("dog", "cat", "eel"), ("eel", "carp", "cat"), ("cat", "eel", "carp")]
#: (items, odd one, person)
ODD = [(("cat", "dog", "eel"), 2, "anna"), (("cat", "eel", "carp"), 0, "anna"), (("eel", "dog", "carp"), 1, "ben")]


def shown(said):
    """The rows with the options in turn: anchor, left, right and which of them was chosen."""
    return [(a, near, far, 0) if k % 2 else (a, far, near, 1) for k, (a, near, far) in enumerate(said)]


def table(header, rows):
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def labels(found):
    rows, leaves = found
    return [tuple(leaves[i] for i in row) for row in rows.tolist()]


def asked(found):
    return [(x.items, None if x.odd is None else x.items.index(x.odd), x.who) for x in found]


ANCHORS = [
    *("anchor", "head", "Center", "centre", "top", "X", "reference", "query", "target", "sample", "stimulus", "base"),
    "main",
]


@pytest.mark.parametrize("anchor", ANCHORS)
@pytest.mark.parametrize("pair", ["Left,Right", "option1,option2", "A,B", "choice_a,choice_b", "image_1,image_2"])
@pytest.mark.parametrize("answer", ["Answer", "response", "choice", "selected"])
def test_questions__a_comparison_is_never_odd_one_out(anchor, pair, answer):
    text = table(f"{anchor},{pair},{answer}", [(*row[:3], row[1 + row[3]]) for row in shown(SAID)])
    assert labels(read_comparisons(io.StringIO(text))) == SAID
    assert labels(read_comparisons(pd.read_csv(io.StringIO(text)))) == SAID
    with pytest.raises(ParseError, match="read_comparisons"):
        read_answers(io.StringIO(text))
    assert list(read_triplets(io.StringIO(text))) == [("cat", "dog", "eel")]


@pytest.mark.parametrize(
    "codes", [(0, 1), (1, 2), ("left", "right"), ("Left", "Right"), ("a", "b"), ("A", "B"), ("1.0", "2.0")]
)
def test_questions__codes_of_two_options(codes):
    text = table("worker,item,left,right,answer", [("p", *row[:3], codes[row[3]]) for row in shown(SAID)])
    found = read_comparisons(io.StringIO(text))
    assert labels(found) == SAID
    assert found.who == ("p",) * 4
    assert found.reading.startswith("Read 4 comparisons: item against left and right; 1 person; answers are ")
    assert found.origins[2].number == 4


@pytest.mark.parametrize("codes", [("0", "1"), ("FALSE", "TRUE"), ("no", "Yes"), ("0.0", "1.0")])
@pytest.mark.parametrize(
    ("pair", "name", "yes"),
    [
        ("left,right", "chose_left", 0),
        ("left,right", "rightChosen", 1),
        ("left,right", "picked_second", 1),
        ("image_l,image_r", "is_left", 0),
        ("option1,option2", "selected_1", 0),
        ("option_a,option_b", "b_picked", 1),
    ],
)
def test_questions__yes_or_no_to_an_option_that_the_name_tells(codes, pair, name, yes):
    text = table(f"ref,{pair},{name}", [(*row[:3], codes[row[3] == yes]) for row in shown(SAID)])
    columns = ["ref", *pair.split(",")]
    for found in (
        read_comparisons(io.StringIO(text)),
        read_comparisons(io.StringIO(text), columns=columns, answer=name),
        read_comparisons(pd.read_csv(io.StringIO(text)), columns=columns, answer=name),
    ):
        assert labels(found) == SAID
        assert found.reading.endswith(f"answers are yes or no to {columns[1 + yes]!r}")


@pytest.mark.parametrize(("name", "no", "yes"), [("pressed", "0", "1"), ("pressed", "n", "y"), ("answer", "no", "yes")])
def test_questions__yes_or_no_to_nothing_is_no_guess(name, no, yes):
    text = table(f"ref,left,right,{name}", [(*row[:3], (no, yes)[row[3]]) for row in shown(SAID)])
    with pytest.raises(ParseError, match="its name does not say which of 'left' and 'right' that is") as caught:
        read_comparisons(io.StringIO(text), columns=["ref", "left", "right"], answer=name)
    commands = [x.partition("; if ")[0] for x in str(caught.value).split("': read_")[1:]]
    found = []
    for command in commands:
        path = io.StringIO(text)  # noqa: F841  # of the commands
        found.append(labels(eval(f"read_{command}")))  # noqa: S307
    assert found == [SAID, [(a, far, near) for a, near, far in SAID]]


@pytest.mark.parametrize("name", ["odd", "farther", "least_similar"])
def test_questions__the_odd_one_of_two_is_the_far_one(name):
    text = table(f"Center,Left,Right,{name}", [(*row[:3], row[2 - row[3]]) for row in shown(SAID)])
    found = read_comparisons(io.StringIO(text), columns=["Center", "Left", "Right"], answer=name)
    assert labels(found) == SAID
    assert f"{name!r} has the less alike of the two" in found.reading


SIDE_KEYS = [("ArrowLeft", "ArrowRight"), ("{LEFTARROW}", "{RIGHTARROW}"), ("arrow_left", "arrow_right"), (37, 39)]
SIDE_KEYS += [("f", "j"), ("F", "J"), (70, 74), ("z", "m"), ("links", "rechts")]


@pytest.mark.parametrize("keys", SIDE_KEYS)
@pytest.mark.parametrize("pair", ["left,right", "pic_left,pic_right", "Links,Rechts"])
def test_questions__keys_that_were_pressed_for_left_and_right(keys, pair):
    text = table(f"subject,reference,{pair},response", [("p", *row[:3], keys[row[3]]) for row in shown(SAID)])
    for source in (io.StringIO(text), pd.read_csv(io.StringIO(text))):
        assert labels(read_comparisons(source)) == SAID
    turned = text.replace(pair, ",".join(pair.split(",")[::-1]))
    assert labels(read_comparisons(io.StringIO(turned))) == [(a, far, near) for a, near, far in SAID]


@pytest.mark.parametrize("keys", [("f", "j"), ("s", "l")])
def test_questions__keys_for_options_without_a_side_are_no_guess(keys, tmp_path, capsys):
    text = table("subject,reference,option1,option2,response", [("p", *row[:3], keys[row[3]]) for row in shown(SAID)])
    with pytest.raises(ParseError, match="is 'option1'") as caught:
        read_comparisons(io.StringIO(text))
    found = []
    for command in re.findall(r"read_comparisons\([^)]*\)", str(caught.value)):
        path = io.StringIO(text)  # noqa: F841  # of the commands
        found.append(labels(eval(command)))  # noqa: S307
    assert found == [SAID, [(a, far, near) for a, near, far in SAID]]


def test_questions__arrows_are_the_order_of_options():
    keys = ("ArrowLeft", "arrowright")
    text = table("reference,option1,option2,response", [(*row[:3], keys[row[3]]) for row in shown(SAID)])
    assert labels(read_comparisons(io.StringIO(text))) == SAID
    up = table("reference,img_top,img_bottom,response", [(*row[:3], ("up", "down")[row[3]]) for row in shown(SAID)])
    assert labels(read_comparisons(io.StringIO(up))) == SAID


def odd_by_commands(message, text):
    """The odd ones that each command in a message reads from a text."""
    found = []
    for command in re.findall(r"read_answers\([^)]*\)", message):
        path = io.StringIO(text)  # noqa: F841  # of the command
        found.append([x.odd for x in eval(command)])  # noqa: S307
    return found


def test_questions__an_index_without_0_and_3_is_no_guess():
    text = "user,a,b,c,oddIndex\nu,x,y,z,1\nu,x,y,w,2\n"
    with pytest.raises(ParseError, match="does it count from 0 or from 1") as caught:
        read_answers(io.StringIO(text))
    assert odd_by_commands(str(caught.value), text) == [["y", "w"], ["x", "y"]]
    assert [x.odd for x in read_answers(io.StringIO(text + "u,x,y,v,3\n"))] == ["x", "y", "v"]


def test_questions__two_answers_a_row_are_two_questions():
    text = "participant.code,odd.1.player.item1,odd.1.player.item2,odd.1.player.item3,odd.1.player.answer,"
    text += "odd.2.player.item1,odd.2.player.item2,odd.2.player.item3,odd.2.player.answer\nanna,x,y,z,z,x,y,w,x\n"
    assert [(x.who, x.odd) for x in read_answers(io.StringIO(text))] == [("anna", "z"), ("anna", "x")]


def test_questions__three_keys_are_no_guess():
    text = odd_table(lambda _x, k: "jkl"[k])
    with pytest.raises(ParseError, match="if 'j' is 'item_1', 'k' is 'item_2', 'l' is 'item_3'") as caught:
        read_answers(io.StringIO(text))
    path = io.StringIO(text)  # noqa: F841  # of the command
    (command,) = re.findall(r"read_answers\([^)]*\)", str(caught.value))
    found = eval(command)  # noqa: S307
    assert asked(found) == ODD
    assert found.reading.endswith("answers are codes as given")
    with pytest.raises(ValueError, match="codes must be 3 different answers"):
        read_answers(io.StringIO(text), codes=["j", "J", "l"])
    with pytest.raises(ValueError, match="codes must be 2 different answers"):
        read_comparisons(io.StringIO(text), codes=["j", "k", "l"])


def test_questions__an_answer_that_names_the_place_of_the_first_column_is_no_comparison():
    rows = [("x", "y", "z", "links"), ("x", "y", "w", "mitte"), ("x", "w", "z", "rechts")]
    assert [x.odd for x in read_answers(io.StringIO(table("Links,Mitte,Rechts,Antwort", rows)))] == ["x", "y", "z"]
    numbers = [(*row[:3], k + 1) for k, row in enumerate(rows)]
    assert [x.odd for x in read_answers(io.StringIO(table("main,left,right,response", numbers)))] == ["x", "y", "z"]


def test_questions__numbers_behind_a_word_are_no_positions_where_they_are_labels():
    text = "item1,item2,item3,response\nimg1,img3,img4,img2\nimg1,img2,img3,img3\n"
    with pytest.raises(ParseError, match="the answer 'img2', which is none of 'img1', 'img3', 'img4'"):
        read_answers(io.StringIO(text))


def test_questions__german_comparisons():
    rows = [("p", *row[:3], ("links", "rechts")[row[3]]) for row in shown(SAID)]
    for head in ("VP,Reiz,Links,Rechts,Antwort", "Wer,Referenz,Bild_links,Bild_rechts,Wahl"):
        found = read_comparisons(io.StringIO(table(head, rows)))
        assert labels(found) == SAID
        assert found.who == ("p",) * 4


def test_questions__keys_that_were_pressed_are_not_taken_for_no_answer():
    text = "ref,left,right,answer\ncat,dog,eel,f\ncat,dog,carp,j\ncat,dog,carp,dog\n"
    with pytest.raises(ParseError, match="if 'f' is 'left', 'j' is 'right': read_comparisons") as caught:
        read_comparisons(io.StringIO(text))  # one answer is a label
    assert "missing" not in str(caught.value)
    with pytest.raises(
        ParseError, match="'e', 'f', 'j' are not known here.*the name of a column \\('left', 'right'\\)"
    ):
        read_comparisons(io.StringIO(text + "cat,dog,carp,e\n"))


@pytest.mark.parametrize(
    "listed",
    ["- dog, carp, cat", "<br>• dog<br>• carp<br/>• cat", "“dog” / “carp” / “cat”", "<p><b>dog</b>; carp; cat</p>"],
)
def test_questions__items_in_a_text_are_bare(listed):
    cell = f"Which is odd? {listed}"
    ids = [json.dumps({"ImportId": x}).replace('"', '""') for x in ("QID1", "QID2", "QID3")]
    rows = [f'"{cell}","{cell}",Hm?', ",".join(f'"{x}"' for x in ids), "carp,newt,x", "cat,dog,y"]
    found = read_answers(io.StringIO("\n".join(["Q1,Q2,Q3", *rows])))
    assert [(x.items, x.odd) for x in found] == [(("dog", "carp", "cat"), x) for x in ("carp", "cat")]
    said = "1 questions of 2 rows, 1 left out: 'Q2' lists dog, carp, cat and has the answer 'newt'"
    assert said in found.reading


def test_questions__rows_without_an_answer_are_no_comparisons():
    text = "ref,left,right,answer\ncat,dog,eel,dog\ncat,dog,carp,\ncat,carp,eel,not sure\n"
    found = read_comparisons(io.StringIO(text))
    assert labels(found) == [("cat", "dog", "eel")]
    assert "2 without an answer left out" in found.reading
    with pytest.raises(
        ParseError,
        match=r"line 4: the answer 'hm', which is neither 'carp' nor 'eel'; if .* no answer: .*missing=\['hm'\]",
    ):
        read_comparisons(io.StringIO(text.replace("not sure", "hm")))
    assert len(read_comparisons(io.StringIO(text.replace("not sure", "hm")), missing=["hm", ""]).rows) == 1


def test_questions__the_same_rows_in_words_and_in_numbers():
    rows = [(0, 1, 2, "cat", "dog", "eel", "dog"), (2, 3, 0, "eel", "cat", "carp", "carp")]
    text = table("head,winner,loser,Center,Left,Right,Answer", rows)
    found = read_comparisons(io.StringIO(text))
    assert labels(found) == [("cat", "dog", "eel"), ("eel", "carp", "cat")]
    assert found.reading == "Read 2 comparisons: Center against Left and Right; not used: 'head', 'winner', 'loser'"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"ann": {"cat,dog,eel": "eel"}, "bo": {"cat,dog,eel": "cat"}}', [("ann", "eel"), ("bo", "cat")]),
        ('{"ann": {"cat,dog,eel": "eel", "cat,eel,ant": "cat"}, "bo": {"cat,dog,eel": "cat"}}',
         [("ann", "eel"), ("ann", "cat"), ("bo", "cat"), ("bo", None)]),
        ('[{"id": "ann", "q1": {"items": ["cat", "dog", "eel"], "odd": "eel"}, '
         '"q2": {"items": ["cat", "eel", "ant"], "odd": "cat"}}]', [("ann", "eel"), ("ann", "cat")]),
    ],
)  # fmt: skip
def test_questions__json_of_people_with_few_questions(text, wanted):
    assert [(x.who, x.odd) for x in read_answers(io.StringIO(text))] == wanted


def test_questions__answers_may_name_the_two_that_are_alike():
    text = "who,i1,i2,i3,choice\np,cat,dog,eel,cat and dog\np,cat,ant,eel,eel-cat\n"
    found = read_answers(io.StringIO(text))
    assert [x.odd for x in found] == ["eel", "ant"]
    assert found.reading.endswith("answers are the two that are alike")
    with pytest.raises(ParseError, match="the answer 'cat and dog', which is none of"):
        read_answers(io.StringIO(text.replace("choice", "odd")))


def test_questions__columns_without_a_part_are_told():
    text = "who,i1,i2,i3,choice,group_name,rt\np,cat,dog,eel,cat,x,1\nq,cat,dog,eel,eel,y,2\n"
    assert read_answers(io.StringIO(text)).reading.endswith("2 people; not used: 'group_name'")


def test_questions__a_question_in_tags_is_a_condition_as_it_stands():
    trials = [("<p>Which is odd?</p>", "eel"), ("<p>Which is nicest?</p>", "cat")]
    rows = [{"trial_type": "x", "stimulus": x, "choices": ["cat", "dog", "eel"], "response": y} for x, y in trials]
    path = io.StringIO(json.dumps(rows))
    with pytest.raises(ParseError, match="'stimulus' says what is asked") as caught:
        read_answers(path)
    command = re.search(r"If only 'Which is odd\?' counts: (read_answers\(.*?\)); if", str(caught.value))[1]
    path.seek(0)
    assert [x.odd for x in eval(command)] == ["eel"]


def test_questions__both_commands_of_a_doubt_lead_on():
    text = "item,pic1,pic2,answer\ncat,dog,eel,dog\neel,carp,cat,carp\n"
    with pytest.raises(ParseError, match="Comparisons: read_comparisons") as caught:
        read_answers(io.StringIO(text))
    path = io.StringIO(text)
    comparisons, odd = str(caught.value).partition("Comparisons: ")[2].split("; the odd one: ")
    assert labels(eval(comparisons)) == [("cat", "dog", "eel"), ("eel", "carp", "cat")]  # noqa: S307
    path.seek(0)
    assert [x.odd for x in eval(odd)] == ["dog", "carp"]  # noqa: S307


def test_questions__columns_of_no_known_name_are_no_guess():
    rows = [("cat", "dog", "eel", "eel"), ("eel", "cat", "carp", "cat")]
    with pytest.raises(ParseError, match="of 2 answers none is in the column 'word'"):
        read_answers(io.StringIO(table("word,pic,toy,answer", rows)))
    more = [*rows, ("dog", "carp", "eel", "dog")]
    assert len(read_answers(io.StringIO(table("word,pic,toy,answer", more)))) == 3
    assert len(read_answers(io.StringIO(table("word,pic,toy,odd one out", rows)))) == 2
    assert len(read_answers(io.StringIO(table("left,center,right,answer", more)))) == 3  # one names the center
    with pytest.raises(ParseError, match="of 8 answers none is in the column 'item1'"):
        read_answers(io.StringIO(table("item1,item2,item3,answer", rows * 4)))


def csv_list(items):
    return '"' + json.dumps(items).replace('"', '""') + '"'


def trials():
    return [
        {"trial_type": "html-button-response", "rt": 900 + k, "choices": list(x), "response": odd, "subject": who}
        for k, (x, odd, who) in enumerate(ODD)
    ]


def odd_table(code):
    return table("subject,item_1,item_2,item_3,response", [(who, *x, code(x, odd)) for x, odd, who in ODD])


def by_person():
    """The trials of each person, without the person in them."""
    bare = [{key: y for key, y in x.items() if key != "subject"} for x in trials()]
    return {"anna": bare[:2], "ben": bare[2:]}


def runs_with_a_survey():
    """The trials of each run behind a row of a survey that alone says who it was."""
    asked = {"trial_type": "survey-text", "trial_index": 0}
    return [
        [{**asked, "response": {"participant_id": who}}, *({**x, "trial_index": k} for k, x in enumerate(mine, 1))]
        for who, mine in by_person().items()
    ]


CLOSING = {"trial_type": "html-button-response", "choices": ["female", "male", "other"], "response": 1}
COLOURS = {"trial_type": "survey-multi-choice", "choices": ["red", "green", "blue"], "response": "red"}


WIDE = "pid,t1_a,t1_b,t1_c,t1_odd,t2_a,t2_b,t2_c,t2_odd,t3_a,t3_b,t3_c,t3_odd"
LAYOUTS = {
    "labels": odd_table(lambda x, k: x[k]),
    "positions": odd_table(lambda _x, k: k + 1),
    "positions from 0": odd_table(lambda _x, k: k),
    "floats": odd_table(lambda _x, k: float(k + 1)),
    "letters": odd_table(lambda _x, k: "ABC"[k]),
    "names of columns": odd_table(lambda _x, k: f"item_{k + 1}"),
    "semicolons": odd_table(lambda x, k: x[k]).replace(",", ";"),
    "pictures": odd_table(lambda x, k: x[k].upper() + ".png"),
    "lists": table("participant,stimuli,key_resp.keys", [(who, csv_list(x), k + 1) for x, k, who in ODD]),
    "Python lists": table("participant,stimuli,answer", [(w, '"' + str(list(x)) + '"', x[k]) for x, k, w in ODD]),
    "events": table(
        "participant,event,item1,item2,item3,response",
        [row for x, k, who in ODD for row in ((who, "fixation", "", "", "", ""), (who, "question", *x, x[k]))],
    ),
    "jsPsych array": json.dumps([{"trial_type": "instructions", "rt": 4, "choices": ["Go on"]}, *trials()]),
    "jsPsych lines": "".join(json.dumps(x) + "\n" for x in trials()),
    "jsPsych nested": json.dumps({"study": "s", "trials": [{"data": {"n": 1}, **x} for x in trials()]}),
    "people as keys": json.dumps(by_person()),
    "people as keys below a word": json.dumps({"study": "s", "participants": by_person()}),
    "people as keys, trials under keys": json.dumps(
        {
            "users": {
                who: {"age": 9, "trials": {f"-N{k}": x for k, x in enumerate(mine)}}
                for who, mine in by_person().items()
            }
        }
    ),
    "people in a list": json.dumps(
        [{"id": who, "age": 9, "trials": mine} for who, mine in by_person().items()], indent=1
    ),
    "people in lines": "".join(json.dumps({"id": who, "data": mine}) + "\n" for who, mine in by_person().items()),
    "people with parts": json.dumps(
        {who: {"practice": mine[:1], "main": mine[1:]} for who, mine in by_person().items()}, indent=1
    ),
    "people in the first row of a run": json.dumps(runs_with_a_survey()),
    "people in the first row of a run, by numbers of trials": json.dumps(sum(runs_with_a_survey(), [])),
    "paths of the mouse": json.dumps(
        [{**x, "mouse_tracking_data": [{"x": 1, "t": k} for k in range(9)]} for x in trials()]
    ),
    "items are objects": json.dumps(
        [
            {"items": [{"id": 7, "name": x} for x in row], "answer": {"id": 7, "name": row[k]}, "worker": who}
            for row, k, who in ODD
        ]
    ),
    "lines of another program": "".join(
        json.dumps({"items": list(x), "answer": x[k], "worker": who}) + "\n" for x, k, who in ODD
    ),
    "closing questions": json.dumps([*trials(), {**CLOSING, "subject": "ben"}, {**COLOURS, "subject": "ben"}]),
    "items in brackets in the header": "Timestamp,Email Address,"
    + ",".join(f'"Which is odd? [{", ".join(x)}]"' for x, _, _ in ODD)
    + ",Gender?\n2026-01-01,anna,eel,cat,,Male\n2026-01-02,ben,,,dog,Female\n",
    "items in the header": "pid;" + ";".join("_".join(x) for x, _, _ in ODD) + "\nanna;eel;cat;\nben;;;dog\n",
    "items in the header, positions": "pid;age;"
    + ";".join(f"Q{k}: {'/'.join(x)}?" for k, (x, _, _) in enumerate(ODD))
    + "\nanna;9;3;1;\nben;9;;;2,0\n",
    "German": odd_table(lambda _x, k: f'"{k + 1},0"').replace(
        "subject,item_1,item_2,item_3,response", "Versuchsperson,Bild1,Bild2,Bild3,Antwort"
    ),
    "German places": odd_table(lambda _x, k: ("links", "Mitte", "rechts")[k]).replace(
        "subject,item_1,item_2,item_3,response", "Wer,Bild_links,Bild_mitte,Bild_rechts,Auswahl"
    ),
    "arrow keys": odd_table(lambda _x, k: ("ArrowLeft", "ArrowUp", "ArrowRight")[k]),
    "numbers of a keypad": odd_table(lambda _x, k: f"num_{k + 1}"),
    "codes of a form": odd_table(lambda _x, k: f"AO0{k + 1}"),
    "names of variables behind points": odd_table(lambda _x, k: k + 1).replace(
        "subject,item_1,item_2,item_3,response", "participant.code,player.item1,player.item2,player.item3,player.answer"
    ),
    "places in the names": odd_table(lambda _x, k: ("left", "right", "center")[(0, 2, 1)[k]]).replace(
        "item_1,item_2,item_3", "left_img,mid_img,right_img"
    ),
    "an index from 0": json.dumps(
        {"study": "u", "responses": [{"triplet": x, "selectedIndex": k, "who": w} for x, k, w in ODD]}
    ),
    "items in the header behind a colon": "pid;age;"
    + ";".join(f"{k}. Odd one: {', '.join(x)}" for k, (x, _, _) in enumerate(ODD))
    + "\nanna;9;eel;cat;\nben;9;;;dog\n",
    "items in the header, codes of a form": "pid;age;"
    + ";".join(f"T{k}. Odd? [{', '.join(x)}]" for k, (x, _, _) in enumerate(ODD))
    + "\nanna;9;A3;A1;\nben;9;;;A2\n",
    "jsPsych lines of arrays": json.dumps(trials()[:2]) + "\n" + json.dumps(trials()[2:]) + "\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("door", ["stream", "file", "frame", "shell"])
def test_questions__layouts_by_doors(layout, door, tmp_path, capsys):
    text = LAYOUTS[layout]
    name = tmp_path / ("d.json" if text.startswith(("{", "[")) else "d.csv")
    name.write_text(text)
    if door == "shell":
        from tripletree.cli import main

        with pytest.raises(SystemExit) as status:
            main(["answers", str(name), "--jsonl", str(tmp_path / "out.jsonl")])
        assert not status.value.code, capsys.readouterr().err
        found = read_answers(tmp_path / "out.jsonl")
    elif door == "frame":
        if name.suffix == ".json":
            pytest.skip("JSON is no frame")
        found = read_answers(pd.read_csv(name, sep=";" if ";" in text.partition("\n")[0] else ","))
    else:
        found = read_answers(name if door == "file" else io.StringIO(text))
    assert [x for x in asked(found) if x[1] is not None] == ODD
    assert layout.startswith("items in") or len(found) == len(ODD)


def test_questions__a_row_a_person():
    rows = [("p1", *"xyz", "x", *"xyw", "w", *"yzw", "w"), ("p2", *"xyz", "z", *"xyw", "", *"yzw", "y")]
    found = read_answers(io.StringIO(table(WIDE, rows)))
    assert [(x.odd, x.who) for x in found] == [
        *(("x", "p1"), ("w", "p1"), ("w", "p1"), ("z", "p2"), (None, "p2"), ("y", "p2"))
    ]
    assert [x.line for x in found] == [2, 2, 2, 3, 3, 3]
    other = "pid,a_1,b_1,c_1,odd_1,a_2,b_2,c_2,odd_2,a_3,b_3,c_3,odd_3"
    assert list(read_answers(io.StringIO(table(other, rows)))) == list(found)


def test_questions__qualtrics():
    text = (
        'StartDate,ResponseId,Q1,Q2\n"Start Date","Response ID","Which is odd? - cat / dog / eel",'
        '"Which one: cat, eel or carp"\n'
        '"{""ImportId"":""startDate""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
        "2026-01-01,R_1,eel,cat\n2026-01-02,R_2,eel,carp\n"
    ).replace("odd? - cat", "odd? cat")
    found = read_answers(io.StringIO(text))
    assert list(read_answers(io.StringIO(text), header=True)) == list(found)
    assert asked(found) == [
        (("cat", "dog", "eel"), 2, "R_1"),
        (("cat", "eel", "carp"), 0, "R_1"),
        (("cat", "dog", "eel"), 2, "R_2"),
        (("cat", "eel", "carp"), 2, "R_2"),
    ]


def test_questions__qualtrics_with_a_single_question():
    text = (
        "ResponseId,Q1\nResponse ID,Which is odd? cat / dog / eel\n"
        '"{""ImportId"":""_recordId""}","{""ImportId"":""Q""}"\n'
        "R_1,eel\n"
    )
    assert asked(read_answers(io.StringIO(text))) == [(("cat", "dog", "eel"), 2, "R_1")]


def test_questions__a_folder_of_files_a_person_each(tmp_path):
    for who in ("anna", "ben"):
        (tmp_path / f"{who}.csv").write_text(table("a,b,c,odd", [(*x, x[k]) for x, k, w in ODD if w == who]))
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    found = read_answers(tmp_path)
    assert asked(found) == ODD
    assert [x.line for x in found] == [2, 3, 2]
    assert str(found.origin(2)) == f"line 2 of {tmp_path / 'ben.csv'}"
    assert "2 people; 2 files" in found.reading
    assert list(read_answers([tmp_path / "anna.csv", tmp_path / "ben.csv"])) == list(found)
    (tmp_path / "none").mkdir()
    with pytest.raises(ParseError, match="a folder without a table in it"):
        read_answers(tmp_path / "none")


@pytest.mark.parametrize(
    ("only", "kept"),
    [
        ("kind == 'main'", [0, 2]),
        ("kind != main", [1]),
        ("rt > 250", [0, 2]),
        ("rt>=300 and kind=='main' or n == 2", [0, 1, 2]),
        ("not (n == 1)", [1, 2]),
        ("n in [1, 3]", [0, 2]),
        ("kind not in ['practice']", [0, 2]),
        ("`block no` == 'b\\'1'", [1]),
        ("ok == true", [0, 1]),
        ("ok", [0, 1]),
        ("not ok", [2]),
        ("!ok or kind == 'practice'", [1, 2]),
        ("ok && ~(n == 1)", [1]),
        ("pilot == false", [0, 2]),
        ("pilot != True", [0, 2]),
        ("False == pilot", [0, 2]),
        ("pilot is not true and rt<>300", [2]),
        ("200 < rt <= 300", [0]),
        ("2 <= n", [1, 2]),
        ("not gap", [0, 2]),
        ("cm > 1.2", [0]),
    ],
)
def test_questions__only_some_rows(only, kept):
    more = [
        ("main", 300, 1, "b", "True", 0, "", '"1,5"'),
        ("practice", 200, 2, "b'1", "TRUE", 1, "yes", '"0,5"'),
        ("main", 301, 3, "b", "False", 0, "", '"1,1"'),
    ]
    rows = [(*x, x[k], *m) for (x, k, _), m in zip(ODD, more, strict=True)]
    text = table("a,b,c,odd,kind,rt,n,block no,ok,pilot,gap,cm", rows)
    found = read_answers(io.StringIO(text), items=["a", "b", "c"], only=only)
    assert [x.line - 2 for x in found] == kept


@pytest.mark.parametrize(
    "only",
    [
        "kind",
        "not kind",
        "kind ==",
        "1 <",
        "1",
        "n is",
        "== 'x'",
        "kind == 'x",
        "__import__('os')",
        "(" * 200,
        "n == 1 1",
        "",
    ],
)
def test_questions__only_is_no_python(only):
    with pytest.raises(ValueError, match=r"only=|is not a column"):
        read_answers(io.StringIO("a,b,c,odd,kind,n\nx,y,z,z,main,1\n"), items=["a", "b", "c"], only=only)


def test_questions__only_a_column_that_is_no_yes_or_no_says_how():
    text = "a,b,c,odd,kind\nx,y,z,z,main\nx,y,z,x,pilot\n"
    with pytest.raises(ValueError, match="kind alone is a condition if it holds yes and no") as caught:
        read_answers(io.StringIO(text), only="not kind")
    for condition in re.findall(r"kind [!=]= '\w+'", str(caught.value)):
        assert len(read_answers(io.StringIO(text), items=["a", "b", "c"], only=condition)) == 1


def test_questions__only_by_the_response_time_of_jspsych():
    text = json.dumps([{**x, "rt": 100 * k} for k, x in enumerate(trials())])
    assert [x.seconds for x in read_answers(io.StringIO(text), only="rt > 50 and rt < 150")] == [0.1]


def test_questions__parts_are_no_people():
    for parts in ({"practice": trials()[:1], "main": trials()[1:]}, {"block1": trials()[:1], "block2": trials()[1:]}):
        bare = json.loads(json.dumps(parts).replace('"subject"', '"note"'))
        assert [x.who for x in read_answers(io.StringIO(json.dumps(bare)))] == [None] * 3
        last = list(parts)[1]
        assert len(read_answers(io.StringIO(json.dumps(bare)), only=f"block == '{last}'")) == 2
        assert asked(read_answers(io.StringIO(json.dumps(parts)))) == ODD  # the trials say who


def test_questions__what_is_left_out_or_apart_is_told():
    closing = read_answers(io.StringIO(LAYOUTS["closing questions"])).reading
    assert "the question with female, male, other left out, as it is about other things" in closing
    assert "the question with red, green, blue left out, as it is about other things" in closing
    apart = [*trials(), {"choices": ["ash", "oak", "elm"], "response": 1, "trial_type": "html-button-response"}]
    found = read_answers(io.StringIO(json.dumps(apart)))
    assert len(found) == 4
    assert "ash, oak, elm share no item with the other questions" in found.reading
    fitting = [{**x, "stimulus": "Which is odd?"} for x in trials()] + [
        {**apart[-1], "stimulus": "Which does not fit?"}
    ]
    assert len(read_answers(io.StringIO(json.dumps(fitting)))) == 4
    fitting[-1]["stimulus"] = "Your garden has?"
    assert len(read_answers(io.StringIO(json.dumps(fitting)))) == 3


def test_questions__a_person_is_told_once_in_cells_of_json():
    cell = '{""pid"": ""p7""}'
    text = f'trial_type,trial_index,time_elapsed,response,choices\nsurvey-text,0,1,"{cell}",\n'
    text += 'html-button-response,1,2,2,"[""cat"", ""dog"", ""eel""]"\nsurvey-likert,2,3,"{""Q0"": 4}",\n'
    assert asked(read_answers(io.StringIO(text))) == [(("cat", "dog", "eel"), 2, "p7")]
    two = json.dumps([*runs_with_a_survey()[0], {"trial_type": "survey-text", "response": {"participant_id": "cleo"}}])
    assert {x.who for x in read_answers(io.StringIO(two))} == {None}  # two people in one run


def test_questions__qualtrics_with_codes():
    ids = [json.dumps({"ImportId": x}).replace('"', '""') for x in ("_recordId", "QID1", "QID2", "QID3")]
    head = "ResponseId,Q1,Q2,Q3\nResponse ID,Which is odd? cat / dog / eel,Which is odd? cat / eel / carp,"
    head += "Gender? Male / Female / Other\n"
    text = head + ",".join(f'"{x}"' for x in ids) + "\nR_1,3,1,1\nR_2,3,,2\n"
    found = read_answers(io.StringIO(text))
    assert asked(found) == [
        (("cat", "dog", "eel"), 2, "R_1"),
        (("cat", "eel", "carp"), 0, "R_1"),
        (("cat", "dog", "eel"), 2, "R_2"),
        (("cat", "eel", "carp"), None, "R_2"),
    ]
    assert "Male, Female, Other left out" in found.reading
    assert found.reading.endswith("answers are positions from 1")


@pytest.mark.parametrize("door", [io.StringIO, lambda text: pd.read_csv(io.StringIO(text))])
def test_questions__rows_of_a_form_are_people(door):
    text = 'Timestamp,"Which is odd? [dog, carp, cat]","Which is odd? [dog, eel, cat]"\n1,carp,eel\n2,cat,dog\n'
    found = read_answers(door(text))
    assert [(x.odd, x.who) for x in found] == [("carp", "row 1"), ("eel", "row 1"), ("cat", "row 2"), ("dog", "row 2")]
    assert found.reading.endswith("each row is a person")


def test_questions__parts_of_names_are_no_items():
    text = "img_cat_1,img_dog_2,img_car_3,img_dog_2\nimg_cow_1,img_dog_2,img_car_3,img_car_3\n"
    assert [x.odd for x in read_answers(io.StringIO(text))] == ["img_dog_2", "img_car_3"]
    with pytest.raises(ParseError, match="give odd="):
        read_answers(io.StringIO("pid,age,mouse_x_start,mouse_x_end,ease_of_use\np,3,1,2,3\n"))
    with pytest.raises(ParseError, match="give odd="):
        read_answers(io.StringIO("pid,p1,p2,p3,left/middle/right\np,x,y,z,left\np,x,y,z,right\n"), header=True)


def test_questions__two_lists_of_the_same_items_are_no_guess():
    rows = [
        ("p", '"[""x"", ""y"", ""z""]"', '"[""z"", ""x"", ""y""]"', 1),
        ("p", '"[""x"", ""y"", ""w""]"', '"[""y"", ""x"", ""w""]"', 1),
    ]
    text = table("pid,items,shown,response", rows)
    with pytest.raises(ParseError, match="list the same items in different orders") as caught:
        read_answers(io.StringIO(text))
    assert odd_by_commands(str(caught.value), text) == [["x", "x"], ["z", "y"]]
    labels_said = text.replace(",1\n", ",x\n")
    assert [x.odd for x in read_answers(io.StringIO(labels_said))] == ["x", "x"]


def test_questions__only_that_leaves_nothing_or_names_no_column():
    text = "a,b,c,odd,kind\nx,y,z,z,main\n"
    with pytest.raises(ParseError, match="no row is left of 1"):
        read_answers(io.StringIO(text), items=["a", "b", "c"], only="kind == 'x'")
    with pytest.raises(ParseError, match="only= 'type' is not a column of this table; it has 'a', 'b'"):
        read_answers(io.StringIO(text), items=["a", "b", "c"], only="type == 'x'")


def test_questions__times_with_commas_and_words_for_no_answer():
    text = "who;a;b;c;odd;rt\nanna;cat;dog;eel;eel;1,25\nben;cat;dog;eel;weiss nicht;0,5\nben;cat;dog;eel;pass;NA\n"
    with pytest.raises(
        ParseError,
        match=r"line 4: the answer 'pass'.*if these stand for no answer: .*, missing=\['pass', 'weiss nicht'\]",
    ):
        read_answers(io.StringIO(text))
    found = read_answers(io.StringIO(text), seconds="rt", missing=["pass", "weiss nicht"])
    assert [x.kind for x in found] == ["odd", "unsure", "unsure"]
    assert [x.seconds for x in found] == [1.25, 0.5, None]


def test_triplets_from_comparisons__both_halves():
    said = [("a", "b", "c"), ("b", "a", "c"), ("a", "c", "d"), ("d", "a", "c"), ("c", "d", "a"), ("d", "c", "a")]
    wanted = {(*sorted((a, b)), c) for a, b, c in said if (b, a, c) in said}
    assert set(triplets_from_comparisons(said)) == wanted == {("a", "b", "c"), ("c", "d", "a")}
    many = triplets_from_comparisons([*said, ("a", "b", "c"), ("b", "a", "c"), ("a", "b", "c")])
    assert sorted(many.weights.tolist()) == [1, 2]
    index = LeafIndex([*"abcd"])
    rows = index.indices([x for row in said for x in row]).reshape(-1, 3)
    assert triplets_from_comparisons((rows, index)) == triplets_from_comparisons(said)
    assert len(triplets_from_comparisons([])) == 0
    frame = pd.DataFrame(said, columns=["anchor", "near", "far"])
    assert read_triplets(frame) == triplets_from_comparisons(said)
    with pytest.raises(ParseError, match="No two of its 1 comparisons say both halves"):
        read_triplets(frame[:1])


@pytest.mark.parametrize("clicks", [["['{}']"], ["['{0}', '{0}']", "['{0}']"], ['["{}"]']])
@pytest.mark.parametrize(
    "names", [["left", "middle", "right"], ["image1", "image2", "image3"], ["a_img", "b_img", "c_img"]]
)
@pytest.mark.parametrize("by_column", [True, False])
def test_answers__psychopy_lists_what_was_clicked_the_column_or_the_picture(tmp_path, clicks, names, by_column):
    """Such a list was taken for no answer, and the error's hint led to a wrong reading."""
    trios = [["cat.png", "dog.png", "car.png"], ["cow.png", "bus.png", "dog.png"], ["cat.png", "cow.png", "van.png"]]
    odd = [2, 0, 1]
    lines = [",".join([*names, "mouse.clicked_name", "participant"])]
    for k, (trio, place) in enumerate(zip(trios, odd, strict=True)):
        said = clicks[k % len(clicks)].format(names[place] if by_column else trio[place])
        quoted = said.replace('"', '""')
        lines.append(",".join([*trio, f'"{quoted}"', "p1"]))
    (tmp_path / "trials.csv").write_text("\n".join(lines) + "\n")
    found = read_answers(tmp_path / "trials.csv")
    assert [x.odd for x in found] == [trio[place] for trio, place in zip(trios, odd, strict=True)]


PEOPLE = "subj sub VP vpn ppt pp SubjectNo coder participant_code ParticipantName email"


@pytest.mark.parametrize("name", [*PEOPLE.split(), "Participant Private ID", "participant.code", "url.subject"])
def test_answers__the_person_is_known_by_the_words_of_laboratories(tmp_path, name):
    text = f"{name},item1,item2,item3,odd\nann,cat,dog,car,car\nben,cow,bus,dog,bus\n"
    (tmp_path / "said.csv").write_text(text)
    assert [x.who for x in read_answers(tmp_path / "said.csv")] == ["ann", "ben"]
    (tmp_path / "more.csv").write_text(
        "\n".join(f"{x},p{k}" for k, x in enumerate(text.split("\n")[:3])).replace(",p0", ",session")
    )
    assert [x.who for x in read_answers(tmp_path / "more.csv")] == ["ann", "ben"]


@pytest.mark.parametrize("codes", [["BC", "AC", "AB"], ["2-3", "1-3", "1-2"], ["b&c", "a&c", "a&b"]])
def test_questions__a_code_of_two_means_that_the_third_is_odd(codes):
    columns, rows = ["i1", "i2", "i3"], [(*x, codes[k]) for x, k, _ in ODD]
    with pytest.raises(
        ParseError, match=re.escape("so that the third is odd: read_answers(path, items=['i1', 'i2', 'i3']")
    ):
        read_answers(io.StringIO(table("i1,i2,i3,alike", rows)), items=columns, odd="alike")
    found = read_answers(io.StringIO(table("i1,i2,i3,alike", rows)), odd="alike", codes=codes)
    assert [x.odd for x in found] == [x[k] for x, k, _ in ODD]


def test_questions__a_column_beside_triplets_is_asked_about_and_both_commands_work():
    text = "a,b,c,winner\nx,y,z,z\nw,x,y,w\n"
    with pytest.raises(ParseError) as error:
        read_triplets(io.StringIO(text))
    stands, odd = re.findall(r"read_\w+\(path, [^;]*?\)(?=;|$)", str(error.value))
    found = eval(stands, {"read_triplets": read_triplets, "path": io.StringIO(text)})
    assert sorted(found) == [("w", "x", "y"), ("x", "y", "z")]
    found = eval(odd, {"read_answers": read_answers, "path": io.StringIO(text)})
    assert [x.odd for x in found] == ["z", "w"]


def test_questions__one_yes_of_three_columns_beside_triplets_is_asked_about():
    text = "a,b,c,resp_A,resp_B,resp_C\nx,y,z,0,0,1\nw,x,y,1,0,0\n"
    for source in (io.StringIO(text), pd.read_csv(io.StringIO(text))):
        with pytest.raises(ParseError, match=r"'resp_C' choose one of 'a', 'b', 'c' .*odd='resp'\)"):
            read_triplets(source)


def test_questions__counts_are_weights_of_triplets_unless_they_number_rows():
    text = "a,b,c,{}\nx,w,z,{}\nx,y,z,{}\n"
    assert read_triplets(io.StringIO(text.format("n", 12, 3))).weights.tolist() == [12, 3]
    assert read_triplets(io.StringIO(text.format("votes", 1, 3))).weights.tolist() == [1, 3]
    assert read_triplets(io.StringIO(text.format("n", 1, 2))).weights is None
    assert read_triplets(io.StringIO(text.format("votes", 12, 3)), weight=None).weights is None
    assert read_triplets(pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"], "count": [2]})).weights.tolist() == [2]


def test_questions__a_folder_may_tell_of_itself(tmp_path):
    (tmp_path / "p1.csv").write_text("a,b,c,odd\nx,y,z,z\n")
    (tmp_path / "README.txt").write_text("These, my friends, are answers.\nOf, people\n")
    assert [x.odd for x in read_answers(tmp_path)] == ["z"]


def test_questions__places_in_german_from_the_left(tmp_path, capsys):
    rows = [(*x, k + 1) for x, k, _ in ODD]
    name = tmp_path / "d.csv"
    name.write_text(table("bild_links,bild_mitte,bild_rechts,auswahl", rows + rows[::-1]))
    assert [x.odd for x in read_answers(name)][: len(ODD)] == [x[k] for x, k, _ in ODD]
    from tripletree.cli import main

    with pytest.raises(SystemExit):
        main(["check", str(name)])
    assert "the odd one of bild_links, bild_mitte and bild_rechts" in capsys.readouterr().err


SURVEY = (
    "id,Which one is odd? [cat / dog / eel],Which is most like a dog? [wolf / cat / car],"
    "Was gehört nicht dazu? [cat / elk / eel]\n"
    "7,eel,wolf,cat\n9,cat,cat,eel\n"
)


def test_questions__a_survey_is_read_where_it_asks_for_the_odd_one():
    found = read_answers(io.StringIO(SURVEY))
    assert [(x.who, x.odd) for x in found] == [("7", "eel"), ("7", "cat"), ("9", "cat"), ("9", "eel")]
    assert "'Which is most like a dog? [wolf / cat / car]' left out" in found.reading


def test_questions__a_survey_that_asks_for_no_odd_one_is_refused_unless_it_is_said():
    text = "who,Which is most beautiful? [rose / tulip / oak],How old are you? [a / b / c]\nann,rose,a\nben,oak,c\n"
    with pytest.raises(ParseError, match=r"no question says .*read_answers\(path, odd='odd'\)"):
        read_answers(io.StringIO(text))
    found = read_answers(io.StringIO(text), odd="odd")
    assert [x.odd for x in found if "rose" in x.items] == ["rose", "oak"]


def test_questions__the_id_of_a_wide_table_is_the_person():
    text = "id,t1_a,t1_b,t1_c,t1_odd,t2_a,t2_b,t2_c,t2_odd\np,x,y,z,z,x,w,z,w\nq,x,y,z,x,x,w,z,w\n"
    assert [x.who for x in read_answers(io.StringIO(text))] == ["p", "p", "q", "q"]


# ---------------------------------------------------------------------- a, b and c, of which a is never named


ABC = "a,b,c,answer\nwren,rook,carp,rook\nalder,birch,heron,heron\nmouse,vole,trout,vole\n"


def test_abc__which_never_names_a_is_asked_about(tmp_path):
    path = tmp_path / "abc.csv"
    path.write_text(ABC)
    here = {"read_answers": read_answers, "read_comparisons": read_comparisons, "read_triplets": read_triplets}
    offered = {}
    for name, read in here.items():
        with pytest.raises(ParseError) as caught:
            read(path)
        commands = re.findall(r"read_\w+\([^()]*\)", str(caught.value))
        offered[name] = {x.partition("(")[0]: eval(x, {**here}) for x in commands}  # each is a reading
        rows, leaves = offered[name]["read_comparisons"]
        assert [leaves[k] for k in rows[1]] == ["alder", "heron", "birch"]
    assert {*offered["read_answers"]} == {"read_answers", "read_comparisons"}
    assert {*offered["read_triplets"]} == {"read_answers", "read_comparisons", "read_triplets"}


def test_abc__with_one_answer_in_a_is_about_the_odd_one():
    found = read_answers(io.StringIO(ABC + "crow,pike,jay,crow\n"))
    assert found.reading == "Read 4 answers: the odd one of a, b and c by answer"
    assert len(found) == 4
    assert len(read_answers(io.StringIO(ABC.replace("answer", "odd")))) == 3  # called the odd one
    assert len(read_answers(io.StringIO("a,b,c,answer\nwren,rook,carp,rook\n"))) == 1


# ---------------------------------------------------------------------- programs with columns and codes of their own


def test_forms__people_and_columns_by_either_name():
    text = table(
        "HITId,AssignmentId,WorkerId,Input.left,Input.middle,Input.right,Answer.pick",
        [("h", 1, "p", "wren", "rook", "carp", "carp"), ("h", 2, "q", "wren", "rook", "carp", "wren")],
    )
    found = read_answers(io.StringIO(text))
    assert [x.who for x in found] == ["p", "q"]
    assert found.reading == "Read 2 answers: the odd one of left, middle and right by pick; 2 people; MTurk"
    items = ["Input.left", "Input.middle", "Input.right"]
    assert asked(read_answers(io.StringIO(text), items=items, odd="Answer.pick")) == asked(found)
    assert asked(read_answers(io.StringIO(text), items=["left", "middle", "right"], odd="pick")) == asked(found)


def test_forms__codes_of_qualtrics_are_asked_for(tmp_path):
    what = "Which is the odd one? - wren / rook / carp", "Which is the odd one? - alder / birch / heron"
    path = tmp_path / "q.csv"
    rows = ["ResponseId,Q1,Q2", f"Response ID,{what[0]},{what[1]}", *['"{""ImportId"":""a""}",' * 2 + "x"]]
    path.write_text("\n".join([*rows, "R_1,14,15", "R_2,16,16", ""]))
    with pytest.raises(ParseError, match="three items are listed in 'Q1', 'Q2', and the answers are numbers") as caught:
        read_answers(path)
    command = re.search(r"read_answers\(.*?\)", str(caught.value))[0]
    found = eval(command, {"read_answers": read_answers})
    assert [(x.who, x.odd) for x in found] == [("R_1", "wren"), ("R_1", "birch"), ("R_2", "carp"), ("R_2", "heron")]
    path.write_text(path.read_text() + "R_3,17,14\n")
    with pytest.raises(ParseError, match=r"14, 15, 16, 17\. Save the answers as words \(choice text\)$"):
        read_answers(path)


ALIKE_PAIRS = "who,kind,response,sound1,sound2\nann,horn,2,s2,s4\nann,horn,3,s9,s5\nbob,bell,1,t3,t4\n"


@pytest.mark.parametrize("reader", [read_answers, read_comparisons])
@pytest.mark.parametrize(
    "text",
    [
        ALIKE_PAIRS,
        "who,stim1,stim2,category,choice\nann,cat,dog,animal,1\nann,cat,eel,animal,2\nbob,eel,dog,animal,1\n",
        "who,left,right,topic,answer\nann,cat,dog,size,left\nann,cat,eel,size,right\nbob,eel,dog,size,left\n",
    ],
)
def test_questions__a_column_beside_two_things_that_shares_none_with_them_is_asked_about(reader, text):
    """How alike two sounds are from 1 to 3 was read as the odd one of a category and two sounds."""
    with pytest.raises(ParseError) as info:
        reader(io.StringIO(text))
    assert ("the odd one of" if reader is read_answers else "give columns=, the anchor") in str(info.value)


def test_questions__three_things_are_three_things_whatever_the_third_is_called():
    text = ALIKE_PAIRS.replace("horn", "s7").replace("bell", "s4")
    assert len(read_answers(io.StringIO(text))) == 3
    assert len(read_answers(io.StringIO(ALIKE_PAIRS), items=["kind", "sound1", "sound2"])) == 3


@pytest.mark.parametrize("name", ["less_like_ref", "least_like", "not_similar", "doesnt_match"])
def test_comparisons__the_name_of_the_answers_says_that_the_less_alike_is_named(name):
    """It was taken for the one chosen as the nearer."""
    said = read_comparisons(io.StringIO(f"who,ref,opt_1,opt_2,{name}\nann,cat,lion,eel,eel\nbob,cat,lion,eel,eel\n"))
    assert [tuple(said.leaves[x] for x in row) for row in said.rows.tolist()] == [("cat", "lion", "eel")] * 2


def test_read_answers__one_answer_that_is_none_does_not_make_others_unknown_that_are_written_otherwise():
    text = "who,i1,i2,i3,odd\na,Potato,Tuna,Plum,potato \nb,Tuna,Potato,Plum,Plum\nc,Tuna,Potato,Plum,Fig\n"
    with pytest.raises(ParseError, match=r"the answer 'Fig', which is none of .*missing=\['Fig'\]"):
        read_answers(io.StringIO(text))
    found = read_answers(io.StringIO(text), missing=["Fig"])
    assert [x.odd for x in found] == ["Potato", "Plum", None]
