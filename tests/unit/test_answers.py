"""Answers of people: values, files of JSON lines that only grow, and the file after a program was killed."""

import errno
import io
import os
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core import Answer, AnswerSet, Origin
from tripletree.core.answers import check_answers
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidAnswerError, ParseError, UnknownLeafError
from tripletree.io import append_answer, append_undo, read_answers, read_comparisons, read_triplets, write_answers

LABELS = ["ant", "bee", "cat", "dog", 5, "5", "é\u2028 \x85{", ""]


@st.composite
def answer(draw):
    items = tuple(draw(st.lists(st.sampled_from(LABELS), min_size=2, max_size=3, unique_by=lambda x: (type(x), x))))
    kind = draw(st.sampled_from(["odd", "alike", "different", "unsure"][3 - len(items) :]))
    odd = draw(st.sampled_from(items)) if kind == "odd" else None
    who = draw(st.sampled_from([None, "anna", "ben", 'c"\n']))
    when, seconds = draw(st.sampled_from([None, "2026-11-22T21:04:11Z"])), draw(st.none() | st.floats(0, 1e9))
    return Answer(items, kind, odd, who, when, seconds)


several = st.lists(answer(), max_size=12)


# ---------------------------------------------------------------------- one answer


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((("a", "b"), "odd", "a"), "about 2 items must be 'alike', 'different' or 'unsure', not 'odd'"),
        ((("a", "b", "c"), "maybe"), "must be 'odd', 'alike', 'different' or 'unsure', not 'maybe'"),
        ((("a", "b", "c"), "odd"), "the odd one is None, which is none of 'a', 'b' and 'c'"),
        ((("a", "b", "c"), "odd", "d"), "the odd one is 'd', which is none of"),
        ((("a", "b", "c"), "alike", "a"), "odd='a' belongs to answers of kind 'odd', not 'alike'"),
        ((("a", "b", "b"), "alike"), "3 different labels"),
        ((("a", "b", None), "alike"), "3 different labels"),
        ((("a", "b", float("nan")), "alike"), "3 different labels"),
        ((("a", "b", ["c"]), "alike"), "3 different labels"),
        (("abc", "alike"), "the three items shown"),
        ((("a", "b", "c", "d"), "alike"), "the three items shown"),
        ((5, "alike"), "the three items shown"),
        ((("a", "b", "c"), "alike", None, 7), "who must be text or None, not int"),
    ],
)
def test_answers__parts_that_do_not_fit_are_refused(args, message):
    with pytest.raises(InvalidAnswerError, match=message):
        Answer(*args)


def test_answers__labels_become_values_of_python():
    x = Answer(np.array([3, 1, 2]), "odd", np.int64(1))
    assert x == Answer((3, 1, 2), "odd", 1)
    assert [type(i) for i in (*x.items, x.odd)] == [int] * 4
    assert Answer((1, 2, 3), "odd", 2.0).odd == 2
    assert type(Answer((1, 2, 3), "odd", 2.0).odd) is int


# ---------------------------------------------------------------------- sets


@given(several)
def test_answers__a_set_is_the_sequence_of_its_answers(given):
    answers = AnswerSet(given)
    assert list(answers) == given == [answers[k] for k in range(len(given))]
    assert [answers[-k] for k in range(1, len(given) + 1)] == given[::-1]
    assert list(answers[1:3]) == given[1:3]
    assert answers == AnswerSet(iter(given), answers.leaves)
    assert pickle.loads(pickle.dumps(answers)) == answers
    assert answers + answers == AnswerSet(given + given)
    assert set(answers.people) == {x.who for x in given} - {None}
    for who in answers.people:
        assert list(answers.by(who)) == [x for x in given if x.who == who]
    if any(x.who is None for x in given):
        assert list(answers.by(None)) == [x for x in given if x.who is None]
    for x in given:
        key = {(type(i), i) for i in x.items}
        assert list(answers.about(*x.items[::-1])) == [y for y in given if {(type(i), i) for i in y.items} == key]


@given(several, several)
def test_answers__sum_of_two(first, second):
    assert list(AnswerSet(first) + AnswerSet(second)) == first + second


