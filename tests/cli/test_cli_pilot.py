"""`tripletree ask --pilot`: simulated people answer to the design of a study."""

import numpy as np
import pytest

pytest.importorskip("starlette")

from tripletree import TripletSet, displays
from tripletree.ask import Design, open_session
from tripletree.cli import piloting
from tripletree.cli.piloting import careless_of, names_of, simulate, true_tree
from tripletree.cluster import OddOneOutClustering
from tripletree.io import read_answers

NAMES = [f"s{k}" for k in range(9)]


@pytest.fixture
def names(tmp_path):
    (tmp_path / "names.csv").write_text("name\n" + "\n".join(NAMES) + "\n")
    return tmp_path


def test_pilot__reports_and_writes_beside_the_answers(run, names):
    (names / "catch.txt").write_text("s0 s1 | s8\n")
    options = ("ask", "names.csv", "--pilot", "6", "--questions", "8", "--overlap", "2", "--catch", "catch.txt")
    done = run(*options)
    assert "6 simulated people, 8 questions each, about 9 things" in done.stdout
    assert "a random tree" in done.stdout
    looks = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert looks == [["questions", "answers"], ["2", "12"], ["4", "24"], ["6", "36"], ["8", "48"]]
    assert "Of 1 person who answer at random" in done.stdout
    answers = read_answers(names / "answers-pilot.jsonl")
    assert [len(answers.by(who)) for who in answers.people] == [8] * 6
    assert not (names / "answers.jsonl").exists()
    assert run(*options).stdout == done.stdout


def test_pilot__with_numbers_people_know_their_tree(run, names):
    (names / "numbers.csv").write_text("name,x\n" + "".join(f"s{k},{2**k}\n" for k in range(9)))
    done = run("ask", "numbers.csv", "--pilot", "3", "--questions", "4")
    assert "the tree of the numbers" in done.stdout
    assert "Nobody answers at random" in done.stdout


def test_pilot__is_no_export(run, names):
    (names / "answers.jsonl").write_text("")
    done = run("ask", "names.csv", "--pilot", "3", "--export", "found", status=2)
    assert "give --export or --pilot" in done.stderr


def simulated(monkeypatch, model, n_people, **design):
    """All rounds of a pilot in which everybody who looks is right, and the tree."""
    monkeypatch.setattr(piloting, "WRONG", 0.0)
    truth = true_tree(NAMES, None, 5)
    with open_session(model, None, answers=None, sample_names=NAMES, design=Design(**design)) as session:
        return list(simulate(session, truth, n_people, 5)), truth, session.answers


@pytest.mark.parametrize("learns", [False, True])
def test_pilot__people_who_look_answer_by_the_tree(monkeypatch, learns):
    rounds, truth, answers = simulated(monkeypatch, OddOneOutClustering() if learns else None, 10, n_questions=6)
    assert [len(given) for given in rounds] == [10] * 6
    assert sorted(answers.people) == names_of(10)
    (careless,) = careless_of(names_of(10))
    assert careless == "simulated 10"
    careful = answers.subset(np.array([x.who != careless for x in answers]))
    assert displays(truth, careful.triplets()).all()
    assert (answers.seconds > 0).all()


def test_pilot__known_answers_count_more_than_the_tree_and_the_design_holds(monkeypatch):
    truth = true_tree(NAMES, None, 5)
    shown = {truth.leaves[0], truth.leaves[4], truth.leaves[8]}
    each = {x: TripletSet.from_labels([(*sorted(shown - {x}), x)]) for x in sorted(shown)}
    odd = next(x for x, triplet in each.items() if not displays(truth, triplet).all())
    catch = each[odd]
    model = OddOneOutClustering()
    _, _, answers = simulated(monkeypatch, model, 4, n_questions=10, overlap=2, catch=catch, catch_share=0.1)
    caught = answers.about(*shown)
    assert len(caught) == 4
    assert {x.odd for x in caught} == {odd}
    asked = {}
    for x in answers:
        asked.setdefault(frozenset(x.items), set()).add(x.who)
    shared = [len(people) for items, people in asked.items() if items != shown]
    assert max(shared) == 2
    assert shared.count(2) > len(shared) / 2


def test_pilot__random_trees_are_binary_over_all_names():
    trees = {true_tree(NAMES, None, seed) for seed in range(5)}
    assert len(trees) > 1
    for tree in trees:
        assert set(tree.leaves) == set(NAMES)
        assert tree.n_nodes == 2 * len(NAMES) - 1
    ward = true_tree(["a", "b", "c", "d"], np.array([[0.0], [1.0], [10.0], [11.0]]), 0)
    assert {frozenset(ward.clade(u)) for u in range(4, 7)} == {frozenset("ab"), frozenset("cd"), frozenset("abcd")}
