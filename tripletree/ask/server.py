"""The page of a session on a web server, by default for this machine only.

Only people who were given the address can use the page. Its path begins with a random token. The host name must belong
to this machine, so that no other site can point its own name here. If a browser says which site a request comes from,
it must be this page. There are no cookies, so a request from another site carries no rights.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import json
import logging
import os
import re
import secrets
import socket
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from tripletree.ask.address import keep_address, path_of_address, read_address
from tripletree.ask.exports import exports_of, files_of, media_type_of
from tripletree.ask.session import RefusedError, Session, refused
from tripletree.ask.texts import texts_as_script
from tripletree.ask.watch import Watch
from tripletree.errors import LimitExceededError, ParseError

MAX_BODY, MAX_AT_ONCE = 16 * 1024, 200
#: Seconds in which a connection must send a request with the token, and the most connections that have not done so.
MAX_SILENCE, MAX_STRANGERS = 10.0, 100
#: The key in a request's scope of the function to call once the token has been seen.
KNOWN = "tripletree.known"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
#: For pictures and exported files: nothing in them may run, even if they are opened on their own.
INERT = {"Content-Security-Policy": "default-src 'none'; sandbox"}
#: The parts that the page loads: the files of each, and its media type.
PARTS = {
    "": (("page.html",), "text/html"),
    "ask.css": (("ask.css",), "text/css"),
    "ask.js": (("texts.js", "cards.js", "view.js", "page.js"), "text/javascript"),
    "icon.svg": (("icon.svg",), "image/svg+xml"),
}
#: The parts of the page of the leader.
LEADER_PARTS = {
    "": (("watch.html",), "text/html"),
    "watch.css": (("ask.css", "watch.css"), "text/css"),
    "watch.js": (("cards.js", "watch.js"), "text/javascript"),
    "icon.svg": (("icon.svg",), "image/svg+xml"),
}


def source(*names: str) -> str:
    """Join some files of the page."""
    folder = files("tripletree.ask") / "page"
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


# ---------------------------------------------------------------------- access

#: A Host header: a name, or a number in brackets, and perhaps a port.
_HOST = re.compile(r"(?:(?P<name>[\w.-]+)|\[(?P<number>[0-9A-Fa-f:.]+)\])(?::\d{0,5})?", re.ASCII)


class Guard:
    """Passes on requests that have a token and do not come from another site, and takes the token off their path.

    `apps` has the application of each token.
    """

    def __init__(self, apps: Mapping[str, Any], hosts: Callable[[str], bool]) -> None:
        self.apps, self.hosts = dict(apps), hosts
        self._at_once = 0

    def _app_of(self, token: str) -> Any:
        """The application of a token. Each comparison takes as long, whatever the token."""
        given = token.encode("utf-8", "replace")
        found = [app for known, app in self.apps.items() if secrets.compare_digest(given, known.encode())]
        return found[0] if found else None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, with the headers of all responses."""
        if scope["type"] != "http":  # no websockets
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        token, _, path = scope["path"].removeprefix("/").partition("/")
        wanted, passed = self._app_of(token), False
        if len(headers.getlist("host")) != 1 or not self.hosts(_host_name(headers["host"])):
            app: Any = _refusal("unknown host", 421)
        elif wanted is None:
            app = _refusal("this address is not complete; take the one that tripletree ask printed", 404)
        else:
            scope.get(KNOWN, bool)()
            if not _is_own(headers, scope["method"], path):
                app = _refusal("requests from other sites are refused", 403)
            elif self._at_once >= MAX_AT_ONCE:
                app = _refused(refused("errorBusy", 503))
            else:
                rest = scope["path"][len(token) + 1 :]
                passed = bool(rest)
                app = wanted if passed else Response(status_code=308, headers={"Location": f"{token}/"})
                scope = {**scope, "path": rest, "raw_path": rest.encode(), "root_path": ""}
        self._at_once += passed
        try:
            await app(scope, receive, send_with_headers)
        finally:
            self._at_once -= passed


def _host_name(host: str) -> str:
    """The name in a Host header, without the port. "" for what no browser sends, such as "evil.example@localhost"."""
    found = _HOST.fullmatch(host)
    return (found["name"] or found["number"]).lower() if found else ""


def _is_own(headers: Headers, method: str, path: str) -> bool:
    """Whether a request comes from the page itself, or is the page being opened."""
    origins = headers.getlist("origin")
    if any(origin.partition("://")[2] != headers["host"] for origin in origins[:1]) or len(origins) > 1:
        return False
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return True
    return method == "GET" and path in ("", "/") and headers.get("sec-fetch-mode") == "navigate"


def _refusal(message: str, status: int) -> JSONResponse:
    return JSONResponse({"error": message}, status)


