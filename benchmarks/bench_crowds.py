"""Simulated crowds with odd-one-out answers: what `aggregate_answers` predicts, and whom `agreement` names.

"likeness": things of 8 kinds are sparse vectors without negative entries, and people choose two of three with a chance
that grows with their dot product. It is scaled so that who knows the chances is right in 70 % of new answers (66 % for
the crowd of 325). "tree": people know a random tree, and err in 0, 10 or 20 % of the answers.

Beside `aggregate_answers`: the majority of the other answers to the same trio, Dawid and Skene's model with one
accuracy for each person ("one coin"), the tree that displays the most answers ("repair"), and an ordinal embedding in
five dimensions (CKL, Tamuz et al. 2011: the chance of a pair is as 1 / (mu + its squared distance)), which is no tree.

The constants of `algorithms/consensus.py` and `algorithms/likeness.py` were set on seeds below 1,000.
"""

import argparse
import os
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from crowds import odd_of, random_hierarchy
from scipy.optimize import minimize

import tripletree as tt
from tripletree.algorithms.consensus import _searched, collect_answers
from tripletree.algorithms.likeness import Trios
from tripletree.core import AnswerSet
from tripletree.io import write_answers

PAIRS = ((1, 2), (0, 2), (0, 1))


def softmax(z):
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def of_pairs(matrix, rows):
    """The entries of a matrix for the pairs without the first, second and third of each trio."""
    return np.stack([matrix[rows[:, i], rows[:, j]] for i, j in PAIRS], axis=1)


def random_trios(rng, n, m):
    return np.sort(np.argsort(rng.random((m, n)), axis=1)[:, :3], axis=1).astype(np.int32)


def likeness(rng, n, limit):
    """Dot products of sparse vectors: of 3 groups of 8 kinds, and entries of single things; scaled to the limit."""
    kinds, dims = 8, 49
    group, kind, order = np.zeros((3, dims)), np.zeros((kinds, dims)), rng.permutation(dims)
    for g in range(3):
        group[g, order[2 * g : 2 * g + 2]] = rng.gamma(3, 0.3, 2)
    for k in range(kinds):
        kind[k, order[6 + 3 * k : 9 + 3 * k]] = rng.gamma(3, 0.3, 3)
        kind[k] += group[k % 3]
    X = kind[np.arange(n) % kinds] * rng.lognormal(0, 0.4, (n, dims)) * (rng.random((n, dims)) < 0.85)
    for i in range(n):
        X[i, rng.choice(dims, 6, replace=False)] += 0.2 * rng.exponential(0.5, 6)
    alike, rows, low, high = X @ X.T, random_trios(rng, n, 5_000), 0.01, 20.0
    for _ in range(30):
        middle = (low * high) ** 0.5
        above = softmax(middle * of_pairs(alike, rows)).max(axis=1).mean() >= limit
        low, high = (low, middle) if above else (middle, high)
    return low * alike


def replies_to(rng, alike, rows, sharpness=1.0):
    z = of_pairs(alike, rows) * np.reshape(sharpness, (-1, 1))
    return (z + rng.gumbel(size=z.shape)).argmax(axis=1)


# ---------------------------------------------------------------------- rivals


