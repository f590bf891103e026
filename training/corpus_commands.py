"""The commands for corpora of deals: `tarock sample`, `tarock arrays`, `tarock replay`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from training.cli_options import Deals, RuleOptions, RulesName, Seed, read_rules, whole_number
from training.console import Report, UserError, check_output, console, mistakes, progress, table

PerFile = Annotated[
    int | None,
    typer.Option("--deals-per-file", parser=whole_number(1), metavar="N", help="Arrays in files OUT-0001.npz ... of N deals each."),
]
Observations = Annotated[
    bool, typer.Option("--observations", help="Store observations, masks and payoffs of every decision with the arrays (80 KB a deal).")
]


def sample(
    out: Annotated[Path | None, typer.Option("--out", help="File of deal records to write (*.jsonl); without it, only count.")] = None,
    rules: RulesName = "juegatu",
    deals: Deals = 1000,
    seed: Seed = 1,
    bots: Annotated[str, typer.Option("--bots", help="coverage (everything occurs often), or a bot's name.")] = "coverage",
    legal: Annotated[bool, typer.Option("--legal", help="Store the legal actions of every decision too.")] = False,
    arrays: Annotated[Path | None, typer.Option("--arrays", help="Write the deals as arrays (*.npz) instead of records.")] = None,
    observations: Observations = False,
    per_file: PerFile = None,
    options: RuleOptions = None,
) -> None:
    """Write deal records or arrays, and print how often everything that the rules have occurred in them."""
    from agents.base import load_bot
    from tarock_env.sample import write_sample, write_sample_arrays
    from training.occurrence_tables import occurrence_tables

    if out is not None and arrays is not None:
        raise UserError("tarock sample: give --out or --arrays, not both; `tarock arrays` makes one of the other")
    check_output("--out", out)
    _check_arrays("tarock sample", "--arrays", arrays, observations, per_file)
    chosen = read_rules(rules, options)
    with mistakes():
        policy = None if bots == "coverage" else load_bot(bots, rules=chosen.id).act
    if legal and out is None:
        raise UserError("tarock sample: --legal stores legal actions in the records; add --out FILE")
    with mistakes(f"--out {out}" if arrays is None else f"--arrays {arrays}"), progress("sample") as report:
        if arrays is None:
            counts, where = write_sample(out, chosen, deals, seed, policy, legal, report), f" in {out}" if out else ""
        else:
            counts, files = write_sample_arrays(arrays, chosen, deals, seed, policy, per_file, observations, report)
            where = f" in {_named(files)}"
    title = f"{deals} deal{'s' if deals > 1 else ''} of {rules}{where}"
    for columns, rows in occurrence_tables(chosen, counts):
        table(title, (columns[0], *(f">{column}" for column in columns[1:])), rows)
        title = ""


def arrays(
    source: Annotated[Path, typer.Argument(help="File of deal records (*.jsonl), or of arrays (*.npz).")],
    out: Annotated[Path, typer.Option("--out", help="What to make of it: arrays (*.npz), or deal records.")],
    observations: Observations = False,
    per_file: PerFile = None,
    legal: Annotated[bool, typer.Option("--legal", help="Store legal actions in the records.")] = False,
) -> None:
    """Turn deal records into numpy arrays for offline learning, or arrays into records."""
    from tarock_env.array_files import read_corpus, record_file_arrays, write_corpus
    from tarock_env.arrays import Arrays, arrays_to_records, num_deals
    from tarock_env.record import write_records

    if source.is_dir():
        raise UserError(f"{source}: a folder; give a file of deal records (*.jsonl) or of arrays (*.npz)")
    to_records = source.suffix == ".npz"
    if to_records == (out.suffix == ".npz"):
        raise UserError(f"tarock arrays {source} --out {out}: one of the two is a file of arrays, *.npz, the other of records")
    if to_records and (observations or per_file is not None):
        raise UserError("tarock arrays: --observations and --deals-per-file belong to arrays, not to records")
    if legal and not to_records:
        raise UserError("tarock arrays: --legal belongs to records; legal actions of arrays are in the masks of --observations")
    check_output("--out", out)

    def counted(parts: Iterator[Arrays], total: int, report: Report) -> Iterator[Arrays]:
        done = 0
        for part in parts:
            yield part
            done += num_deals(part)
            report(done, total)

    def reported(records: Iterator[Any], total: int, report: Report) -> Iterator[Any]:
        for done, record in enumerate(records, start=1):
            yield record
            report(done, total)

    with mistakes(), progress("arrays") as report:
        if to_records:
            corpus = read_corpus(source)
            with mistakes(f"{source}"):
                count = write_records(out, reported(arrays_to_records(corpus, legal), num_deals(corpus), report))
            made = str(out)
        else:
            total = _lines(source)
            files = write_corpus(out, counted(record_file_arrays(source), total, report), per_file, observations)
            made, count = _named(files) if files else "", total
    if not count:
        raise UserError(f"{source}: there is no record in it")
    console.print(f"{count} deal{'s' if count != 1 else ''} in {made}", markup=False)


def replay(
    records: Annotated[Path, typer.Argument(help="File of deal records (*.jsonl).")],
    verify: Annotated[bool, typer.Option("--verify", help="Only check: every action, legal list and result.")] = False,
    deal: Annotated[int | None, typer.Option("--deal", parser=whole_number(1), help="The deal of this line only, step by step.")] = None,
    view: Annotated[int | None, typer.Option("--view", parser=whole_number(0), help="What this seat knows at the end.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the deal of --deal (default 1) into this file instead.")] = None,
) -> None:
    """Show deal records as text, step through one, draw one, or check them."""
    from tarock_env.record import read_records
    from tarock_env.render import render_record
    from tarock_env.replay import verify as verify_record
    from tarock_env.replay import view_of
    from training.show_deal import draw_deal, step_through

    if records.is_dir():
        raise UserError(f"{records}: a folder; give a file of deal records (*.jsonl)")
    if svg is not None and verify:
        raise UserError("tarock replay: give --verify or --svg, not both")
    check_output("--svg", svg)
    if svg is not None and deal is None:
        deal = 1
    count = 0
    with mistakes(), progress("replay") as report:
        for line, record in read_records(records):
            if deal is not None and line != deal:
                continue
            count += 1
            with mistakes(str(records)):
                if view is not None:
                    record = view_of(record, view, line)
                if verify:
                    verify_record(record, line)
                elif svg is not None:
                    draw_deal(record, line, svg)
                elif deal is not None:
                    step_through(record, line)
                else:
                    console.print(render_record(record, line), markup=False)
            report(count, 0)
    if deal is not None and not count:
        raise UserError(f"{records}: no record on line {deal}")
    if not count:
        raise UserError(f"{records}: there is no record in it")
    if verify:
        console.print(f"{records}: {count} record{'s' if count != 1 else ''}, all right", markup=False)


def _check_arrays(command: str, option: str, path: Path | None, observations: bool, per_file: int | None) -> None:
    if path is None and (observations or per_file is not None):
        raise UserError(f"{command}: --observations and --deals-per-file belong to arrays; add {option} FILE.npz")
    if path is not None and path.suffix != ".npz":
        raise UserError(f"{option} {path}: write *.npz")
    check_output(option, path)


def _named(files: list[Path]) -> str:
    """Where a corpus is."""
    return str(files[0]) if len(files) == 1 else f"{files[0]} to {files[-1].name}"


def _lines(path: Path) -> int:
    """How many records a file has: its lines that are not empty."""
    with path.open("rb") as file:
        return sum(not line.isspace() for line in file)