@given(several)
def test_answers__triplets_are_what_the_odd_ones_say(given):
    said = Counter()
    for x in given:
        if x.kind == "odd":
            said[frozenset((type(i), i) for i in x.items if (type(i), i) != (type(x.odd), x.odd)), x.odd] += 1
    t = AnswerSet(given).triplets()
    weights = [1.0] * len(t) if t.weights is None else t.weights.tolist()
    found = {(frozenset((type(i), i) for i in (a, b)), c): w for (a, b, c), w in zip(t, weights, strict=True)}
    assert found == said
    assert (t.weights is None) == all(w == 1 for w in said.values())


@given(several)
def test_answers__pairs_are_what_the_classes_would_be(given):
    must, cannot = set(), set()
    for x in given:
        for k, i in enumerate(x.items):
            for j in x.items[k + 1 :]:
                pair = frozenset(((type(i), i), (type(j), j)))
                if x.kind == "alike" or (x.kind == "odd" and (type(x.odd), x.odd) not in pair):
                    must.add(pair)
                elif x.kind != "unsure":
                    cannot.add(pair)
    found = list(AnswerSet(given).pairs())
    for kind, wanted in (("must", must), ("cannot", cannot)):
        assert {frozenset(((type(a), a), (type(b), b))) for a, b, k in found if k == kind} == wanted


def test_answers__weights_of_answers():
    answers = AnswerSet([Answer((0, 1, 2), "odd", k) for k in (2, 2, 1)])
    t = answers.triplets([0.5, 0.25, 0.0])
    assert list(t) == [(0, 1, 2)]
    assert t.weights.tolist() == [0.75]
    for wrong in ([1, 2], [1, 2, -1], [1, 2, np.nan]):
        with pytest.raises(ValueError, match="weights must be 3 finite numbers of at least 0"):
            answers.triplets(wrong)


def test_answers__leaves_may_be_more_than_those_asked_about():
    answers = AnswerSet([Answer((4, 1, 2), "odd", 2)], 10)
    assert answers.leaves == LeafIndex(10)
    assert answers.triplets().leaves == LeafIndex(10)
    with pytest.raises(UnknownLeafError, match="items of answers"):
        AnswerSet([Answer((4, 1, 2), "odd", 2)], 3)


def test_answers__sets_are_immutable_and_of_answers():
    answers = AnswerSet([Answer((4, 1, 2), "odd", 2)])
    with pytest.raises(AttributeError, match="immutable, so rows cannot be set"):
        answers.rows = 3
    with pytest.raises(AttributeError, match="immutable, so rows cannot be deleted"):
        del answers.rows
    with pytest.raises(ValueError, match="read-only"):
        answers.rows[0, 0] = 3
    with pytest.raises(InvalidAnswerError, match="entry 1 must be an Answer, not tuple") as caught:
        AnswerSet([answers[0], (1, 2, 3)])
    assert caught.value.row == 1
    with pytest.raises(ValueError, match="no answer is by 'anna'|name no person"):
        answers.by("anna")
    with pytest.raises(TypeError, match="expected an AnswerSet, got list"):
        check_answers([])


@pytest.mark.parametrize(
    ("rows", "replies", "row"),
    [
        ([(0, 1, 2), (0, 1, 3)], [0, 0], 1),
        ([(0, 1, 1)], [0], 0),
        ([(0, 1, -1)], [0], 0),
        ([(0, 1, 2)], [6], 0),
        ([(0, -1, 2)], [3], 0),
        ([(0, 1, 2)], [0, 1], 1),
    ],
)
def test_answers__columns_that_do_not_fit_are_refused(rows, replies, row):
    with pytest.raises(InvalidAnswerError) as caught:
        AnswerSet.from_columns(rows, replies, 3)
    assert caught.value.row == row


def test_answers__shown_in_notebooks_without_markup_of_labels():
    html = AnswerSet([Answer(("<b>", "x", "y"), "odd", "<b>", who="<i>")])._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


# ---------------------------------------------------------------------- files


def read(text, **options):
    return read_answers(io.StringIO(text), **options)


@given(several)
def test_answers__written_and_read_are_equal(given):
    answers = AnswerSet(given, data="animals.csv")
    text = write_answers(answers)
    found = read(text, leaves=answers.leaves)
    assert found == answers
    assert [(type(a), a) for x in found for a in x.items] == [(type(a), a) for x in given for a in x.items]
    assert found.data == "animals.csv"
    assert text.count("\n") == len(text.splitlines()) == len(given) + 1
    assert [x.line for x in found] == list(range(2, len(given) + 2))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


