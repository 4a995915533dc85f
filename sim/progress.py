"""Progress on stderr: a live line on a terminal, one plain line elsewhere; speed at the end."""

from __future__ import annotations

import sys
import threading
from types import TracebackType

import click

from sim.output import say, visible_lines


def say_if_compiling() -> None:
    """Say that the engine is about to be compiled, if it is."""
    from sim.kernel.cache import CACHE

    if CACHE.warm:
        return
    once = "this once" if CACHE.stays else "at every start: set ELEWENJEWE_CACHE_DIR to a folder"
    click.echo(f"compiling the engine (about half a minute, {once}) ...", err=True)


def say_speed(games: int, seconds: float, kernel_seconds: float) -> None:
    """Say how fast games were played just now; nothing if all of them were there."""
    if games:
        say(
            f"{games:,} games in {seconds:.1f} s ({games / max(seconds, 1e-9):,.0f} a second; "
            f"{kernel_seconds:.1f} s of engine time, all workers together)"
        )


class Display:
    """Shows how a run gets on; use it in a with statement."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        self._console = Console(stderr=True)
        self._live = Progress(
            TextColumn("playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games, {task.fields[speed]} a second,"),
            Remaining(),
            TextColumn("left"),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._live.add_task("playing", total=None, start=False, speed="?")
        self._lock = threading.Lock()
        self._there = 0

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def note(self, text: str) -> None:
        """Print a line above the live one."""
        self._console.print(
            visible_lines(f"sim: {text}"), markup=False, highlight=False, soft_wrap=True
        )

    def close(self) -> None:
        """Leave the terminal as it was; from any thread."""
        self._live.stop()

    def begin(self, total: int, there: int, fixed: bool) -> Display:
        """Start: `total` games in the run, at most unless `fixed`; `there` are stored already."""
        self._there = there
        if not self._console.is_terminal:
            more = f" ({there:,} of them are there)" if there else ""
            most = "" if fixed else "at most "
            print(f"playing {most}{total:,} games{more} ...", file=sys.stderr, flush=True)
        self._live.update(self._task, total=total, completed=there)
        self._live.start_task(self._task)
        self._live.start()
        return self

    def advance(self, games: int) -> None:
        """Note that `games` more are played; from any thread."""
        with self._lock:
            self._live.advance(self._task, games)
            task = self._live.tasks[0]
            if task.elapsed:
                speed = (task.completed - self._there) / task.elapsed
                self._live.update(self._task, speed=f"{speed:,.0f}")
