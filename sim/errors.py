"""What can end a command early: one class for each exit code of the reliability contract."""

from __future__ import annotations


class SimError(Exception):
    """A fault a person can act on. The message is complete: place, problem, remedy."""

    exit_code = 1


class UsageFault(SimError):
    """The command line or the experiment is wrong."""

    exit_code = 2


class DataDamaged(SimError):
    """A stored file is missing, incomplete, or not what was written."""

    exit_code = 3


class Busy(SimError):
    """Another process is writing to the run directory."""

    exit_code = 4


class DiskFault(SimError):
    """The disk is full, read-only, or failing."""

    exit_code = 5


class ResumeRefused(SimError):
    """The run directory belongs to something else than what would be continued."""

    exit_code = 6


class OtherFormat(SimError):
    """A directory is whole, but another version of the program wrote it, in another form."""

    exit_code = 6


class WorkerFailed(SimError):
    """A game could not be played to its end; the message has its address."""

    exit_code = 7


class OutOfMemory(WorkerFailed):
    """There was not enough memory to play."""


class Interrupted(SimError):
    """The person, or the system, asked the program to stop; the message says how to go on."""

    exit_code = 130


class Terminated(Interrupted):
    """The system asked the program to stop (SIGTERM)."""

    exit_code = 143
