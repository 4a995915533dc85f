"""`python -m benchmarks`: measure, print, and write benchmarks/results.json.

Rates are turns (or decisions) a second on one core, the median of several repetitions. Trust the
ratios, not the seconds: everything is measured in one process, one after the other.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sim.kernel import Engine
from sim.rules import Rules
from sim.strategy import catalogue

RESULTS = Path(__file__).with_name("results.json")
REPETITIONS = 5
SECONDS = 0.6
MILLION = 1_000_000
SPADES_DECISIONS = 56


def engine(strategy: str, players: int) -> Engine:
    """Return the engine of a strategy against itself, default rules."""
    return Engine(Rules(), [[catalogue()[strategy].bind()] * players], 1, 1960)


def rate(play: Callable[[int], int]) -> float:
    """Return units a second of `play`, which plays some games and returns the units played."""
    play(8)
    games = 64
    while True:
        start = time.perf_counter()
        play(games)
        if (seconds := time.perf_counter() - start) > SECONDS / 4:
            break
        games *= 2
    games = max(1, int(games * SECONDS / seconds))
    found = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        units = play(games)
        found.append(units / (time.perf_counter() - start))
    return statistics.median(found)


def turns_of(strategy: str, players: int) -> Callable[[int], int]:
    """Return a function that plays games and returns their turns."""
    playing = engine(strategy, players)
    return lambda games: int(playing.play(0, games)["turns"].sum())


def shuffles() -> float:
    """Return rounds shuffled a second, all random words of the round drawn."""
    import numpy as np
    from numba import njit

    from sim.kernel.rng import draw_round, shuffle
    from sim.kernel.state import JOB, STATE

    @njit
    def many(states, jobs, rounds):  # type: ignore[no-untyped-def]
        for i in range(rounds):
            states[0].deal_id = np.uint64(i)
            draw_round(states[0], jobs[0].seed, 48)
            shuffle(states[0], jobs[0].fresh)

    states, jobs = np.zeros(1, STATE), np.zeros(1, JOB)

    def play(rounds: int) -> int:
        many(states, jobs, rounds)
        return rounds

    return rate(play)


def two_threads_over_one() -> float:
    """Return how many times faster two threads are than one."""
    engines = [engine("greedy", 2) for _ in range(2)]
    games = 60_000

    def seconds(threads: int) -> float:
        workers = [
            threading.Thread(target=engines[i].play, args=(i * games, games * 2 // threads))
            for i in range(threads)
        ]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - start

    seconds(2)
    return statistics.median(seconds(1) / seconds(2) for _ in range(REPETITIONS))


def openspiel_spades() -> float | None:
    """Return decisions a second of OpenSpiel's C++ random playouts of spades, if it is there.

    One simulation of its search with a rollout evaluator of many rollouts is a loop in C++.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("spades")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])

    def play(rollouts: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 7)
        pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, 7, False).step(state)
        return rollouts * SPADES_DECISIONS

    return rate(play)


RUN = """
import json, resource, sys, time
from pathlib import Path
from sim.experiment import load
from sim.runner import run
start = time.perf_counter()
outcome = run(load(sys.argv[1]), Path(sys.argv[2]), jobs=int(sys.argv[3]))
print(json.dumps({
    "seconds": time.perf_counter() - start,
    "kernel_seconds": outcome.kernel_seconds,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def whole_run(games: int, jobs: int) -> dict[str, float]:
    """Time a run of four-round two-player greedy games, game rows on, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.yaml"
        path.write_text(f"question: How long does it take?\nplayers: 2\ngames: {games}\n")
        out = subprocess.run(
            [sys.executable, "-c", RUN, str(path), str(Path(folder) / "run"), str(jobs)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    found: dict[str, float] = json.loads(out)
    return found


def main() -> None:
    """Measure everything, print it as it comes, and write it down."""
    results: dict[str, object] = {}

    def note(name: str, value: object) -> None:
        results[name] = value
        print(f"{name:20} {value}", flush=True)

    for strategy in ("greedy", "cautious", "random"):
        for players in (2, 4):
            measured = {"per_second": round(rate(turns_of(strategy, players)))}
            note(f"{strategy}_{players}p", measured)
    note("shuffle", {"per_second": round(shuffles())})
    spades = openspiel_spades()
    note("openspiel_spades", {"per_second": round(spades) if spades else None})
    note("threads_2_over_1", round(two_threads_over_one(), 2))
    note("run_1m", {k: round(v, 2) for k, v in whole_run(MILLION, 1).items()})
    note("run_1m_2_jobs", {k: round(v, 2) for k, v in whole_run(MILLION, 2).items()})
    note("run_4m_2_jobs", {k: round(v, 2) for k, v in whole_run(4 * MILLION, 2).items()})
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
