"""Asking people: a page in the browser, and the same in a notebook.

A person sees three samples and says which of them does not belong. `serve` shows the questions on a page of a local web
server, `widget` in a notebook. If there is a file of answers, each answer is on disk before the next question is shown.
A model or a `Design` chooses the questions, and the design also says which of them people share. The model is anything
with the methods of `tripletree.cluster.OddOneOutClustering`. This room does not import it.
"""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tripletree.ask.design import Design, find_clear_trios
from tripletree.ask.wording import Wording
from tripletree.errors import MissingDependencyError

if TYPE_CHECKING:
    from tripletree.ask.session import Session
    from tripletree.core.leaves import LeafIndex

__all__ = ["Design", "Wording", "find_clear_trios", "serve", "widget"]

TITLE = "Odd one out"
#: Questions for each person, if neither a design nor a model tells how many.
N_QUESTIONS = 100


def serve(
    model: Any = None,
    X: Any = None,
    *,
    answers: str | os.PathLike[str] = "answers.jsonl",
    host: str = "127.0.0.1",
    port: int = 0,
    open_browser: bool = True,
    who: str | None = None,
    design: Design | None = None,
    show: str | Iterable[str] = (),
    language: str | None = None,
    new_address: bool = False,
    wording: Wording | None = None,
    watch: bool = False,
    public: str | None = None,
    **shown: Any,
) -> None:
    """Ask people on a page in the browser, until interrupted (Ctrl + C).

    Parameters
    ----------
    model : OddOneOutClustering, optional
        The model that chooses the questions. It is started, and has all answers, `labels_` and `hierarchy_` afterwards.
        Without a model, the trios come from the design or are drawn at random.
    X : array_like or data frame, shape (n, d), optional
        The measurements. Without them there are only names or pictures, and the model uses nothing but answers.
    answers : path, default="answers.jsonl"
        The file of answers. The model first hears the answers in it. Each new answer is on disk before the next
        question is shown.
    host : str, default="127.0.0.1"
        Address to listen at. By default only this machine can reach the page.
    port : int, default=0
        Port to listen at. 0 takes the port of the last time, or any free one.
    open_browser : bool, default=True
        Whether to open the page in a browser. The address is printed in any case.
    who : str, optional
        Name of the person. Other people type their names into the page.
    design : Design, optional
        How many questions each person gets, and which are shared, shown again, or have a known answer.
    show : str or iterable of str, default=()
        More things that people see beside the question, as for `widget`.
    language : {"en", "de", "fr"}, optional
        Language of the page. By default it is the one that each browser prefers, or English.
    new_address : bool, default=False
        Whether to make a new address. By default it is that of the last time with this file of answers, which is kept
        beside it (``answers-address.txt``): links that people have and pages left open work again after a restart.
    wording : Wording, optional
        The question in other words, instructions, consent, and the end with a completion code.
    watch : bool, default=False
        Whether there is a page for the leader of the study, at an address of its own: who is where, how well people
        agree, the hierarchy so far, files to save, and buttons that pause and stop the study.
    public : str, optional
        The address at which a proxy on this machine shows the page to others, such as ``https://study.example.org/``.
        Then requests may name this host, and X-Forwarded-For of the proxy is trusted.
    **shown
        `sample_names`, `texts`, `images`, `columns` and `title`, as for `widget`.

    Raises
    ------
    MissingDependencyError
        If starlette or uvicorn is not installed.
    ParseError
        If the file of answers cannot be read.
    BlockingIOError
        If another page writes to the file.
    OSError
        If the file cannot be written, or the port is taken.

    See Also
    --------
    widget : the same in a notebook.

    Notes
    -----
    Only people who have the address can open the page: it contains a random token. Requests from other sites are
    refused.

    Examples
    --------
    >>> from tripletree.cluster import OddOneOutClustering
    >>> serve(OddOneOutClustering(), [[0, 0], [0, 1], [5, 5], [5, 6]])  # doctest: +SKIP
    http://127.0.0.1:43843/klKep2DlH9eD7u3kF0toVUmKJjgRtrdL/
    """
    from tripletree.ask.texts import check_language

    server = import_server("tripletree.ask.serve")
    language, public = check_language(language), server.check_public(public)
    (wording or Wording()).check_language(language)
    session = open_session(model, X, answers=answers, design=design, show=show, wording=wording, **shown)

    def announce(address: str, leader: str | None) -> None:
        address = address_of(address, who)
        print(address, flush=True)  # noqa: T201
        if leader:
            print(f"for the leader alone: {leader}", flush=True)  # noqa: T201
        if open_browser:
            webbrowser.open(leader or address)

    with session:
        place = server.listen(host, port, answers, new_address=new_address, watch=watch)
        server.run(session, place, host, announce, language, public)


