"""Compiled strategies: one small compilation each, whatever else plays."""

import ast
import inspect
import re
import warnings
from functools import cache

from numba import njit
from numba.core.errors import NumbaError, NumbaExperimentalFeatureWarning
from numba.extending import register_jitable

from sim.errors import WorkerFailed
from sim.kernel.batch import CHOOSE
from sim.kernel.cache import CACHE
from sim.plain_view import plainly
from sim.strategy import Strategy
from sim.strategy_file import describe
from sim.view import VIEW

warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)


@cache
def compiled(strategy):
    """Return the compiled `choose` of a strategy, with the one signature.

    A user's strategy is compiled anew in each process and checks the bounds of arrays: what is
    kept on the disk, and is never stale, are the sources of the program alone.

    Raises:
        WorkerFailed: it cannot be compiled; the message has file and line.
    """
    if strategy.file is not None:
        return _compile_users(strategy)
    try:
        choose = njit(CHOOSE, cache=CACHE.usable, nogil=True)(strategy.choose)
    except OSError:
        CACHE.give_up()
        choose = njit(CHOOSE, nogil=True)(strategy.choose)
    CACHE.seal()
    return choose


def chooser(strategy):
    """Return what chooses on the twin: the compiled function, or the one in plain Python.

    Raises:
        WorkerFailed: it cannot be compiled, or reads what no View has.
    """
    if strategy.compiled:
        return compiled(strategy)
    if strategy.file is not None:
        check_reads(strategy)
    return plainly(strategy.choose)


def _compile_users(strategy):
    check_reads(strategy)
    options = {"boundscheck": True}
    for helper in _helpers(strategy):
        register_jitable(**options)(helper)
    try:
        return njit(CHOOSE, nogil=True, **options)(strategy.choose)
    except Exception as fault:
        raise WorkerFailed(
            f"the strategy {strategy.name} cannot be compiled: {_in_short(fault, strategy.file)}; "
            "write it with numbers, loops and sim.sight alone, or mark it compiled=False to have "
            "it played as plain Python"
        ) from fault


_registered = set()


def _helpers(strategy):
    """Yield the plain functions that stand beside a strategy in its file, each once."""
    for function in list(strategy.choose.__globals__.values()):
        own = inspect.isfunction(function) and function.__module__ == strategy.choose.__module__
        if own and function not in _registered:
            _registered.add(function)
            yield function


def _in_short(fault, file):
    """Return the compiler's own sentence, with the line it is about."""
    if not isinstance(fault, NumbaError):
        return describe(fault, file)
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    about = [line for line in lines if not line.startswith(("Failed in", "During:", "File "))]
    sentence = re.sub(r" for '\$\S+', defined at \S+$", "", about[0] if about else str(fault))
    place = getattr(fault, "loc", None)
    return f"{file.place}:{place.line}: {sentence}" if place else f"{file.place}: {sentence}"


def check_reads(strategy):
    """Refuse a strategy that names something of its View that no View has, or writes in it.

    Raises:
        WorkerFailed: it does; the message has file and line, and what a View has.
    """
    view = next(iter(inspect.signature(strategy.choose).parameters), "view")
    for node in (inner for part in _own_parts(strategy) for inner in ast.walk(part)):
        within = node.value if isinstance(node, ast.Subscript) else node
        if not (isinstance(within, ast.Attribute) and isinstance(within.value, ast.Name)):
            continue
        if within.value.id != view:
            continue
        found = f"{view}.{within.attr} ({strategy.file.place}:{node.lineno})"
        if within.attr not in VIEW.names:
            raise WorkerFailed(
                f"the strategy {strategy.name} reads {found}, which no player may know; "
                f"a View has {', '.join(VIEW.names)}: see docs/strategies.md"
            )
        if isinstance(node.ctx, ast.Store | ast.Del):
            raise WorkerFailed(
                f"the strategy {strategy.name} writes {found}; a View is only to be read, so keep "
                "what you work out in variables of your own"
            )


def _own_parts(strategy):
    """Yield the statements of a strategy's file, but for the other strategies there."""
    there = strategy.choose.__globals__
    for part in ast.parse(strategy.file.source).body:
        other = there.get(part.name) if isinstance(part, ast.FunctionDef) else None
        if not isinstance(other, Strategy) or other.choose is strategy.choose:
            yield part