def embedding(votes, n, rng, dims=5, mu=0.05, ridge=0.05):
    """Chances of the three of any trio, by an ordinal embedding."""
    rows, count = votes.rows, votes.count(np.ones(len(votes.row)))

    def loss(x):
        X = x.reshape(n, dims)
        gaps = [X[rows[:, i]] - X[rows[:, j]] for i, j in PAIRS]
        square = np.stack([(g**2).sum(axis=1) for g in gaps], axis=1)
        p = softmax(-np.log(mu + square))
        pull = -(count.sum(axis=1, keepdims=True) * p - count) / (mu + square) * 2
        slope = ridge * X
        for k, (i, j) in enumerate(PAIRS):
            step = pull[:, k, None] * gaps[k]
            np.add.at(slope, rows[:, i], step)
            np.add.at(slope, rows[:, j], -step)
        return -(count * np.log(p)).sum() + ridge * (X**2).sum() / 2, slope.ravel()

    X = minimize(loss, 0.3 * rng.normal(size=n * dims), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    square = ((X.reshape(n, 1, dims) - X.reshape(1, n, dims)) ** 2).sum(axis=2)
    return lambda asked: softmax(-np.log(mu + of_pairs(square, asked)))


def one_coin(votes):
    """Chances of the three of each trio asked about, with an accuracy for each person, by EM."""
    right = np.full(len(votes.names), 0.6)
    for _ in range(30):
        log = np.log(2 * right / (1 - right))
        chance = softmax(votes.count(log[votes.voter]))
        hits = chance[votes.row, votes.odd]
        right = (np.bincount(votes.voter, hits) + 1.2) / (np.bincount(votes.voter) + 2)
        right = right.clip(0.01, 0.99)
    return chance


def shown_by(hierarchy):
    """Chances of the three: 1 for the odd one that the hierarchy shows, a third each where it shows none."""

    def chances(asked):
        odd = odd_of(hierarchy, asked)
        return np.where(odd[:, None] < 0, 1 / 3, np.arange(3) == odd[:, None])

    return chances


def told(chances, truth):
    """The share of answers predicted: the chance, in truth, of the likeliest one."""
    best = chances >= chances.max(axis=1, keepdims=True) - 1e-12
    return float(((best * truth).sum(axis=1) / best.sum(axis=1)).mean())


def repaired(votes, n):
    return _searched(Trios(votes.rows, votes.count(np.ones(len(votes.row))), n), np.random.default_rng(0))


# ---------------------------------------------------------------------- what is measured


def new_trios(seed, kind, m, n=40, people=10):
    """Answers to random trios, and all others predicted."""
    rng = np.random.default_rng([seed, m])
    every, rows = np.array(list(combinations(range(n), 3)), np.int32), random_trios(rng, n, m)
    if kind == "likeness":
        alike = likeness(rng, n, 0.7)
        truth, replies = softmax(of_pairs(alike, every)), replies_to(rng, alike, rows)
    else:
        true = random_hierarchy(rng, n)
        truth, replies = shown_by(true)(every), odd_of(true, rows).astype(np.int64)
        wrong = rng.random(m) < float(kind)
        replies = np.where(wrong, (replies + rng.integers(1, 3, m)) % 3, replies)
    answers = AnswerSet.from_columns(rows, replies, n, who=[str(k % people) for k in range(m)])
    votes = collect_answers(answers)
    assert len(votes.leaves) == n
    best = _searched(Trios(every, truth, n), rng)
    found = {"consensus": shown_by(tt.aggregate_answers(answers).hierarchy)}
    found["equal weights"] = shown_by(tt.aggregate_answers(answers, weights=None).hierarchy)
    found |= {"repair": shown_by(repaired(votes, n)), "embedding": embedding(votes, n, rng)}
    found |= {"best tree": shown_by(best), "truth": lambda _: truth}
    return {name: told(chances(every), truth) for name, chances in found.items()}


def crowd(rng, *, n=48, people=325, n_trios=1_000, careless=0.1):
    """Twenty to 120 answers of each of many people to the same trios; some people do not look."""
    alike, asked = likeness(rng, n, 0.66), random_trios(rng, n, n_trios)
    each = np.exp(rng.uniform(np.log(20), np.log(120), people)).astype(int)
    who = np.repeat(np.arange(people), each)
    sharpness = np.where(rng.random(people) < careless, 0.0, np.exp(0.35 * rng.normal(size=people)))
    rows = asked[rng.integers(0, n_trios, who.size)]
    names = [f"{'good' if s else 'careless'} {k} {i}" for i, (s, k) in enumerate(zip(sharpness, each, strict=True))]
    chances = softmax(of_pairs(alike, rows) * sharpness[who, None])
    return rows, replies_to(rng, alike, rows, sharpness[who]), [names[k] for k in who], chances


def same_trios(seed, overlap):
    """Held-out answers to 1,000 trios that got so many answers each of 325 people.

    Scored are the chances of these answers, not the answers that were drawn, which would add noise to no end.
    """
    rng = np.random.default_rng([seed, overlap])
    rows, replies, who, chances = crowd(rng)
    trios, row = np.unique(rows, axis=0, return_inverse=True)
    row, order = row.reshape(-1), rng.permutation(len(row))
    place = np.empty(len(row), np.int64)  # of each answer among those to its trio
    for part in np.split(order[np.argsort(row[order], kind="stable")], np.cumsum(np.bincount(row))[:-1]):
        place[part] = np.arange(part.size)
    given, held = place < overlap, (place == overlap) & np.char.startswith(np.array(who), "good")
    answers = AnswerSet.from_columns(
        rows[given], replies[given], 48, who=[x for x, g in zip(who, given, strict=True) if g]
    )
    votes = collect_answers(answers)
    said = chances[held]
    best = _searched(Trios(trios, np.stack([np.bincount(row[held], x, len(trios)) for x in said.T], axis=1), 48), rng)
    found = {"consensus": tt.aggregate_answers(answers), "equal weights": tt.aggregate_answers(answers, weights=None)}
    found = {name: told(shown_by(x.hierarchy)(rows[held]), said) for name, x in found.items()}
    found["repair"] = told(shown_by(repaired(votes, 48))(rows[held]), said)
    for name, chances in (("majority", votes.count(np.ones(len(votes.row)))), ("one coin", one_coin(votes))):
        found[name] = told(chances[row[held]], said)
    return found | {"best tree": told(shown_by(best)(rows[held]), said), "truth": told(said, said)}


def sorter(rng, n, m, colours):
    """Somebody who sorts by colour, with 5 % slips."""
    colour, rows = rng.integers(0, colours, n), random_trios(rng, n, m)
    same = of_pairs(colour[:, None] == colour[None], rows)
    odd = np.where(same.sum(axis=1) == 1, same.argmax(axis=1), rng.integers(0, 3, m))
    return rows, np.where(rng.random(m) < 0.05, rng.integers(0, 3, m), odd)


def verdicts(seed):
    """How many of each kind of people got each verdict, and seconds."""
    rng = np.random.default_rng([seed, 9])
    rows, replies, who, _ = crowd(rng)
    for m, colours in ((60, 4), (100, 4), (100, 6), (160, 4), (160, 6)):
        more, said = sorter(rng, 48, m, colours)
        rows, replies = np.concatenate([rows, more]), np.concatenate([replies, said])
        who += [f"colours {m} {colours}"] * m
    answers = AnswerSet.from_columns(rows, replies, 48, who=who)
    seconds = {}
    for name, function in (("agreement", tt.agreement), ("consensus", tt.aggregate_answers)):
        clock, cpu = time.perf_counter(), time.process_time()
        found = function(answers)
        seconds[name] = time.perf_counter() - clock, time.process_time() - cpu
        if name == "agreement":
            given = dict(zip(found.people, found.verdict, strict=True))
    count = {}
    for name, verdict in given.items():
        kind, m, what = name.split()
        key = (
            f"colours {m} answers, {what} colours"
            if kind == "colours"
            else f"{kind} {'40+' if int(m) >= 40 else '20-39'}"
        )
        count.setdefault(key, {}).setdefault(verdict, 0)
        count[key][verdict] += 1
    return count, seconds


def command(n_trios, m=17_611, people=231, n=48):
    """CPU seconds of `tripletree answers` on a file of so many answers to so many random trios."""
    rng = np.random.default_rng([7, n_trios])
    alike, asked = likeness(rng, n, 0.66), random_trios(rng, n, n_trios)
    rows = asked[rng.integers(0, n_trios, m)]
    replies = replies_to(rng, alike, rows)
    who = [str(k) for k in rng.integers(0, people, m)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "crowd.jsonl")
        write_answers(AnswerSet.from_columns(rows, replies, n, who=who), path)
        before = os.times()
        subprocess.run([sys.executable, "-m", "tripletree", "answers", path], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def shown(values):
    values = np.array(values)
    return f"{values.mean():.3f}({values.std(ddof=1) / np.sqrt(len(values)) * 1000:.0f})"


def table(title, runs_of):
    """A row for each setting and a column for each method: means and standard errors in the last digit."""
    print(f"\n{title}")
    for k, (setting, runs) in enumerate(runs_of):
        if k == 0:
            print(f"{'':16}" + "".join(f"{name:>15}" for name in runs[0]))
        print(f"{setting:16}" + "".join(f"{shown([x[name] for x in runs]):>15}" for name in runs[0]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=1_000, help="the first seed")
    parser.add_argument("--overlaps", default="1,3,16", help="answers a trio, for the same trios")
    parser.add_argument("--parts", default="new,same,people,command")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    if "new" in options.parts:
        kinds = [("likeness", m) for m in (300, 1_000, 3_000)] + [
            (e, m) for e in ("0", ".1", ".2") for m in (100, 300, 1_000)
        ]
        runs = ((f"{kind} {m:,}", [new_trios(seed, kind, m) for seed in seeds]) for kind, m in kinds)
        table("new trios: 40 things, 10 people, so many answers", runs)
    if "same" in options.parts:
        runs = ((f"{k} a trio", [same_trios(seed, k) for seed in seeds]) for k in map(int, options.overlaps.split(",")))
        table("the same trios: held-out answers to 1,000 trios about 48 things, 325 people", runs)
    if "people" in options.parts:
        total, seconds = {}, []
        for seed in seeds:
            count, taken = verdicts(seed)
            seconds.append(taken)
            for kind, words in count.items():
                for word, k in words.items():
                    total.setdefault(kind, {}).setdefault(word, 0)
                    total[kind][word] += k
        print("\nverdicts")
        for kind in sorted(total):
            print(f"  {kind:30} {total[kind]}")
        for name in ("agreement", "consensus"):
            clock, cpu = np.mean([x[name] for x in seconds], axis=0)
            print(f"  {name}: {clock:.1f} s, {cpu:.1f} s of processors")
    if "command" in options.parts:
        print("\ntripletree answers, 17,611 answers of 231 people about 48 things, the least of three runs")
        for n_trios in (1_000, 10_000):
            command(n_trios)  # compiles
            print(f"  {n_trios:,} random trios: {min(command(n_trios) for _ in range(3)):.1f} s of processors")


if __name__ == "__main__":
    main()
