"""`tarock serve`: bots and rules over HTTP, for tables written in any language.

    POST /decide    {"view": a view, "bot": "rule" or "level": 3, "policy": true}  ->  {"action": "play:HK", "policy": ..., "values": ...}
    POST /turn      a deal record so far  ->  whose turn it is, what is legal, that seat's view; after the last action the result
    GET  /systems   /bots   /health   /docs   /openapi.json

A bot sees the view alone. Only bots named when the service starts are played: no request can name a file. What is malformed,
impossible or too large is answered with a 4xx status and {"error": one line}; nothing of a request is kept.
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from tarock_env.record import RecordError, read_json, record_of_json
from tarock_env.replay import replay, view_of
from tarock_env.results import result_of
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.view_text import LONGEST_VIEW, MOST_ACTIONS, View, view_deal
from training.served_bots import ServedBots, UnknownBot

LONGEST_BODY = LONGEST_VIEW + 4096
HEAD_SECONDS = 10.0
BODY_SECONDS = 10.0
MOST_CONNECTIONS = 512


class Ask(BaseModel):
    """What /decide is asked."""

    model_config = ConfigDict(extra="forbid", strict=True)

    view: dict[str, Any] = Field(description="A view as deal records define it: `tarock-deal/1` with `view` and `sides`.")
    bot: str | None = Field(None, description="A bot of GET /bots; the first one if neither bot nor level is given.")
    level: int | None = Field(None, description="A level that GET /bots lists for the view's rule system.")
    policy: bool = Field(False, description="Also the probability and the value of every legal action, where the bot has them.")
    seed: int | None = Field(None, ge=0, lt=2**63, description="Fixes the chance of bots that play by chance.")


MUST_BE = {
    "view": "an object: what one seat knows, as POST /turn gives it",
    "bot": "a string: a name that GET /bots lists",
    "level": "a whole number: a level that GET /bots lists",
    "policy": "true or false",
    "seed": "a whole number from 0 to 2^63 - 1",
}
"""What each field of Ask must be, for those who sent something else."""


class Answer(BaseModel):
    """What a bot does."""

    seat: int
    action: str
    bot: str
    legal: list[str]
    policy: dict[str, float] | None = Field(None, description="Legal action -> probability, highest first.")
    values: dict[str, float] | None = Field(None, description="Legal action -> expected payoff in table units.")


class Turn(BaseModel):
    """Where a deal stands."""

    seat: int | None = Field(None, description="Who is to act; null when the deal is over.")
    legal: list[str] = []
    view: dict[str, Any] | None = Field(None, description="What that seat knows: send it to /decide.")
    result: dict[str, Any] | None = Field(None, description="Contract, items and payoffs of a finished deal.")


class Refused(BaseModel):
    """Why a request got no answer."""

    error: str


class Refusal(Exception):
    """A request that gets a 4xx: its status and its one line."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