GIVEN = [
    Answer(("cat", "dog", "eel"), "odd", "eel", "anna", "2026-11-22T21:04:11Z"),
    Answer(("cat", "dog", "é"), "unsure", who="ben"),
    Answer((1, 2), "alike"),
]


def test_answers__appended_one_at_a_time(path):
    for x in GIVEN:
        append_answer(path, x, data="animals")
        assert list(read_answers(path))[-1] == x
    assert list(read_answers(path)) == GIVEN
    assert read_answers(path).data == "animals"
    assert path.read_text(encoding="utf-8") == write_answers(AnswerSet(GIVEN, data="animals"))
    assert read_answers(path).origin(1) == Origin(str(path), "line", 3)
    gathered = io.StringIO()
    write_answers(AnswerSet(GIVEN, data="animals"), gathered)
    assert gathered.getvalue() == path.read_text(encoding="utf-8")


def test_answers__killed_at_any_byte_nothing_but_the_last_line_is_lost(path):
    whole = write_answers(AnswerSet(GIVEN)).encode()
    ends = [k for k in range(len(whole) + 1) if k == 0 or whole[k - 1 : k] == b"\n"]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        kept = max(sum(end <= size for end in ends) - 2, 0)
        complete = size in ends or size + 1 in ends  # a line that lacks its end alone is whole
        kept += size not in ends and size + 1 in ends and size > ends[1]
        if complete:
            assert list(read_answers(path)) == GIVEN[:kept]
        else:
            with pytest.warns(UserWarning, match="the last line is cut off and left out"):
                assert list(read_answers(path)) == GIVEN[:kept]
        append_answer(path, GIVEN[2])
        assert list(read_answers(path)) == [*GIVEN[:kept], GIVEN[2]]


def test_answers__a_long_last_line_that_is_cut_off(path):
    append_answer(path, GIVEN[0])
    with path.open("ab") as stream:
        stream.write(b'{"items": ["' + b"x" * 200_000)
    append_answer(path, GIVEN[1])
    assert list(read_answers(path)) == GIVEN[:2]


def test_answers__undone_are_taken_back_one_by_one_of_each_person(path):
    anna, ben = ([Answer((k, k + 1, k + 2), "alike", who=who) for k in range(3)] for who in ("anna", "ben"))
    for x, y in zip(anna, ben, strict=True):
        append_answer(path, x)
        append_answer(path, y)
    append_undo(path, "anna", when="2026-11-22T21:04:11Z")
    append_undo(path, "anna")
    append_answer(path, anna[2])
    append_undo(path, "ben")
    found = read_answers(path)
    assert list(found.by("anna")) == [anna[0], anna[2]]
    assert list(found.by("ben")) == ben[:2]
    append_undo(path)
    with pytest.raises(ParseError, match="line 12: nothing to undo: this person has no answer before it"):
        read_answers(path)


def test_answers__what_cannot_be_appended_leaves_the_file_as_it_was(path, tmp_path):
    append_answer(path, GIVEN[0])
    before = path.read_bytes()
    for wrong in (Answer((1.5, 2, 3), "alike"), Answer(("\ud800", 2, 3), "alike"), Answer((True, 2, 3), "alike")):
        with pytest.raises(InvalidAnswerError, match=r"texts and whole numbers|half of a surrogate pair"):
            append_answer(path, wrong)
    with pytest.raises(TypeError, match="expected an Answer"):
        append_answer(path, ("cat", "dog", "eel"))
    assert path.read_bytes() == before
    with pytest.raises(IsADirectoryError):
        append_answer(tmp_path, GIVEN[0])
    with pytest.raises(FileNotFoundError):
        append_answer(tmp_path / "none" / "answers.jsonl", GIVEN[0])


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("failing", range(2))  # the file, and the folder of a new one
def test_answers__what_does_not_reach_the_disk_is_not_added(path, monkeypatch, begun, failing):
    if begun:
        append_answer(path, GIVEN[0])
    before = path.read_bytes() if begun else b""
    synced, real = [], os.fsync

    def fsync(descriptor):
        synced.append(descriptor)
        if len(synced) == (1 if begun else failing + 1):
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match="Input/output error"):
            append_answer(path, GIVEN[1])
    assert path.read_bytes() == before
    append_answer(path, GIVEN[2])
    assert list(read_answers(path))[-1] == GIVEN[2]


