"""The questions of a session as a widget for Jupyter, VS Code, marimo and all others that show anywidgets."""

from __future__ import annotations

import os
from html import escape
from importlib.resources import files
from typing import Any

import traitlets

from tripletree.ask.server import source
from tripletree.ask.session import RefusedError, Session
from tripletree.ask.texts import texts_as_script
from tripletree.core.checks import counted
from tripletree.errors import TripletreeError
from tripletree.io import write_answers
from tripletree.plots.page.notebook import RememberedWidget


class AskWidget(RememberedWidget):
    """Shows questions and takes answers. The `session` does the work."""

    _esm = (
        files("tripletree.plots.page").joinpath("notebook.js").read_text("utf-8")
        + texts_as_script()
        + source("texts.js", "cards.js", "view.js", "widget.js")
    )
    _css = source("ask.css")
    who = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    language = traitlets.Unicode("").tag(sync=True)

    def __init__(self, session: Session, who: str | None = None, language: str = "") -> None:
        super().__init__(who=who, language=language)
        self.session = session
        self.on_msg(self._received)

    def _received(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Answer a message of the page. The page shows errors."""
        number = content.get("id") if isinstance(content, dict) else None
        try:
            body, buffers = self._answered(content)
            self.send({"id": number, "body": body}, buffers)
            if content["kind"] in ("answer", "undo"):  # other views of this widget show it, too
                self.send({"changed": body["version"].partition("-")[0]})
        except RefusedError as error:
            self.send({"id": number, **error.body, "status": error.status})
        except (TripletreeError, OSError) as error:
            self.send({"id": number, "error": str(error)})

    def _answered(self, content: Any) -> tuple[Any, list[bytes] | None]:
        kind, body = (content.get("kind"), content.get("body")) if isinstance(content, dict) else (None, None)
        session = self.session
        if not isinstance(body, dict):
            msg = "expected a message with a body"
            raise RefusedError(msg)
        if kind == "setup":
            return session.setup(), None
        if kind == "state":
            return session.state(body.get("who"), body.get("version"), body.get("was")), None
        if kind == "answer":
            return session.answer(body), None
        if kind == "undo":
            return session.undo(body), None
        if kind == "answers":
            return {"name": "answers.jsonl", "text": write_answers(session.answers)}, None
        row, images = body.get("row"), session.cards.images
        if kind == "image" and images is not None and type(row) is int and 0 <= row < len(session.cards.names):
            image, media_type = images.read(row)
            return {"type": media_type}, [image]
        msg = "expected setup, state, answer, undo, answers or image"
        raise RefusedError(msg)

    def still_html(self) -> str:
        """Return how many answers there were when the widget was shown, and how to go on."""
        kept = "in memory only" if self.session.file is None else f"in {os.path.basename(self.session.file.path)}"
        number = counted(len(self.session.study), "answer")
        return f"<p>Questions were asked here: {number} so far, {escape(kept)}. Run the cell again to go on.</p>"
