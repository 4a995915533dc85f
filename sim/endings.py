"""How a command ends: every way in one place.

What happens, what is done about it, and the exit code:

- it is done, also if whoever read its output has gone: 0;
- a fault that a person can act on, a `SimError`: its message, and the code of its class;
- the disk is full where nobody foresaw it, or standard output cannot be written: 5;
- there is not enough memory, or the system lets it start no more threads or files: 7;
- Ctrl-C (SIGINT), the first time: games in play stop between two calls of an engine and what was
  played is published; anything else is broken off. 130;
- SIGTERM, or SIGHUP of a terminal that was closed: the same, 143;
- any of them a second time, or five seconds later: the process ends at once, with the same code;
- a strategy that never ends, or a worker process that dies again and again: `sim.watch` and
  `sim.processes` tell, with 7;
- SIGKILL: nothing can be done; worker processes end with their parent (`sim.orphans`), and
  `sim.store` sweeps what was left when the run is resumed.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import click

from sim.errors import DiskFault, Interrupted, SimError, Terminated, WorkerFailed
from sim.output import drop_what_cannot_be_written, say, say_usage, visible_lines

STOPPED = "stopped; nothing that was stored is lost"
AT_ONCE = "stopped at once; nothing that was stored is lost, and sim run goes on with --resume"
GRACE_SECONDS = 5.0
"""For so long a command may take to end in order."""

ONE_SIGNAL_SECONDS = 0.2
"""Signals that come so close are one: `timeout` sends its own twice."""

TOO_MANY = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
SHOW_CURSOR = "\x1b[?25h"
ENDING_SIGNALS = {
    signal.SIGINT: Interrupted,
    signal.SIGTERM: Terminated,
    signal.SIGHUP: Terminated,
}


@dataclass
class Stop:
    """Whether to stop, and why.

    Attributes:
        file: is made to let worker processes hear it.
        signal: the number of the signal that asked, if one did.
        asked: set as soon as anything asked; heard between two calls of an engine.
    """

    file: Path | None = None
    signal: int | None = None
    asked: threading.Event = field(default_factory=threading.Event)
    _in_order: bool = False
    _since: float = 0.0

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Let signals ask, inside a with statement (in the main thread only)."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
        if before[signal.SIGHUP] is signal.SIG_IGN:  # as nohup asks
            del before[signal.SIGHUP]
        for number in before:
            signal.signal(number, self._handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def in_order(self, seconds: float | None = None) -> Iterator[None]:
        """Inside a with statement a signal only asks; so does the time after `seconds`, if any."""
        timer = threading.Timer(seconds or 0.0, self.ask)
        timer.daemon = True
        self._in_order = True
        try:
            if seconds is not None:
                timer.start()
            yield
        finally:
            timer.cancel()
            self._in_order = False
            if self.file is not None:
                self.file.unlink(missing_ok=True)

    def ask(self) -> None:
        """Ask all workers to stop."""
        self.asked.set()
        if self.file is not None:
            with suppress(OSError):  # on a full disk processes end their tasks first
                self.file.touch()

    def fault(self, message: str) -> Interrupted:
        """Return what ends the command after a signal."""
        return ENDING_SIGNALS[signal.Signals(self.signal or signal.SIGINT)](message)

    def _handle(self, number: int, frame: object) -> None:
        first = self.signal is None
        if first:
            self.signal, self._since = number, time.monotonic()
        elif time.monotonic() - self._since < ONE_SIGNAL_SECONDS:
            return
        if first and self._in_order:
            self.ask()
        else:
            raise KeyboardInterrupt


@contextmanager
def ended_in_time() -> Iterator[None]:
    """End the process at the second signal that comes inside, or some seconds after the first.

    A thread sees to it, for the main thread may be caught in compiled code.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_end_in_time, args=(reading,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writing)


def _end_in_time(reading: int) -> None:
    """Read signals, a byte each, until there are no more to come; others end nothing."""
    stop, first = Stop(), 0.0
    while True:
        left = max(0.0, first + GRACE_SECONDS - time.monotonic()) if stop.signal else None
        if select.select([reading], [], [], left)[0]:
            numbers = os.read(reading, 1)
            if not numbers:
                break
            if numbers[0] not in ENDING_SIGNALS:
                continue
            if not stop.signal:
                stop.signal, first = numbers[0], time.monotonic()
        if time.monotonic() - first > ONE_SIGNAL_SECONDS:
            end_at_once(stop.fault(AT_ONCE))
    os.close(reading)


def end_at_once(fault: SimError) -> NoReturn:
    """End the process from wherever it is, from any thread; the system frees the lock."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    told = visible_lines(f"sim: {fault}") + "\n"
    with suppress(OSError, ValueError):
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
        os.write(sys.stderr.fileno(), (cursor + told).encode(errors="replace"))
    os._exit(fault.exit_code)


def code_of(name: str, command: Callable[[], object]) -> int:
    """Run a command to its end, whichever that is; say what is to be said, return the exit code.

    Args:
        name: of the program, for messages.
        command: it; may return an exit code.
    """
    lost = drop_what_cannot_be_written()
    stop = Stop()
    try:
        with stop.heard(), ended_in_time():
            code = command()
        if fault := lost():
            raise DiskFault(f"the output could not be written: {fault.strerror or fault}")
        return code if isinstance(code, int) else 0
    except click.ClickException as fault:
        say_usage(fault)
        return fault.exit_code
    except SimError as fault:
        ending = fault
    except (click.Abort, KeyboardInterrupt):
        ending = stop.fault(STOPPED)
    except MemoryError:
        ending = WorkerFailed("there is not enough memory; close other programs, or ask for less")
    except (OSError, RuntimeError) as fault:
        ending = _of_the_system(fault)
    say(f"{name}: {ending}", err=True)
    return ending.exit_code


def _of_the_system(fault: OSError | RuntimeError) -> SimError:
    """Return in our words what the system refused; what is none of that is raised again."""
    if isinstance(fault, OSError) and fault.errno not in TOO_MANY:
        return DiskFault(f"{fault.filename or 'the disk'}: {fault.strerror or fault}; see to it")
    if isinstance(fault, OSError) or str(fault) == "can't start new thread":
        return WorkerFailed(
            f"the system lets it start or open no more ({fault}); run with fewer --jobs, or raise "
            "the limit (ulimit -a)"
        )
    raise fault