def test_answers__lines_of_others_stay_where_ones_own_does_not_reach_the_disk(path, monkeypatch):
    append_answer(path, GIVEN[0])

    def fsync(_):
        with path.open("ab") as stream:
            stream.write(write_answers(AnswerSet([GIVEN[2]])).splitlines(keepends=True)[1].encode())
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match="Input/output error"):
            append_answer(path, GIVEN[1])
    assert list(read_answers(path)) == GIVEN


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs several processes at once")
def test_answers__several_programs_append_to_one_file(path):
    names = [str(k) * 37 for k in range(8)]  # long lines, as a file grows by pages
    children = []
    for who in names:
        child = os.fork()
        if child == 0:
            for i in range(60):
                append_answer(path, Answer((0, 100 + i, 200), "alike", who=who))
            os._exit(0)
        children.append(child)
    assert all(os.waitpid(child, 0)[1] == 0 for child in children)
    found = read_answers(path)
    for who in names:
        assert [x.items for x in found.by(who)] == [(0, 100 + i, 200) for i in range(60)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2, 3]", r"line 2: expected an object \{...\}, one answer"),
        ('{"items": ["a", "b", "c"]}', "line 2: the answer lacks 'answer'"),
        ('{"answer": "alike"}', "line 2: the answer lacks 'items'"),
        ('{"items": ["a", "b", "c"], "answer": "odd"}', "line 2: the answer is 'odd', but 'odd' is missing"),
        ('{"items": ["a", "b", "c"], "answer": "odd", "odd": "d"}', "line 2: the odd one is 'd', which is none of"),
        ('{"items": ["a", "b", "c"], "answer": "odd", "odd": ["d"]}', "line 2: the odd one must be one of the items"),
        ('{"items": ["a", "b", "c"], "answer": "eel"}', "line 2: the kind of an answer about 3 items must be"),
        ('{"items": ["a", "b", "c"], "answer": ["odd"]}', "line 2: the kind of an answer"),
        ('{"items": ["a", "b", 1.5], "answer": "alike"}', "line 2: the items must be a list of texts or whole"),
        ('{"items": ["a", "b", true], "answer": "alike"}', "line 2: the items must be a list of texts or whole"),
        ('{"items": "abc", "answer": "alike"}', "line 2: the items must be a list of texts or whole"),
        ('{"items": ["a", "b"], "answer": "alike", "who": {}}', "line 2: 'who' must be a text"),
        ('{"items": ["a", "b", "a"], "answer": "alike"}', "line 2: the items shown must be 3 different labels"),
        ('{"items": ["a", "b", "c"], "answer": "alike"', "line 2.*this is not JSON"),
        ('{"items": ["a", "b", NaN], "answer": "alike"}', "line 2.*'NaN' is not JSON"),
        ('{"items": ["a", "b", "\\ud800"], "answer": "alike"}', "line 2.*half of a surrogate pair"),
        ('{"undo": true, "who": "ben"}', "line 2: nothing to undo"),
        ('{"tripletree": "answers", "version": 1}', "line 2: a header must be the first line"),
        ('{"a":' * 100_000, "line 2.*nested more deeply"),
        ("9" * 5000, "line 2.*digits is too long"),
    ],
)
def test_answers__bad_lines_are_refused_with_their_number(line, message):
    good = '{"items": ["a", "b", "c"], "answer": "alike", "who": "anna", "more": [1]}\n'
    with pytest.raises(ParseError, match=message) as caught:
        read(good + line + "\n" + good)
    assert caught.value.line == 2


def test_answers__headers():
    assert len(read('{"tripletree": "answers"}\n')) == 0
    assert len(read("")) == 0
    with pytest.raises(ParseError, match="line 1: version 2 of this format is not known"):
        read('{"tripletree": "answers", "version": 2}\n')
    with pytest.raises(ParseError, match="line 1: this is a file of 'triplets', not of answers"):
        read('{"tripletree": "triplets"}\n')