def make_app(specs: Sequence[str]) -> FastAPI:
    """The service with these bots. Raises ValueError for a bot that cannot be loaded."""
    bots = ServedBots(specs)
    started = time.monotonic()

    @asynccontextmanager
    async def warm(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(bots.warm_up)  # compiled before the first request waits for it
        yield

    app = FastAPI(title="Tarock", description=__doc__, version="1", lifespan=warm)
    refusals: dict[int | str, dict[str, Any]] = {status: {"model": Refused} for status in (400, 404, 408, 413, 422)}

    @app.exception_handler(Refusal)
    async def refused(_: Request, refusal: Refusal) -> JSONResponse:
        return _error(str(refusal), refusal.status)

    @app.exception_handler(HTTPException)
    async def no_such_page(request: Request, error: HTTPException) -> JSONResponse:
        allowed = (error.headers or {}).get("Allow")
        reason = f"only {allowed} is answered here" if allowed else error.detail
        return _error(f"{request.method} {request.url.path[:100]}: {reason}; see /docs", error.status_code)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        return _error(f"the service failed: {type(error).__name__}; its log says more", 500)

    @app.post("/decide", response_model=Answer, responses=refusals, openapi_extra=_body(Ask.model_json_schema()))
    async def decide(request: Request) -> Any:
        """A bot's action for a view, on request with its whole policy and its action values."""
        ask, view = _asked(bots, await _read(request))
        if bots.quick(ask.bot, ask.level, view):  # what takes less time than another thread would cost is done at once
            return _decide(bots, ask, view)
        return await run_in_threadpool(_decide, bots, ask, view)

    @app.post("/turn", response_model=Turn, responses=refusals, openapi_extra=_body({"type": "object"}))
    async def turn(request: Request) -> Any:
        """Whose turn it is in a deal record, what is legal, and that seat's view; the result of a finished deal."""
        return await run_in_threadpool(_turn, bots, await _read(request))

    @app.get("/systems")
    async def systems() -> list[dict[str, Any]]:
        """The rule systems: id, title, players, contracts."""
        found = [load_rules(name) for name in SYSTEMS]
        return [
            {"rules": one.id, "title": one.title, "players": one.players, "contracts": [contract.name for contract in one.contracts]}
            for one in found
        ]

    @app.get("/bots")
    async def known_bots() -> dict[str, Any]:
        """Bots that /decide plays, and levels by rule system."""
        return {"bots": bots.names, "levels": bots.levels}

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the service answers, and how much it has."""
        return {"status": "ok", "decisions": bots.decisions, "seconds": round(time.monotonic() - started, 1)}

    return app


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI's description of a JSON body that is read by hand (so that its size is known before it is parsed)."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


async def _read(request: Request) -> bytes:
    """The body of a request. Raises Refusal for one that is too large or does not arrive."""
    too_large = Refusal(413, f"the body has more than {LONGEST_BODY} bytes; no view or record of one deal has")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > LONGEST_BODY:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LONGEST_BODY:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, f"the body did not arrive within {BODY_SECONDS:.0f} seconds") from None
    except ClientDisconnect:
        raise Refusal(400, "the body was cut off") from None  # nobody is there to read it
    return bytes(body)


def _content(body: bytes) -> Any:
    """What the JSON of a body says. Raises Refusal."""
    try:
        return read_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8 text") from None
    except RecordError as error:
        raise Refusal(400, f"body: {str(error).removeprefix('line 1: ')}") from None


def _asked(bots: ServedBots, body: bytes) -> tuple[Ask, View]:
    """What a body of /decide asks, and about which view. Raises Refusal."""
    content = _content(body)
    try:
        ask = Ask.model_validate(content)
    except ValidationError as error:
        raise Refusal(422, _fault(error)) from None
    try:
        return ask, view_deal(record_of_json(ask.view, systems=bots.systems()))
    except RecordError as error:
        raise Refusal(422, f"view: {str(error).removeprefix('line 1: ')}") from None


def _fault(error: ValidationError) -> str:
    """The first fault of a body of /decide: its field, and what to send."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return 'body: must be an object, as {"view": ...}'
    field = str(first["loc"][0])[:60]
    if field not in MUST_BE:
        return f"{field}: unknown field; the fields are {', '.join(MUST_BE)}"
    return f"{field}: {'is missing; it ' if first['type'] == 'missing' else ''}must be {MUST_BE[field]}"


def _decide(bots: ServedBots, ask: Ask, view: View) -> Response:
    try:
        name, advice = bots.advise(ask.bot, ask.level, view, ask.policy, ask.seed)
    except UnknownBot as error:
        raise Refusal(404, str(error)) from None
    except ValueError as error:
        raise Refusal(422, str(error)) from None
    answer = Answer(seat=view.seat, action=advice.action, bot=name, legal=view.legal(), policy=advice.policy, values=advice.values)
    return Response(answer.model_dump_json(), media_type="application/json")  # checked once, not again on the way out


def _turn(bots: ServedBots, body: bytes) -> Turn:
    content = _content(body)
    try:
        record = record_of_json(content, systems=bots.systems())
        if len(record.actions) > MOST_ACTIONS:
            raise RecordError(f"{len(record.actions)} actions; no deal has more than {MOST_ACTIONS}")
        single = replay(record)
        if single.finished:
            return Turn(seat=None, view=None, result=result_of(single.deal, record.rules))
        view = view_of(record, single.seat, open_hands=True).to_content()
    except ValueError as error:
        raise Refusal(422, f"record: {str(error).removeprefix('line 1: ')}") from None
    return Turn(seat=single.seat, legal=single.legal_names().split(), view=view, result=None)


def _error(text: str, status: int) -> JSONResponse:
    """An error as one line; what UTF-8 cannot spell (half of a surrogate pair, which JSON can) is escaped."""
    return JSONResponse({"error": " ".join(text.split()).encode("utf-8", "backslashreplace").decode()}, status)


class PromptProtocol(H11Protocol):  # type: ignore[misc, unused-ignore]
    """HTTP whose connections are closed when the head of a request takes too long: silent ones would fill all places."""

    def connection_made(self, transport: Any) -> None:  # noqa: D102 - uvicorn's
        super().connection_made(transport)
        self._head_deadline: asyncio.TimerHandle | None = None
        self._await_head()

    def handle_events(self) -> None:  # noqa: D102 - uvicorn's
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._forget_head()

    def on_response_complete(self) -> None:  # noqa: D102 - uvicorn's
        self._await_head()  # uvicorn closes what is silent after an answer, but not what has sent half a head
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102 - uvicorn's
        self._forget_head()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._forget_head()
        self._head_deadline = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _forget_head(self) -> None:
        if self._head_deadline is not None:
            self._head_deadline.cancel()
            self._head_deadline = None


def server_config(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Config:
    """How the service is served: one process, quiet, and no more connections at a time than it can hold."""
    return uvicorn.Config(
        app, host, port, log_level="warning", access_log=False, limit_concurrency=MOST_CONNECTIONS, http=PromptProtocol, ws="none"
    )


def listen(host: str, port: int) -> socket.socket:
    """The socket of an address. Raises OSError for one that is taken or not there."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def run_service(app: FastAPI, listening: socket.socket) -> None:
    """Serve until interrupted; the socket is closed then."""
    host, port = listening.getsockname()[:2]
    with listening:
        print(f"tarock serve: http://{f'[{host}]' if ':' in host else host}:{port}, description at /docs; ctrl-C ends it", flush=True)
        uvicorn.Server(server_config(app)).run(sockets=[listening])
