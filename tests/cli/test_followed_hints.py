"""Each command that an error prints gives a right reading of the table, or asks again: never a wrong one.

A row of `LAYOUTS` has a table, the reader that is asked, and all readings that may be meant. The commands of its error
are run as they are printed, in Python and in a shell, those of the next error in turn, and they reach all readings.
"""

import re
import shlex

import pytest
from click.testing import CliRunner

import tripletree.io as readers
from tripletree.cli import main, sources
from tripletree.errors import TripletreeError


def value(found):
    """What was read, as texts."""
    kind = type(found).__name__
    if kind == "AnswerSet":
        return "answers", tuple((x.who, x.items, x.odd or x.kind) for x in found)
    if kind == "Comparisons":
        return "comparisons", tuple(tuple(str(found.leaves[i]) for i in row) for row in found.rows.tolist())
    if kind == "TripletSet":
        return "triplets", tuple(sorted(f"{min(a, b)} {max(a, b)}|{c}" for a, b, c in found))
    return "pairs", tuple(sorted(f"{a} {b} {link}" for a, b, link in found))


def pairs(*rows):
    return "pairs", tuple(sorted(rows))


def triplets(*rows):
    return "triplets", tuple(sorted(f"{min(x[0], x[2])} {max(x[0], x[2])}|{x[4]}" for x in rows))


def nearer(*rows):
    return "comparisons", tuple(tuple(x.split()) for x in rows)


def odd(*rows, who=None):
    people = who or [None] * len(rows)
    return "answers", tuple((p, tuple(x.split()[:3]), x.split()[3]) for p, x in zip(people, rows, strict=True))


SAME = pairs("u v must", "u w cannot", "x y must")
OTHER = pairs("u v cannot", "u w must", "x y cannot")
MUST = pairs("u v must", "u w must", "x y must")


def linked(header, one, two, sep=","):
    return "\n".join([header, *(sep.join(x) for x in (("u", "v", one), ("u", "w", two), ("x", "y", one)))]) + "\n"


LAYOUTS = [
    ("pairs", linked("id1,id2,finding", "1", "0"), [SAME, OTHER, MUST]),
    ("pairs", linked("id1,id2,finding", "no", "yes"), [SAME, OTHER, MUST]),
    ("pairs", linked("rec_id_1,rec_id_2,label", "1", "2"), [SAME, OTHER, MUST]),
    ("pairs", linked("left_id,right_id,verdict", "b", "c"), [SAME, OTHER, MUST]),
    ("pairs", linked("id1;id2;befund", "ja", "nein", ";"), [SAME, OTHER, MUST]),
    ("pairs", linked("id1,id2,hamming", "0", "1"), [MUST]),
    ("pairs", linked("id1,id2,p_value", "0.9", "0.1"), [MUST]),
    ("pairs", "n,ltable_id,rtable_id,label\n0,u,v,1\n1,u,w,0\n2,x,y,1\n", [SAME, OTHER, MUST]),
    ("pairs", ",rec_id_1,rec_id_2,0\n0,u,v,1\n1,u,w,0\n2,x,y,1\n", [SAME, OTHER, MUST]),
    ("pairs", "id1,id2,guess,gold\nu,v,0,1\nu,w,1,0\nx,y,0,1\n", [SAME, OTHER, MUST]),
    ("pairs", "labeler,id_a,id_b,answer\nann,u,v,yes\nann,u,w,no\nben,x,y,yes\n", [SAME, OTHER, MUST]),
    # no header
    ("triplets", "u,v,w\nw,x,u\nv,x,u\n", [triplets("u v|w", "w x|u", "v x|u"), nearer("u v w", "w x u", "v x u")]),
    ("triplets", "0,1,4\n4,5,0\n1,5,4\n", [triplets("0 1|4", "4 5|0", "1 5|4"), nearer("0 1 4", "4 5 0", "1 5 4")]),
    ("triplets", "u,v,w,w\nw,x,u,x\nv,u,x,x\n",
     [odd("u v w w", "w x u x", "v u x x"), nearer("u w v", "w x u", "v x u")]),
    ("triplets", "u,v,w,w\nw,x,u,w\nv,u,x,x\n", [odd("u v w w", "w x u w", "v u x x")]),
    ("triplets", "u,v,w,3\nw,x,u,1\nv,u,x,2\n", [odd("u v w w", "w x u w", "v u x u")]),
    ("triplets", "ann,u,v,w,w\nann,w,x,u,w\nben,v,u,x,x\n", [odd("u v w w", "w x u w", "v u x x")]),
]  # fmt: skip
#: Tables that are read at once.
PLAIN = [
    *(("pairs", linked(f"id1;id2;{x}", "0", "1", ";"), SAME) for x in ("verschieden", "ungleich", "différent")),
    ("pairs", linked("id1,id2,conflict", "0", "1"), SAME),
    *(("pairs", linked(f"id1;id2;{x}", "ja", "nein", ";"), SAME) for x in ("gleich", "même", "identisch", "mismo")),
    ("pairs", linked("id1,id2,is_another_kind", "sameAs", "differentFrom"), SAME),
    ("pairs", linked("id1,id2,is_different_thing", "False", "True"), SAME),
    ("pairs", "id,qid1,qid2,question1,question2,is_duplicate\n0,u,v,?,?,1\n1,u,w,?,?,0\n2,x,y,?,?,1\n", SAME),
]  # fmt: skip
_CALL = re.compile(r"\bread_\w+\((?:[^()'\"]|'[^'\n]*'|\"[^\"\n]*\"|\([^()]*\))*\)")