def test_answers__several_bad_lines_are_listed():
    with pytest.raises(ParseError, match="3 problems") as caught:
        read("{}\n2\n\n3\n")
    assert [x.partition(":")[0] for x in caught.value.problems] == ["line 1", "line 2", "line 4"]


# ---------------------------------------------------------------------- tables

TRIO = ("cat", "eel", "dog")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b,c,odd,who\ncat,eel,dog,eel,anna\ncat,eel,dog,,ben\ncat,eel,dog,alike,\n", {}),
        ("who\todd\ta\tb\tc\nanna\teel\tcat\teel\tdog\nben\t\tcat\teel\tdog\n\tsame\tcat\teel\tdog\n", {}),
        ("Item 1;Item 2;Item 3;Choice;User;n\ncat;eel;dog;eel;anna;1\ncat;eel;dog;;ben;2\ncat;eel;dog;alike;;3\n", {}),
        ("a,b,c,odd,who\ncat,eel,dog,2,anna\ncat,eel,dog,unsure,ben\ncat,eel,dog,Alike,\n", {}),
        ("a,b,c,odd,who\ncat,eel,dog,b,anna\ncat,eel,dog,cannot say,ben\ncat,eel,dog,all alike,\n", {}),
        ("p,q,r,s,t\ncat,eel,dog,eel,anna\ncat,eel,dog,,ben\ncat,eel,dog,alike,\n",
         {"items": ["p", "q", "r"], "odd": "s", "who": "t"}),
        ("cat,eel,dog,eel,anna\ncat,eel,dog,,ben\ncat,eel,dog,alike,\n", {"items": [0, 1, 2], "odd": 3, "who": 4}),
    ],
)  # fmt: skip
def test_answers__of_tables(text, options):
    wanted = [Answer(TRIO, "odd", "eel", "anna"), Answer(TRIO, "unsure", who="ben"), Answer(TRIO, "alike")]
    found = read(text, **options)
    assert list(found) == wanted
    first = 1 if "items" in options and options["items"][0] == 0 else 2
    assert [x.line for x in found] == [first, first + 1, first + 2]
    frame = found.to_frame()
    again = read_answers(frame)
    assert again == found
    assert again.origin(2) == Origin("<data frame>", "row", 3)


@given(st.lists(st.tuples(st.permutations("abcde"), st.integers(0, 5), st.sampled_from(["anna", "ben"])), min_size=1))
def test_answers__of_tables_in_three_codes(drawn):
    """The odd one as a label, a position or the name of a column: the same answers."""
    words = {3: "alike", 4: "different", 5: "" if any(reply < 5 for _, reply, _ in drawn) else "unsure"}
    texts = {"label": [], "position": [], "name": []}
    for order, reply, who in drawn:
        trio = order[:3]
        for code, lines in texts.items():
            odd = {"label": trio, "position": "123", "name": ["one", "two", "three"]}[code]
            lines.append(",".join([*trio, words[reply] if reply > 2 else odd[reply], who]))
    found = [
        read("one,two,three,odd,who\n" + "\n".join(lines), items=["one", "two", "three"], leaves=list("abcde"))
        for lines in texts.values()
    ]
    assert found[0] == found[1] == found[2]
    for x, (order, reply, who) in zip(found[0], drawn, strict=True):
        assert x.items == tuple(order[:3])
        assert x.who == who
        assert (x.kind, x.odd) == (("odd", order[reply]) if reply < 3 else (words[reply] or "unsure", None))


def test_answers__labels_that_look_like_positions():
    text = "a,b,c,odd\n3,1,2,1\n3,2,5,2\n"
    with pytest.raises(ParseError, match="the answers in 'odd' are labels of their rows, and positions as well"):
        read(text)
    assert [x.odd for x in read(text, odd="odd")] == [1, 2]
    assert [x.odd for x in read(text, first=1)] == [3, 2]
    assert [x.odd for x in read(text, first=0)] == [1, 5]
    assert [x.odd for x in read("a,b,c,odd\n3,1,2,1\n3,4,5,2\n")] == [3, 4]
    with pytest.raises(ParseError, match=r"line 3: the answer '2', which is none of '3', '4', '6'"):
        read("a,b,c,odd\n3,1,5,5\n3,4,6,2\n")
    assert read("a,b,c,odd\nalike,b,c,alike\n")[0].odd == "alike"