def _refused(error: RefusedError) -> JSONResponse:
    return JSONResponse(error.body, error.status)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address to listen at."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def accepted_hosts(host: str, public: str | None = None) -> Callable[[str], bool]:
    """Return the test of host names for a server that listens at `host`, and has a `public` address.

    Numeric addresses are safe, because another site needs a name of its own to interfere.
    """
    own = {"localhost", host.lower(), socket.gethostname().lower()}
    outside = None if public is None else urlsplit(public).hostname

    def known(name: str) -> bool:
        if outside is not None and name == outside:
            return True
        if is_loopback(host):
            return is_loopback(name)
        try:
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return name in own

    return known


# ---------------------------------------------------------------------- routes


def make_app(
    session: Session,
    token: str,
    hosts: Callable[[str], bool],
    language: str = "",
    *,
    leader: str | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Guard:
    """Make the application.

    The function `hosts` tests whether a name, without port, belongs to this machine. `language` is the language of the
    page. "" takes the one that each browser prefers. `leader` is the token of the page of the leader, who may `stop`
    the server.
    """
    exports = exports_of(session) if "files" in session.show else {}
    first = {
        "": lambda page: page.replace('data-language=""', f'data-language="{language}"'),
        "ask.js": lambda script: texts_as_script(session.wording.texts()) + script,
    }

    async def setup(request: Request) -> Response:
        return JSONResponse({**session.setup(), "exports": [[name, x.title] for name, x in exports.items()]})

    async def state(request: Request) -> Response:
        query = request.query_params
        place = request.client and request.client.host
        found = await run_in_threadpool(session.state, query.get("who"), query.get("version"), query.get("was"), place)
        return Response(status_code=204) if found is None else JSONResponse(found)

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(session.answer, await _message(request)))

    async def undo(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(session.undo, await _message(request)))

    async def image(request: Request) -> Response:
        row, images = request.path_params["row"], session.cards.images
        known = row.isdecimal() and len(row) < 10 and int(row) < len(session.cards.names)  # Python reads 4,300 digits
        if images is None or not known:
            raise HTTPException(404, "there is no such picture")
        content, media_type = await run_in_threadpool(images.read, int(row))
        # the browser keeps pictures, because the side shows the same ones after each answer
        return Response(content, media_type=media_type, headers={**INERT, "Cache-Control": "private, max-age=3600"})

    def files_shown() -> dict[str, Callable[[], str]]:
        return {name: partial(x.make, session) for name, x in exports.items()}

    routes = [
        *_part_routes(PARTS, first),
        Route("/setup", setup),
        Route("/state", state),
        Route("/answer", answer, methods=["POST"]),
        Route("/undo", undo, methods=["POST"]),
        Route("/image/{row}", image),
        _export_route(files_shown),
    ]
    apps = {token: Starlette(routes=routes, exception_handlers=_HANDLERS)}
    if leader is not None:
        apps[leader] = _leader_app(session, stop)
    return Guard(apps, hosts)


def _leader_app(session: Session, stop: Callable[[], None]) -> Starlette:
    """The page of the leader: an overview, files, and the switches."""
    watch, names = Watch(session), list(files_of(session))

    async def overview(request: Request) -> Response:
        found = await run_in_threadpool(watch.overview)
        return JSONResponse({**found, "files": names})

    async def control(request: Request) -> Response:
        wanted = (await _message(request)).get("do")
        if wanted not in ("pause", "resume", "stop"):
            msg = "do must be pause, resume or stop"
            raise RefusedError(msg)
        if wanted == "stop":
            stop()
        else:
            session.paused = wanted == "pause"
        return JSONResponse({"paused": session.paused})

    routes = [
        *_part_routes(LEADER_PARTS, {}),
        Route("/overview", overview),
        Route("/control", control, methods=["POST"]),
        _export_route(lambda: files_of(session)),
    ]
    return Starlette(routes=routes, exception_handlers=_HANDLERS)


def _part_routes(parts: Mapping[str, Any], first: Mapping[str, Callable[[str], str]]) -> list[Route]:
    """The routes of the parts of a page. `first` has functions that change their text."""

    async def part(request: Request) -> Response:
        name = request.url.path.lstrip("/")
        names, media_type = parts[name]
        return Response(first.get(name, str)(source(*names)), media_type=media_type)

    return [Route(f"/{name}", part) for name in parts]


def _export_route(files: Callable[[], Mapping[str, Callable[[], str]]]) -> Route:
    """The route of the files to save."""

    async def exported(request: Request) -> Response:
        name = request.path_params["name"]
        make = files().get(name)
        if make is None:
            raise HTTPException(404, "there is no such file")
        text = await run_in_threadpool(make)
        headers = {**INERT, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text.encode("utf-8", "backslashreplace"), media_type=media_type_of(name), headers=headers)

    return Route("/export/{name}", exported)


_HANDLERS: dict[Any, Any] = {
    RefusedError: lambda request, error: _refused(error),
    ClientDisconnect: lambda request, error: _refusal("the message was cut off", 400),
    HTTPException: lambda request, error: _refusal(error.detail, error.status_code),
    FileNotFoundError: lambda request, error: _refusal("there is no such picture", 404),
    ParseError: lambda request, error: _refusal(str(error), 415),
    LimitExceededError: lambda request, error: _refusal(str(error), 413),
    OSError: lambda request, error: _refused(refused("errorNotKept", 507, reason=error.strerror or str(error))),
}


