"""Several people at once on the page of `tripletree ask`: how long is it from an answer to the next question?

A server of its own on this machine, and a thread for each person, who looks 1.5 to 4.5 seconds at each question. Rows:
seconds from the request with an answer to the reply with the next question.

    python benchmarks/bench_asking.py [seconds] [people] [things ...]

With "tree": people who know one random tree about 40 names give 100 answers in all, 1.5 to 3 seconds each. Which share
of the triplets of the tree does the model's hierarchy display, beside one person whose questions follow from all
answers, and 100 trios drawn at random?

    python benchmarks/bench_asking.py tree [people] [seeds]
"""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

import tripletree as tt
from tripletree.algorithms import all_triplets
from tripletree.ask import Design, open_session
from tripletree.cluster import OddOneOutClustering
from tripletree.core import Answer

NAMES = 40


def side_by_side(work, count):
    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def person(k, address, until, took):
    rng, place = random.Random(k), urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port)

    def call(method, path, body=None):
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, place.path + path, json.dumps(body) if body else None, headers)
        return json.loads(connection.getresponse().read())

    time.sleep(2 * rng.random())
    state = call("GET", f"state?who=p{k}")
    while time.monotonic() < until:
        time.sleep(rng.uniform(1.5, 4.5))
        rows = [card["row"] for card in state["question"]]
        odd = max(rows, key=lambda row: (row.bit_length(), row))
        start = time.monotonic()
        message = {"who": f"p{k}", "number": state["number"], "question": rows, "reply": odd, "seconds": 2.0}
        state = call("POST", "answer", message)
        took.append(time.monotonic() - start)


def load(seconds, people, things):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "names.csv").write_text("name\n" + "".join(f"t{k}\n" for k in range(things)))
        command = [sys.executable, "-m", "tripletree", "ask", "names.csv", "--no-browser"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address, took = server.stdout.readline().strip(), []
        until = time.monotonic() + seconds
        side_by_side(lambda k: person(k, address, until, took), people)
        server.send_signal(signal.SIGINT)
        server.wait()
        server.stdout.close()
        kept = len(tt.read_answers(Path(folder, "answers.jsonl")))
    at = np.quantile(took, [0.5, 0.9, 0.95, 1.0])
    print(f"| {things:,} | {people} | {len(took)} | {kept} | " + " | ".join(f"{x:.3f}" for x in at) + " |", flush=True)


def random_tree(seed):
    rng, nodes = np.random.default_rng(seed), [f"t{k}" for k in range(NAMES)]
    while len(nodes) > 1:
        i, j = sorted(rng.choice(len(nodes), 2, replace=False).tolist())
        second, first = nodes.pop(j), nodes.pop(i)
        nodes.append([first, second])
    return tt.Hierarchy.from_nested(nodes[0])


def tree(people, seed):
    truth = random_tree(seed)
    names, every = list(truth.leaves), all_triplets(truth)
    odd = {frozenset(x): x[2] for x in every}

    def asked(*items):
        return odd[frozenset(items)]

    def share(model):
        return tt.displays(model.hierarchy_, every).mean()

    together = OddOneOutClustering()
    with open_session(together, None, answers=None, sample_names=names, design=Design()) as session:

        def answers(k):
            rng, who = random.Random(1000 * seed + k), f"p{k}"
            for number in range(100 // people):
                rows = [card["row"] for card in session.state(who)["question"]]
                time.sleep(rng.uniform(1.5, 3))
                reply = names.index(asked(*(names[row] for row in rows)))
                session.answer({"who": who, "number": number, "question": rows, "reply": reply})

        side_by_side(answers, people)
    alone = OddOneOutClustering(n_questions=100).fit(None, sample_names=names, oracle=asked)
    rng = random.Random(seed)
    drawn = [tuple(rng.sample(names, 3)) for _ in range(100)]
    given = [Answer(x, "odd", asked(*x)) for x in drawn]
    at_random = OddOneOutClustering().start(None, sample_names=names, answers=given)
    print(f"| {seed} | " + " | ".join(f"{share(x):.3f}" for x in (together, alone, at_random)) + " |", flush=True)


def main(words):
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if words[:1] == ["tree"]:
        people, seeds = [*map(int, words[1:]), *(4, 3)[len(words) - 1 :]]
        print("| seed | together | one alone | random trios |\n|---|---|---|---|")
        for seed in range(1, seeds + 1):
            tree(people, seed)
        return
    seconds, people = [*map(int, words[:2]), *(40, 20)[len(words[:2]) :]]
    print("| things | people | answers | kept | median | 90 % | 95 % | most |\n|---|---|---|---|---|---|---|---|")
    for things in map(int, words[2:] or ["40", "1000"]):
        load(seconds, people, things)


if __name__ == "__main__":
    main(sys.argv[1:])