def test_answers__few_answers_are_told():
    assert read("a,b,c,odd\nx,y,z,\nx,y,w,w\n").reading.endswith("by odd; 1 of 2 without an answer")
    for rows in ("x,y,z,unsure\nx,y,w,w", "x,y,z,\nx,y,w,w\nx,y,v,v"):
        assert "without an answer" not in read(f"a,b,c,odd\n{rows}\n").reading


def test_answers__of_tables_about_two_items():
    found = read("left,right,answer\n1,2,same\n1,3,different\n2,3,\n", items=["left", "right"])
    assert [(x.items, x.kind) for x in found] == [((1, 2), "alike"), ((1, 3), "different"), ((2, 3), "unsure")]
    with pytest.raises(ParseError, match="line 2: the answer '1'; expected 'alike'"):
        read("left,right,answer\n1,2,1\n", items=["left", "right"])


def test_answers__of_data_frames_with_times():
    frame = pd.DataFrame({"a": [1, 2], "b": [2, 3], "c": [3, 4], "odd": [1, None], "person": [7, 8]})
    frame["time"] = pd.to_datetime(["2026-11-22T21:04:11Z", "2026-11-22T21:04:12Z"])
    found = read_answers(frame)
    assert [(x.odd, x.who, x.when, x.line) for x in found] == [
        (1, "7", "2026-11-22T21:04:11+00:00", 1),
        (None, "8", "2026-11-22T21:04:12+00:00", 2),
    ]


def test_answers__of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    answers = AnswerSet([Answer(TRIO, "odd", "eel", "anna"), Answer(TRIO, "unsure", who="ben")])
    answers.to_frame().to_parquet(tmp_path / "x.parquet")
    assert read_answers(tmp_path / "x.parquet") == answers


def test_answers__of_the_third_item():
    found = read("0 1 2\n3 0 1\n", odd=2)
    assert [x.odd for x in found] == [2, 1]
    assert found.people == ()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b,c,odd\nx,y,z,w\n", {}, "line 2: the answer 'w', which is none of 'x', 'y', 'z', nor 'alike'"),
        ("a,b,c,odd\nx,y,z,0\nx,y,z,3\n", {}, r"line 2: the answer '0'.*missing=\['0'\]"),
        ("a,b,c,odd\nx,y,z,0\n", {"first": 1}, "line 2: the answer '0'.*its position"),
        ("a,b,c,odd,user,worker\nx,y,z,z,1,2\n", {}, "Give who='user' or who='worker'"),
        ("a,b,c,d,odd,who\nx,y,z,u,z,1\n", {}, "give items=, which three of the 6 columns"),
        ("a,b,c,x,y,z,odd\n1,2,3,4,5,6,1\n", {}, "give items=, which three of the 7 columns"),
        ("a,b,c,odd\nx,y,z,z\n", {"who": "anna"}, "who='anna' is not a column"),
        ("a,b,c,odd,who\nx,y,z,z,1\n", {"items": ["a", "b", "who"]}, "must be columns of their own"),
        ("a,b,c\nx,y,z\n", {"header": True}, "nothing tells which of them is the odd one"),
        ("a,b,c,who\nx,y,z,z\n", {"header": True}, r"There are 'a', 'b', 'c', 'who': items="),
        ("a,b,c,odd\nx,y,z,\nx,y,w,\n", {}, "no row has an answer: all 2 cells in 'odd'"),
        ("a,b,c,odd\nx,y,z,so\nx,y,w,so\n", {"missing": "so"}, "no row has an answer"),
        ("a,b,c,odd\nx,y,z,f\nx,y,w,j\nx,y,w,w\n", {}, "'f', 'j' are not known here: write the item"),
        ("a,b,c,odd\nx,y,z,f\nx,y,w,f\n", {}, "'f' is not known here: write the item"),
        ("a,b,c,odd\nx,y,z,f\nx,y,w,w\n", {}, r"if it stands for no answer: read_answers\(.*, missing=\['f'\]\)"),
    ],
)
def test_answers__tables_refused(text, options, message):
    with pytest.raises(ParseError, match=message):
        read(text, **options)


def test_answers__columns_are_for_tables():
    with pytest.raises(ValueError, match="odd= is for tables, and <stream> holds JSON lines"):
        read("{}", odd=2)
    with pytest.raises(ValueError, match="items must be three different columns"):
        read("a,b,c,odd\n", items=["a", "a", "b"])