def follow(read, ways, command, reached, seen=()):
    """Run a command, and those that its error prints."""
    try:
        reached.add(value(read(command)))
    except TripletreeError as error:
        message = str(error)
        assert message not in seen, f"{command} leads back to {message}"
        onward = ways(message)
        assert onward, f"{command} offers no way on: {message}"
        for x in onward:
            follow(read, ways, x, reached, (*seen, message))


@pytest.mark.parametrize(("kind", "text", "meant"), LAYOUTS, ids=[f"{x[0]}: {x[1]!r:.50}" for x in LAYOUTS])
def test_hints__give_right_readings(tmp_path, monkeypatch, kind, text, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(text)
    reached = set()
    follow(lambda x: eval(x, vars(readers)), _CALL.findall, f"read_{kind}('t.csv')", reached)
    assert reached == set(meant)


class Refused(TripletreeError):
    """What a command says that fails."""


@pytest.mark.parametrize(("kind", "text", "meant"), LAYOUTS, ids=[f"{x[0]}: {x[1]!r:.50}" for x in LAYOUTS])
def test_hints__give_right_readings_in_a_shell(tmp_path, monkeypatch, kind, text, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(text)
    found = []

    def watched(read):
        def reader(*arguments, **options):
            found.append(read(*arguments, **options))
            return found[-1]

        reader.__name__ = read.__name__
        return reader

    for x in ("answers", "comparisons", "pairs", "triplets"):
        monkeypatch.setattr(sources, f"read_{x}", watched(getattr(readers, f"read_{x}")))

    def read(command):
        found.clear()
        done = CliRunner().invoke(main, shlex.split(command.removeprefix("tripletree ")))
        if not found:
            raise Refused(done.stderr)
        return found[-1]

    def ways(message):
        whole = re.findall(r"'(tripletree [^'\n]*)'", message)
        return whole + re.findall(r"(?<!')(tripletree [^;\n]*)", re.sub(r"'tripletree [^'\n]*'", "", message))

    reached = set()
    follow(read, ways, f"check t.csv --as {kind}", reached)
    assert reached == set(meant)


@pytest.mark.parametrize(("kind", "text", "means"), PLAIN, ids=[f"{x[0]}: {x[1]!r:.50}" for x in PLAIN])
def test_layouts__that_need_no_hint(tmp_path, kind, text, means):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert value(getattr(readers, f"read_{kind}")(path)) == means
