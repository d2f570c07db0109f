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
        return "answers", tuple((x.who, (*map(str, x.items),), x.kind if x.odd is None else str(x.odd)) for x in found)
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
    ("pairs", linked("id1,id2,hamming", "0", "1"), [SAME, MUST]),
    ("pairs", linked("id1,id2,p_value", "0.9", "0.1"), [SAME, OTHER, MUST]),
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
#: Trios of which the last is never named.
TRIOS = ["u v w u", "v w x w", "x u v x", "u x w u", "w v u v", "x w v w", "u v x v", "v x w v"]


def named(codes, trios=TRIOS):
    """A table with the answers as codes of the three columns."""
    rows = [(*x.split()[:3], codes[x.split().index(x.split()[3])]) for x in trios]
    return "\n".join(["item1,item2,item3,response", *map(",".join, rows)]) + "\n"


def by_place(order, trios=TRIOS):
    """What rows say if the places that are answered, 0 and 1, stand for others: the place of each in `order`."""
    return [" ".join([*x.split()[:3], x.split()[order[x.split().index(x.split()[3])]]]) for x in trios]


def against(anchor, trios=TRIOS):
    """Comparisons of the two others with one, the first of them answered by 0."""
    two = [k for k in range(3) if k != anchor]
    found = []
    for x in map(str.split, trios):
        said = x.index(x[3])
        found.append(f"{x[anchor]} {x[two[said]]} {x[two[1 - said]]}")
    return nearer(*found)


SAID = nearer("u v w", "w u v", "u w v", "w u v")
FEW = ["u v w u", "v w x x", "x u v u"]
LAYOUTS += [
    ("answers", named("123"), [odd(*TRIOS), odd(*by_place([1, 2])), against(2), against(0)]),
    ("answers", named("012"), [odd(*TRIOS), against(2)]),
    ("answers", named("ABC"), [odd(*TRIOS), against(2)]),
    ("answers", named("123", by_place([1, 2])), [odd(*by_place([1, 2])), against(0)]),
    ("answers", "i,j,k,odd\n0,1,2,0\n1,2,0,1\n2,0,1,1\n",
     [odd("0 1 2 0", "1 2 0 1", "2 0 1 1"), odd("0 1 2 0", "1 2 0 2", "2 0 1 0")]),
    ("comparisons", "anchor,left,right,choice\n3,2,1,1\n4,1,2,1\n5,2,1,2\n",
     [nearer("3 1 2", "4 1 2", "5 2 1"), nearer("3 2 1", "4 1 2", "5 1 2")]),
    ("comparisons", "anchor,left,right,choice\nu,v,w,1\nw,x,u,-1\n",
     [nearer("u v w", "w u x"), nearer("u w v", "w x u")]),
    ("answers", "Timestamp,Is u more like v or w?,Is w more like u or v?\n1:00,v,u\n2:00,w,u\n", [SAID]),
    ("answers", "pid,u_v_w,w_u_v\np,v,u\nq,w,u\n",
     [SAID, odd("u v w v", "w u v u", "u v w w", "w u v u", who="ppqq")]),
    # answers that are none
    *(("answers", named("123", FEW) + f"v,x,u,{a}\nw,x,u,{b}\n", [odd(*FEW, "v x u unsure", "w x u unsure")])
      for a, b in (("-1", "-99"), ("4", "4"), ("0", "0"), ("?", "9"))),
    *(("answers", named(["u", "v", "w"], FEW[:1]) + f"v,x,u,{a}\nw,x,u,{b}\n",
       [odd(*FEW[:1], "v x u unsure", "w x u unsure")])
      for a, b in (("none", "all"), ("timeout", "too fast"), ("-", "pass"))),
]  # fmt: skip
#: Three answers that name each of the columns, as cells of a row, and the same where the first is never named.
EACH, LAST = ["u,v,w,w", "v,x,w,x", "x,u,v,x"], ["u,v,w,w", "v,x,w,x", "x,u,v,v"]


def beside(header, cells, rows=EACH):
    """A table with other columns before the items and the answer, or behind ("..." stands for the four)."""
    lines = [x.replace("...", row) for x, row in zip(cells, rows, strict=True)]
    return "\n".join([header.replace("...", "i1,i2,i3,response"), *lines]) + "\n"