def test_answers__a_table_is_never_appended_to(path):
    path.write_text("a,b,c,odd\nx,y,z,z\n", encoding="utf-8")
    with pytest.raises(ParseError, match="not a file of JSON lines, so no answer can be appended"):
        append_answer(path, GIVEN[0])
    assert path.read_text(encoding="utf-8") == "a,b,c,odd\nx,y,z,z\n"
    with pytest.raises(ValueError, match="answers are written as JSON lines"):
        write_answers(AnswerSet(GIVEN), path.with_suffix(".csv"))


def test_answers__unknown_leaves_are_named_with_the_line():
    with pytest.raises(ParseError, match="line 2: 1 unknown among the items") as caught:
        read('\n{"items": ["ant", "bee", "caat"], "answer": "alike"}\n', leaves=["ant", "bee", "cat"])
    assert caught.value.line == 2


@pytest.mark.parametrize("name", ["anchor", "Reference", "target"])
def test_read_answers__a_table_of_comparisons_is_refused(name):
    text = f"{name},left,right,answer\ncat,dog,eel,dog\ncat,eel,dog,dog\n"
    with pytest.raises(ParseError, match=f"'{name}', 'left', 'right', 'answer' look like .* comparisons") as info:
        read_answers(io.StringIO(text))
    assert "give odd='answer'" in str(info.value)
    assert len(read_answers(io.StringIO(text), odd="answer")) == 2


def test_read_answers__a_column_that_is_never_the_answer_is_an_anchor():
    rows = [f"x{k},y{k},z{k},{'yz'[k % 2]}{k}" for k in range(20)]
    head = "one,two,three,odd"
    with pytest.raises(ParseError, match="of 20 answers none is in the column 'one': is 'one' compared with"):
        read_answers(io.StringIO("\n".join([head, *rows])))
    assert len(read_answers(io.StringIO("\n".join([head, *rows])), odd="odd")) == 20
    assert len(read_answers(io.StringIO("\n".join([head, *rows[:19]])))) == 19
    always_last = [x[: x.rindex(",") + 1] + f"z{k}" for k, x in enumerate(rows)]
    assert len(read_answers(io.StringIO("\n".join([head, *always_last])))) == 20


def test_read_triplets__a_table_of_comparisons_is_refused():
    with pytest.raises(ParseError, match="these are comparisons, and no triplets follow"):
        read_triplets(io.StringIO("anchor,near,far\ncat,dog,eel\n"), format="csv")


# ---------------------------------------------------------------------- response times

TIMED = [
    Answer(TRIO, "odd", "eel", "anna", seconds=2.41),
    Answer(TRIO, "alike", who="ben", when="2026-11-22T21:04:11Z", seconds=0),
    Answer(TRIO, "unsure"),
]


def test_answers__response_times_stay_in_every_part_of_a_set():
    answers = AnswerSet(TIMED)
    assert answers.seconds.tolist()[:2] == [2.41, 0.0]
    assert np.isnan(answers.seconds[2])
    assert list(answers) == TIMED
    assert [x.seconds for x in answers[::-1]] == [None, 0.0, 2.41]
    assert [x.seconds for x in answers.by("ben") + AnswerSet(GIVEN).subset([]) + answers.by("anna")] == [0.0, 2.41]
    assert pickle.loads(pickle.dumps(answers)) == answers
    assert answers != AnswerSet([Answer(x.items, x.kind, x.odd, x.who, x.when) for x in TIMED])
    assert "<th>seconds</th>" in answers._repr_html_()


@pytest.mark.parametrize("how", ["lines", "appended", "csv", "frame", "parquet"])
def test_answers__response_times_are_read_back(path, how):
    answers = AnswerSet(TIMED)
    if how == "lines":
        write_answers(answers, path)
    elif how == "appended":
        for x in TIMED:
            append_answer(path, x)
    elif how == "csv":
        path = path.with_suffix(".csv")
        answers.to_frame().to_csv(path, index=False)
    elif how == "parquet":
        pytest.importorskip("pyarrow")
        path = path.with_suffix(".parquet")
        answers.to_frame().to_parquet(path)
    else:
        path = answers.to_frame()
    assert read_answers(path) == answers


