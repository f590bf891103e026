"""The commands for people who play, serve or look: `tarock play`, `tarock serve`, `tarock doctor`."""

import errno
from pathlib import Path
from typing import Annotated

import typer

from training.cli_options import Deals, RuleOptions, RulesName, read_rules, whole_number
from training.console import UserError, check_output, console, mistakes

Level = Annotated[
    int | None, typer.Option("--level", parser=whole_number(1), help="Opponents' level, 1 to 6 where the rule system has them.")
]
BotSpec = Annotated[str | None, typer.Option("--bot", help="Opponents by name: rule (the default), file:PATH, level:N@risk=bold, ...")]


def play(
    rules: RulesName = "juegatu",
    level: Level = None,
    bot: BotSpec = None,
    seat: Annotated[int, typer.Option("--seat", parser=whole_number(0), help="Your seat.")] = 0,
    hint: Annotated[bool, typer.Option("--hint", help="Show before each decision what the bot would do.")] = False,
    deals: Deals = 1,
    seed: Annotated[
        int | None, typer.Option("--seed", parser=whole_number(0), help="Seed of the deals; default: others every time.")
    ] = None,
    options: RuleOptions = None,
    save: Annotated[Path | None, typer.Option("--save", help="New file for the deal records.")] = None,
) -> None:
    """Play at the terminal against bots."""
    import sys
    from secrets import randbelow

    from agents.base import load_bot
    from training.cards_text import CardStyle
    from training.play import TerminalMatch, play_match

    if level is not None and bot is not None:
        raise UserError("tarock play: give --level or --bot, not both")
    if save is not None and save.exists():
        raise UserError(f"--save {save}: exists already; name a new file")
    check_output("--save", save)
    chosen = read_rules(rules, options)
    if seat >= chosen.players:
        raise UserError(f"--seat {seat}: seats of {chosen.id} are 0 to {chosen.players - 1}")
    spec = bot or ("rule" if level is None else f"level:{level}")
    with mistakes():
        opponents = load_bot(spec, rules=chosen.id)
        match = TerminalMatch(
            chosen, opponents, seat, deals, randbelow(2**31) if seed is None else seed, style=CardStyle.of(sys.stdout), hint=hint, save=save
        )
    last = play_match(match)
    if last:
        print(last)


def serve(
    port: Annotated[int, typer.Option("--port", parser=whole_number(1, 65535), help="Port to listen on.")] = 8710,
    host: Annotated[
        str,
        typer.Option(
            "--host", help="Address to listen on; anything but this machine's own: put a server with users and encryption before it."
        ),
    ] = "127.0.0.1",
    bots: Annotated[list[str] | None, typer.Option("--bot", help="Bots that may be asked for by name; may be given again.")] = None,
) -> None:
    """Answer views over HTTP: a bot for every table, in any language."""
    import importlib.util

    for package in ("fastapi", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise UserError(f"tarock serve: needs {package}; install it with pip install 'tarock[serve]' -c constraints.txt")
    from training.serve import listen, make_app, run_service

    with mistakes():
        app = make_app(bots or ["rule"])
    with mistakes(f"--host {host}"):
        try:
            listening = listen(host, port)
        except PermissionError:
            raise UserError(f"--port {port}: may not be used by this user; choose one above 1023") from None
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise UserError(f"--port {port}: in use; another service listens there, choose another port") from None
    run_service(app, listening)


def doctor(
    ray: Annotated[bool, typer.Option("--ray/--no-ray", help="Start Ray too (some seconds).")] = True,
) -> None:
    """Check the installation and say what to do about what is wrong."""
    from training.doctor import findings

    bad = 0
    for finding in findings(ray):
        console.print(finding.line(), markup=False)
        bad += finding.state == "bad"
    if bad:
        raise UserError(f"tarock doctor: {bad} thing{'s' if bad > 1 else ''} to mend; each line that begins with BAD says how")