async def _message(request: Request) -> dict[str, Any]:
    """The body of a request, a JSON object of limited size."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        msg = "expected application/json"
        raise RefusedError(msg, 415)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            msg = f"a message has at most {MAX_BODY} bytes"
            raise RefusedError(msg, 413)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        msg = "expected a JSON object"
        raise RefusedError(msg)
    return message


# ---------------------------------------------------------------------- running


class Place(NamedTuple):
    """The place of a page: its socket, its secret tokens, and the file of answers beside which the address is kept."""

    sock: socket.socket
    token: str
    answers: str | None = None
    leader: str | None = None

    def addresses(self, start: str) -> tuple[str, str | None]:
        """Return the addresses of the page and of the leader, below that of the server."""
        return f"{start}{self.token}/", None if self.leader is None else f"{start}{self.leader}/"


def listen(
    host: str,
    port: int,
    answers: str | os.PathLike[str] | None = None,
    *,
    new_address: bool = False,
    watch: bool = False,
) -> Place:
    """Open a socket to listen at. Port 0 takes that of the address kept beside the answers, or any free port."""
    kept = None if answers is None or new_address else read_address(answers)
    wanted = port or (kept.port if kept else 0)
    try:
        family, _, _, _, address = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.create_server(address[:2], family=family)
    except OSError as error:
        msg = f"cannot listen at {host}, port {wanted}: {error.strerror or error}"
        if kept and not port and error.errno == errno.EADDRINUSE:
            msg += (
                f"; links that people have lead to this port ({path_of_address(answers or '')}): end the program that "
                "has it, or make another address with --new-address (new_address=True)"
            )
        raise OSError(msg) from None
    token = kept.token if kept else secrets.token_urlsafe(24)
    leader = ((kept and kept.leader) or secrets.token_urlsafe(24)) if watch else None
    return Place(sock, token, None if answers is None else os.fspath(answers), leader)


class Connection(H11Protocol):
    """A connection that is closed unless a request with the token comes soon, or if too many others are waiting, too.

    Anybody who can reach the server can open connections and send half a request or nothing. uvicorn waits for the rest
    without end. Its own limit counts such connections, so they would keep everybody out.
    """

    def connection_made(self, transport: Any) -> None:
        """Wait for a request."""
        super().connection_made(transport)
        self.app = self._call
        self._silence: asyncio.TimerHandle | None = self.loop.call_later(MAX_SILENCE, transport.abort)
        strangers = [(x._silence.when(), x) for x in self.connections if isinstance(x, Connection) and x._silence]
        if len(strangers) > MAX_STRANGERS:
            _, oldest = min(strangers, key=lambda x: x[0])
            oldest.be_known()
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self.be_known()
        super().connection_lost(exc)

    def be_known(self) -> None:
        """Let the connection stay as long as uvicorn keeps it."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    async def _call(self, scope: Any, receive: Any, send: Any) -> None:
        await self.config.loaded_app({**scope, KNOWN: self.be_known}, receive, send)


def check_public(public: str | None) -> str | None:
    """Return the address under which a proxy shows the page, with an end of its own, or None.

    Raises
    ------
    ValueError
        If it is no address of a site.
    """
    if public is None:
        return None
    try:
        parts = urlsplit(public)
        good = parts.scheme in ("https", "http") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or parts.username:
        msg = f"the public address must be like https://study.example.org/, not {public!r:.80}"
        raise ValueError(msg)
    return public.rstrip("/") + "/"


def settings(app: Guard, public: str | None = None) -> uvicorn.Config:
    """Return the settings of the server. With a public address, a proxy on this machine says who is asking."""
    return uvicorn.Config(
        app,
        http=Connection,
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        proxy_headers=public is not None,
        forwarded_allow_ips=["127.0.0.1", "::1"],
        timeout_graceful_shutdown=1,
    )


def run(
    session: Session,
    place: Place,
    host: str,
    announce: Callable[[str, str | None], None],
    language: str = "",
    public: str | None = None,
) -> None:
    """Serve the page until interrupted. Call `announce` with its address, and the leader's, once they can be opened."""
    name, port = place.sock.getsockname()[:2]
    if ipaddress.ip_address(name).is_unspecified:
        name = socket.gethostname()
    start = f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if place.answers is not None:
                keep_address(place.answers, *place.addresses(start))
            announce(*place.addresses(public or start))

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # requests cut off now are no errors
            await super().shutdown(sockets)

    def stop() -> None:
        server.should_exit = True

    hosts = accepted_hosts(host, public)
    app = make_app(session, place.token, hosts, language, leader=place.leader, stop=stop)
    server = Announcing(settings(app, public))
    with suppress(KeyboardInterrupt):  # the server closes its connections, then passes the signal on
        server.run(sockets=[place.sock])