@pytest.mark.parametrize("others", [[], [Answer(("cow", "ant", "bee"), "odd", "ant", "ben")]])
def test_answers__a_table_holds_pairs_too(path, others):
    answers = AnswerSet([Answer(("ant", "bee"), "alike", who="anna"), *others, Answer(("cow", "bee"), "unsure")])
    path = path.with_suffix(".csv")
    answers.to_frame().to_csv(path, index=False)
    assert read_answers(path) == answers
    with pytest.raises(ParseError, match="line 3: the answer 'cow'; expected 'alike', 'different'"):
        read("item_1,item_2,item_3,answer\nant,bee,cow,cow\nant,cow,,cow\n")
    with pytest.raises(ParseError, match="line 2: cell 2 is empty"):
        read("item_1,item_2,item_3,answer\nant,,cow,cow\nant,cow,bee,cow\n")


def test_answers__lines_without_response_times_stay_as_they_were():
    line = '{"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}'
    assert read(line)[0].seconds is None
    assert write_answers(read(line)).splitlines()[1] == line


def test_answers__columns_of_response_times():
    assert read("a,b,c,odd,seconds\nx,y,z,z,1.5\nx,y,z,y,\n")[0].seconds == 1.5
    assert [x.seconds for x in read("a,b,c,odd,RT ms\nx,y,z,z,1500\nx,y,z,y,\n")] == [1.5, None]
    assert read("p,q,r,odd,rt\nx,y,z,z,1.5\n", seconds="rt")[0].seconds == 1.5
    with pytest.raises(ParseError, match=r"Give seconds='seconds' or seconds='rt_ms'"):
        read("a,b,c,odd,seconds,rt_ms\nx,y,z,z,1,2\n")


@pytest.mark.parametrize("wrong", ["fast", "-1", "inf"])
def test_answers__a_response_time_is_a_number_of_at_least_0(wrong):
    with pytest.raises(ParseError, match=f"line 3: the response time '{wrong}'; expected a number of at least 0"):
        read(f"a,b,c,odd,seconds\nx,y,z,z,1\nx,y,z,y,{wrong}\n")


@pytest.mark.parametrize("wrong", ["2", -1, float("nan"), float("inf"), True, [1]])
def test_answers__bad_response_times_are_refused(wrong):
    with pytest.raises(InvalidAnswerError, match="seconds must be a finite number of at least 0, or None, not"):
        Answer(TRIO, "alike", seconds=wrong)


def test_answers__bad_response_times_of_columns_and_lines_are_refused():
    with pytest.raises(InvalidAnswerError, match="row 1 has a response time of -2.0 seconds"):
        AnswerSet.from_columns([(0, 1, 2)] * 2, [0, 1], 3, seconds=[1, -2])
    with pytest.raises(InvalidAnswerError, match="2 rows, but a column with 1 entries"):
        AnswerSet.from_columns([(0, 1, 2)] * 2, [0, 1], 3, seconds=[1])
    with pytest.raises(InvalidAnswerError, match="numbers of seconds, not"):
        AnswerSet.from_columns([(0, 1, 2)], [0], 3, seconds=["fast"])
    with pytest.raises(ParseError, match="line 1: seconds must be a finite number"):
        read('{"items": [1, 2, 3], "answer": "alike", "seconds": "2"}\n')


def test_read_answers__a_session_beside_a_participant_is_no_person():
    text = "session,participant,a,b,c,odd\n1,ann,u,v,w,w\n2,ann,u,v,x,x\n1,bob,u,w,x,u\n"
    assert read_answers(io.StringIO(text)).people == ("ann", "bob")
    assert read_answers(io.StringIO(text), who="session").people == ("1", "2")
    alone = "\n".join(",".join(x.split(",")[:1] + x.split(",")[2:]) for x in text.splitlines())
    assert read_answers(io.StringIO(alone)).people == ("1", "2")
    said = read_comparisons(io.StringIO("session,participant,anchor,near,far\n1,ann,u,v,w\n2,bob,u,v,x\n"))
    assert list(said.who) == ["ann", "bob"]
    with pytest.raises(ParseError, match="Give who='worker' or who='rater'"):
        read_comparisons(io.StringIO("worker,rater,anchor,near,far\n1,ann,u,v,w\n2,bob,u,v,x\n"))