def widget(
    model: Any = None,
    X: Any = None,
    *,
    answers: str | os.PathLike[str] | None = None,
    who: str | None = None,
    design: Design | None = None,
    show: str | Iterable[str] = (),
    language: str | None = None,
    sample_names: Sequence[Any] | None = None,
    texts: Sequence[str] | None = None,
    images: str | os.PathLike[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = TITLE,
) -> Any:
    """Ask in a notebook: JupyterLab, VS Code, marimo and all others that show anywidgets.

    Parameters
    ----------
    model : OddOneOutClustering, optional
        The model that chooses the questions. It is started, and its `labels_`, `hierarchy_` and `answers_` can be used
        at any time. Without a model, the trios come from the design or are drawn at random.
    X : array_like or data frame, shape (n, d), optional
        The measurements. Without them there are only names or pictures, and the model uses nothing but answers.
    answers : path, optional
        The file of answers. The model first hears the answers in it, and each new one is appended. Without a file only
        the model keeps them. The widget says so and has a button that saves them. A model that already has answers
        about samples of the same names goes on with these.
    who : str, optional
        Name of the person.
    design : Design, optional
        How many questions each person gets, and which are shared, shown again, or have a known answer.
    show : str or iterable of str, default=()
        More things to show beside the question. Each may sway people: "labels" (names of samples that have a picture),
        "clusters" (with the hierarchy, as far as the model knows them), "people" (how many answers each person has
        given), "files" (links that save the results), or "all".
    language : {"en", "de", "fr"}, optional
        Language of the page. By default it is the one that the browser prefers, or English.
    sample_names : sequence of labels, optional
        Names of the samples. By default they are the index of a data frame, else the numbers of the rows. Without X
        they are the names of the pictures, or the samples of the design.
    texts : sequence of str, optional
        A text to show for each sample, instead of its numbers.
    images : path, optional
        A folder with a picture for each sample. The file has the name of the sample.
    columns : sequence of str, optional
        Names of the columns of X. By default they are those of a data frame, else numbers.
    title : str, optional
        Title of the page.

    Returns
    -------
    anywidget.AnyWidget

    See Also
    --------
    serve : a page for several people.

    Examples
    --------
    >>> from tripletree.cluster import OddOneOutClustering
    >>> model = OddOneOutClustering()
    >>> widget(model, [[0, 0], [0, 1], [5, 5], [5, 6]])  # doctest: +SKIP
    """
    try:
        from tripletree.ask.notebook import AskWidget
    except ImportError as error:
        raise MissingDependencyError(error.name or "anywidget", "ask", "the widget") from None
    from tripletree.ask.texts import check_language

    language = check_language(language)
    shown: dict[str, Any] = {
        "design": design,
        "show": show,
        "sample_names": sample_names,
        "texts": texts,
        "images": images,
        "columns": columns,
        "title": title,
    }
    return AskWidget(open_session(model, X, answers=answers, **shown), who, language)


def open_session(
    model: Any,
    X: Any,
    *,
    answers: str | os.PathLike[str] | None,
    only_read: bool = False,
    design: Design | None = None,
    show: str | Iterable[str] = (),
    sample_names: Sequence[Any] | None = None,
    texts: Sequence[str] | None = None,
    images: str | os.PathLike[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = TITLE,
    wording: Wording | None = None,
) -> Session:
    """Start a study, and its model if there is one, with the answers of a file. Return the session that asks."""
    import numpy as np

    from tripletree.ask.cards import Cards
    from tripletree.ask.images import ImageFolder
    from tripletree.ask.session import Session, check_shown, keep_for_one
    from tripletree.ask.study import Study
    from tripletree.io import read_answers
    from tripletree.io.answers import check_appendable

    shown, design = check_shown(show), design or Design()
    names = _names_of(X, sample_names, images, design)
    are_distances = getattr(model, "metric", None) == "precomputed"  # which say nothing on a card
    values = None if X is None or hasattr(X, "tocsr") or are_distances else np.asarray(X, np.float64)
    if columns is None and hasattr(X, "columns") and not are_distances:
        columns = list(X.columns)
    n, d = len(names) if X is None else np.shape(X)[0], 0 if values is None else values.shape[1]
    for what, entries, count in (("sample_names", names, n), ("texts", texts, n), ("columns", columns, d)):
        if entries is not None and len(entries) != count:
            msg = f"{what} has {len(entries)} entries; expected {count}"
            raise ValueError(msg)
    folder = None if images is None else ImageFolder(images, names.labels)
    cards = Cards(names.labels, values, columns=columns, texts=texts, images=folder, show_names="labels" in shown)
    file = None
    with ExitStack() as stack:
        if answers is None:  # a model that already has answers about these samples goes on with them
            before = getattr(model, "answers_", None)
            given = before if before is not None and before.leaves == names else None
        else:
            path = os.fspath(answers)
            if not only_read:
                file = stack.enter_context(keep_for_one(path))
            check_appendable(path)
            given = None if os.path.getsize(path) == 0 else read_answers(path, leaves=names)
        n_questions = design.n_questions or (N_QUESTIONS if model is None else model.n_questions)
        study = Study(design, names, n_questions, given or ())
        if model is not None:
            model.start(X, sample_names=names.labels, answers=given)
        return Session(study, model, cards, file, title=title, show=shown, wording=wording, close=stack.pop_all().close)


def _names_of(X: Any, sample_names: Any, images: Any, design: Design) -> LeafIndex:
    """The names of all samples: as given, or of the rows, the pictures, or the samples of the design."""
    from tripletree.ask.images import names_of_pictures
    from tripletree.core.checks import row_count
    from tripletree.core.leaves import LeafIndex

    if sample_names is not None:
        return LeafIndex(sample_names)
    if X is not None:
        return LeafIndex(X.index if hasattr(X, "iloc") else row_count(X))
    if images is not None:
        return LeafIndex(names_of_pictures(images))
    if not design.labels:
        msg = "there is nothing to ask about: give X, sample_names, images, or a design with trios"
        raise ValueError(msg)
    return LeafIndex(design.labels)


def import_server(purpose: str) -> Any:
    """Import the module of the web server, with a clear error if its libraries are missing."""
    try:
        return import_module("tripletree.ask.server")
    except ImportError as error:
        raise MissingDependencyError(error.name or "starlette", "ask", purpose) from None


def address_of(address: str, who: str | None) -> str:
    """The address of the page with the name of a person."""
    from urllib.parse import urlencode

    from tripletree.ask.session import MAX_WHO

    if who is not None and len(who) > MAX_WHO:
        msg = f"the name of the person has {len(who)} characters; at most {MAX_WHO} are shown on the page: shorten it"
        raise ValueError(msg)
    return address if not who else f"{address}?{urlencode({'who': who})}"