SAID_ODD, SAID_LAST = (odd(*(x.replace(",", " ") for x in rows), who="pqp") for rows in (EACH, LAST))
PEOPLE = ("p,", "q,", "p,")
NEARER = nearer("u w v", "v x w", "x v u")
LAYOUTS += [
    # a question in cells, which asks for something else than the odd one, or for several things
    *(
        ("answers", beside("who,question,...", [f"{p}{q},..." for p in PEOPLE]), [SAID_ODD])
        for q in ("Which do you like best?", "Which two are most similar?", "Welche zwei passen zusammen?")
    ),
    (
        "answers",
        beside("who,question,...", [f"{p}Which do you like best?,..." for p in PEOPLE], LAST),
        [SAID_LAST, NEARER],
    ),
    (
        "answers",
        beside("who,task,...", [f"{p}{q},..." for p, q in zip(PEOPLE, ("odd", "prefer", "odd"), strict=True)]),
        [SAID_ODD, odd("u v w w", "x u v x", who="pp")],
    ),
    # another column that names items: two answers, a model, an anchor
    (
        "answers",
        beside("who,...,gpt_response", ["p,...,u", "q,...,v", "p,...,x"]),
        [SAID_ODD, odd("u v w u", "v x w v", "x u v x", who="pqp")],
    ),
    (
        "answers",
        beside("who,anchor,...", ["p,z,...", "q,u,...", "p,y,..."]),
        [SAID_ODD, nearer("z w u", "z w v", "u x v", "u x w", "y x u", "y x v")],
    ),
    (
        "answers",
        "who,i1,i2,i3,first_pick,second_pick\np,u,v,w,w,u\nq,v,x,w,x,w\np,x,u,v,x,u\n",
        [SAID_ODD, odd("u v w u", "v x w w", "x u v u", who="pqp")],
    ),
    ("answers", "who,i1,i2,i3,winner\np,u,v,w,w\nq,v,x,w,x\np,x,u,v,x\n", [SAID_ODD]),
    # few answers, and the first column is never named
    ("answers", beside("who,...", [f"{p}..." for p in PEOPLE], LAST), [SAID_LAST, NEARER]),
    # pairs of columns
    ("answers", "who,A,B,C,closest\np,u,v,w,AB\nq,v,x,w,AC\np,x,u,v,BC\n", [SAID_ODD]),
    # comparisons
    (
        "comparisons",
        "who,question,anchor,left,right,choice\np,Which is nicer?,u,v,w,w\nq,Which is nicer?,v,x,w,x\n",
        [nearer("u w v", "v x w"), nearer("u v w", "v w x")],
    ),
    (
        "comparisons",
        "target,left,right,answer,response\nu,v,w,w,v\nv,x,w,x,x\n",
        [nearer("u w v", "v x w"), nearer("u v w", "v x w")],
    ),
    (
        "comparisons",
        "who,ref,links,rechts,passender\np,u,v,w,rechts\nq,v,u,w,links\np,w,u,v,rechts\n",
        [nearer("u w v", "v u w", "w v u"), odd("u v w w", "v u w u", "w u v v", who="pqp")],
    ),
    # no probability, unless somebody says so
    ("pairs", "u,v,0.9\nu,w,0.1\nx,y,0.8\n", [SAME]),
    # no triplets, unless somebody says so
    ("triplets", "a,b,c,holds\nu,v,w,yes\nw,x,u,no\n", [triplets("u v|w", "w x|u")]),
    ("triplets", "a,b,c\n1.5,2.5,3\n2.5,3,4\n", [("triplets", ("1.5 2.5|3", "2.5 3|4"))]),
    ("triplets", ",a,b,c\na,0,1,4\nb,1,0,4\nc,3,4,0\n", [triplets("0 1|4", "3 4|0")]),
]
#: Tables that are read at once.
PLAIN = [
    *(("answers", beside("who,question,...", [f"{p}{q},..." for p in PEOPLE]), SAID_ODD)
      for q in ("Which is the odd one out?", "Was passt nicht dazu?", "Lequel est l'intrus ?", "Which one?")),
    ("answers", beside("who,...,correct_response", ["p,...,u", "q,...,v", "p,...,x"]), SAID_ODD),
    ("answers", beside("who,...,response_position", ["p,...,3", "q,...,2", "p,...,1"]), SAID_ODD),
    ("answers", beside("who,condition,...", ["p,slow,...", "q,fast,...", "p,slow,..."]), SAID_ODD),
    *(("comparisons", f"who,question,anchor,left,right,choice\np,{q},u,v,w,w\nq,{q},v,x,w,x\n",
       nearer("u v w", "v w x")) for q in ("Which is less similar?", "Welches ist unähnlicher?")),
    ("comparisons", "question,anchor,left,right,choice\nWhich is more similar?,u,v,w,w\n", nearer("u w v")),
    ("comparisons", "anchor,near,far,count\nu,v,w,2\nv,w,x,1\n", nearer("u v w", "u v w", "v w x")),
    ("comparisons", "anchor,farthest,nearest\nu,w,v\nv,x,w\n", nearer("u v w", "v w x")),
    ("pairs", linked("gene,other,constraint", "1", "-1"), SAME),
    ("triplets", "a,b,c,gene\nu,v,w,3\nw,x,u,4\n", triplets("u v|w", "w x|u")),
    *(("pairs", linked(f"id1;id2;{x}", "0", "1", ";"), SAME) for x in ("verschieden", "ungleich", "différent")),
    ("pairs", linked("id1,id2,conflict", "0", "1"), SAME),
    *(("pairs", linked(f"id1;id2;{x}", "ja", "nein", ";"), SAME) for x in ("gleich", "même", "identisch", "mismo")),
    ("pairs", linked("id1,id2,is_another_kind", "sameAs", "differentFrom"), SAME),
    ("pairs", linked("id1,id2,is_different_thing", "False", "True"), SAME),
    *(("answers", f"{x},item1,item2,item3,response\nv1,u,v,w,w\nv1,u,w,x,u\nv2,u,v,w,v\n",
       odd("u v w w", "u w x u", "u v w v", who=["v1", "v1", "v2"]))
      for x in ("id", "name", "initials", "ppn", "code", "ip_address", "run_id", "observation", "labeler")),
    ("answers", "who,a,b,c,odd\np,Big Oak,Elm,Ash,ash \np,Elm,Ash,Big Oak,big  oak\n", ("answers", (
        ("p", ("Big Oak", "Elm", "Ash"), "Ash"), ("p", ("Elm", "Ash", "Big Oak"), "Big Oak")))),
    ("answers", "subject,left,middle,right,key\np,u,v,w,3\np,v,x,w,2\n", odd("u v w w", "v x w x", who="pp")),
    ("answers", "participant,trial,event,value\np,0,s1,u\np,0,s2,v\np,0,s3,w\np,0,response,w\n"
     "p,1,s1,x\np,1,s2,v\np,1,s3,w\np,1,response,x\n", odd("u v w w", "x v w x", who="pp")),
    ("answers", "pid,n,event,value\np,1,seen,u v w\np,1,answer,w\nq,1,seen,x v w\nq,1,answer,v\n",
     odd("u v w w", "x v w v", who="pq")),
    ("answers", "pid,n,event,value\np,1,item,u\np,1,item,v\np,1,item,w\np,1,choice,w\nq,1,item,u\nq,1,item,v\n"
     "q,1,item,x\nq,1,choice,v\n", odd("u v w w", "u v x v", who="pq")),
    ("comparisons", "Timestamp,Is u more like v or w?,Which is more like w: u or v?\n1:00,v,u\n2:00,w,u\n", SAID),
    ("comparisons", "pid,Ist u eher wie v oder w?,Ist w näher an u oder v?\np,v,u\nq,w,u\n", SAID),
    ("comparisons", "pid,u_v_w,w_u_v\np,v,u\nq,w,u\n", SAID),
    *(("comparisons", f"who,anchor,option1,option2,{x}\np,u,v,w,w\nq,w,u,v,v\n", nearer("u v w", "w u v"))
      for x in ("farther", "less_similar", "further_away")),
    *(("comparisons", f"who,anchor,option1,option2,{x}\np,u,v,w,v\nq,w,u,v,u\n", nearer("u v w", "w u v"))
      for x in ("closer", "more_similar", "most_alike")),
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
        whole = [x for x in re.findall(r"'(tripletree [^'\n]*)'", message) if " DATA " not in x]
        return whole + re.findall(r"(?<!')(tripletree [^;\n]*)", re.sub(r"'tripletree [^'\n]*'", "", message))

    reached = set()
    follow(read, ways, f"check t.csv --as {kind}", reached)
    assert reached == set(meant)


@pytest.mark.parametrize(("kind", "text", "means"), PLAIN, ids=[f"{x[0]}: {x[1]!r:.50}" for x in PLAIN])
def test_layouts__that_need_no_hint(tmp_path, kind, text, means):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert value(getattr(readers, f"read_{kind}")(path)) == means
