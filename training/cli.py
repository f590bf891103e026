"""The command `tarock`. Every command reads its arguments in a module `*_commands.py` and does its work elsewhere.

It stands in `training` because `train` and `bench` need it; torch and Ray are imported inside the commands that train, so that the
others work without them. A user's mistake is one line on standard error and exit code 2, never a traceback.
"""

import errno
import sys
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from agents.weights import BotFileError
from training.config_file import ConfigError
from training.console import UserError, plain
from training.corpus_commands import arrays, replay, sample
from training.measure_commands import arena, audit, gain, ladder
from training.research_commands import ablate, curve, exploit, pictures
from training.rules_commands import check_rules, rules
from training.table_commands import doctor, play, serve
from training.train_commands import bench, export, train

COMMANDS = (
    train, arena, gain, ladder, audit, exploit, ablate, curve, pictures, export, play, serve,
    sample, arrays, replay, rules, check_rules, bench, doctor,
)  # fmt: skip
"""In the order in which a user meets them."""


class PlainFlags:
    """Help without Typer's `<bool>` beside an option that takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters as Typer has them; a flag's value has no name."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Group(PlainFlags, TyperGroup):
    """`tarock` itself."""


class Command(PlainFlags, TyperCommand):
    """One of its commands."""


HELP = {"help_option_names": ["--help", "-h"]}

app = typer.Typer(name="tarock", cls=Group, add_completion=False, pretty_exceptions_enable=False, context_settings=HELP)
for command in COMMANDS:
    app.command(cls=Command)(command)


def show_version(wanted: bool) -> None:
    """What `--version` does."""
    if wanted:
        print(f"tarock {version('tarock')}")
        raise typer.Exit


@app.callback()
def tarock(
    _version: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Self-play reinforcement learning for the Tarock card games."""


# A disk that is full or may not be written to is no fault of the program's, wherever it shows.
OUT_OF_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}

INTERRUPTED = 130


def main() -> None:
    """Run `tarock`."""
    code = 0
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except (UserError, BotFileError, ConfigError) as error:
        fail(str(error))
    except typer.TyperException as error:  # an unknown option, a missing argument, a value out of range
        context = getattr(error, "ctx", None)
        fail(f"{context.command_path if context else 'tarock'}: {error.format_message()}")
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has what it wanted
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in OUT_OF_DISK:
            raise
        fail(f"{error.filename or 'output'}: {error.strerror}")
    if code == INTERRUPTED:  # Typer's own answer to ctrl-C too
        print("interrupted", file=sys.stderr)
    if code:
        sys.exit(code)


def fail(line: str) -> NoReturn:
    """End with a user's mistake: one line, exit code 2."""
    print(plain(" ".join(line.split())), file=sys.stderr)
    sys.exit(2)
