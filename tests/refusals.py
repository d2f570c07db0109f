"""Refusals as tables: calls that must fail, each with its error, words of the message, and the data of the error.

    test_cuts__refused = refusals(
        "the number of clusters",
        Refusal(lambda h: cut(h, 0), ClusterCountError, "at least 1 cluster", n_clusters=0),
        Refusal(lambda k, h: cut(h, k), TypeError, "a whole number", each=[1.5, "2"]),
    )

A string is the headline of the rows below it, for their ids. What a call takes are fixtures, found by their names. With
`each` a row is a case for each value, which is what the call takes first.
"""

import inspect
import re

import pytest


class Refusal:
    """A call that must fail.

    `words` is what `pytest.raises` calls match: an expression, found in the message. Any other keyword is an attribute
    of the error, with its value; of the message itself `text` is the whole.
    """

    def __init__(self, call, error, words="", *, each=None, **data):
        self.call, self.error, self.words, self.data = call, error, words, data
        self.firsts = [()] if each is None else [(value,) for value in each]
        self.fixtures = list(inspect.signature(call).parameters)[each is not None :]

    def name(self, headline):
        """The id of the case: its headline and the words that come first."""
        words = re.sub(r"\\.|[^\w ]", " ", self.words or getattr(self.error, "__name__", ""))
        return f"{headline}: {' '.join(words.split())[:40]}".strip(": ")

    def check(self, first, request):
        """Call, and look at the error."""
        fixtures = [request.getfixturevalue(name) for name in self.fixtures]
        code = self.call.__code__
        place = f"the row at {code.co_filename}:{code.co_firstlineno}"
        try:
            found = self.call(*first, *fixtures)
        except self.error as error:
            caught = error
        else:
            pytest.fail(f"{place} is not refused: it gives {found!r:.200}")
        message = str(caught)
        assert re.search(self.words, message), f"{place}: expected {self.words!r} in the message {message!r}"
        found = {name: message if name == "text" else getattr(caught, name) for name in self.data}
        assert found == self.data, place


def refusals(*rows):
    """Make a test of a table: a case for each row, or for each value of its `each`."""
    headline, cases = "", []
    for row in rows:
        if isinstance(row, str):
            headline = row
        else:
            cases += [pytest.param(row, first, id=row.name(headline)) for first in row.firsts]

    @pytest.mark.parametrize(("row", "first"), cases)
    def test(row, first, request):
        row.check(first, request)

    return test
