"""The View for strategies in plain Python: the same fields, as numbers and tuples, to read only.

A numpy record would do but for two things: its methods hide fields (``round``), and it can be
written to.
"""

from __future__ import annotations

import os
from collections import namedtuple
from typing import Any

from sim.errors import WorkerFailed
from sim.strategy import Choose
from sim.view import VIEW

_make: Any = namedtuple
PlainView = _make("PlainView", VIEW.names)

_ARRAYS = tuple(i for i, name in enumerate(PlainView._fields) if VIEW[name].shape)


def plain_view(record: Any) -> Any:
    """Return a record of `sim.view.VIEW` as a `PlainView`."""
    fields = list(record.item())
    for i in _ARRAYS:
        fields[i] = tuple(fields[i].tolist())
    return PlainView._make(fields)


def plainly(choose: Choose) -> Choose:
    """Return `choose`, a function of a `PlainView`, as a function of a record.

    It may raise an exception and do nothing else to the program: a request to end it is an
    exception too, and a copy of the process that it makes ends here.
    """

    def asked(record: Any) -> int:
        here = os.getpid()
        try:
            return choose(plain_view(record))
        except (SystemExit, GeneratorExit) as fault:
            told = f"it raised {type(fault).__name__}"
            raise RuntimeError(told).with_traceback(fault.__traceback__) from fault
        finally:
            if os.getpid() != here:
                os._exit(WorkerFailed.exit_code)

    return asked
