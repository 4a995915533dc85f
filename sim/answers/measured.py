"""Measures and game-by-game metrics, asked of a whole run: which cells each is computed from.

A `Measure` says what it needs in words; here each is given that from a run, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from sim.answers.deterrence import thresholds
from sim.answers.factors import Change, RuleEffects, robust, rule_effects
from sim.answers.findings import Asked, Findings, address, estimate_record, setting_name
from sim.answers.luck import luck
from sim.answers.pooling import end_to_end
from sim.answers.questions import Anything, refusal
from sim.answers.replays import replays
from sim.rules import Rounds, Rules
from sim.stats.estimates import Estimate, estimate
from sim.stats.factors import effects
from sim.stats.metric import AnyMeasure, Metric
from sim.stats.metrics import BY_NAME, replayed
from sim.stats.metrics.course import turns_quantile, turns_sd
from sim.stats.metrics.fairness import dealer_balance, extra_deal_advantage, fair_within
from sim.stats.metrics.house_rules import robustness
from sim.stats.metrics.skill import beats, games_to_tell, price_of_information
from sim.stats.pairs import pair_blocks
from sim.store.scanning import scan

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.stats.blocks import Blocks
    from sim.store import Run

DEALS_AT_ONCE = 1 << 16
QUANTILES = (0.5, 0.95)
"""The median and the 95th percentile."""


@dataclass(frozen=True)
class Measured:
    """A number, or a sentence, that a measure says of some cells.

    Attributes:
        where: what names the cells: some of ``variant players lineup against``.
        what: which of several numbers, in words; may be empty.
        estimate: the number with its interval; None for what is exact, or only said.
        value, low, high: the number and its interval where there is no `estimate`.
        text: in words, where it is no estimate.
    """

    where: Mapping[str, Any]
    what: str = ""
    estimate: Estimate | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""

    @property
    def setting(self) -> str:
        """The number of players and the line-up, as a person says it."""
        return setting_name(self.where["players"], self.where.get("lineup", "all line-ups"))

    def record(self, name: str) -> dict[str, Any]:
        """Return it as plain data."""
        told: dict[str, Any] = {
            "value": self.value, "low": self.low, "high": self.high, "text": self.text,
        }  # fmt: skip
        if self.estimate is not None:
            told = estimate_record(self.estimate)
        return {**self.where, "metric": name, "what": self.what, **told}


def measured(entry: Anything, findings: Findings, run: Run) -> list[Measured]:
    """Compute a measure, or a metric of pairs of games, of everything in a run that it fits.

    Raises:
        UsageFault: nothing in the run is what it needs.
        DataDamaged: a stored part is not what was written.
    """
    if isinstance(entry, Metric):
        found = list(_of_pairs(entry, findings, run))
        needs = "the kept games of two variants on the same deals"
    else:
        needs = entry.needs
        found = list(OF_A_RUN[entry.name](findings, run)) if entry.name in OF_A_RUN else []
    if not found:
        raise refusal(entry, needs)
    return found


def _of_pairs(metric: Metric, findings: Findings, run: Run) -> Iterator[Measured]:
    for cell, first in findings.pairs():
        blocks = _paired_games(run, cell, first)
        if len(blocks):
            where = {**address(cell), "against": first.variant}
            yield Measured(where, estimate=estimate(blocks, metric))


def _paired_games(run: Run, cell: Cell, first: Cell) -> Blocks:
    """Compare the kept games of two cells, some deals at a time, so that memory is bounded."""
    on, off = scan(run, "games", cell), scan(run, "games", first)
    step = DEALS_AT_ONCE // cell.block_deals * cell.block_deals
    last = on.select(pl.col("deal").max()).collect().item()
    parts = []
    for start in range(cell.first_deal, 0 if last is None else last + 1, step):
        span = pl.col("deal").is_between(start, start + step - 1)
        parts.append(pair_blocks(on.filter(span).collect(), off.filter(span).collect(), cell))
    return end_to_end(parts, cell)


def _unfairness(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell in findings.cells:
        yield Measured(address(cell), estimate=findings.unfairness(cell))


def _fair_within(findings: Findings, run: Run) -> Iterator[Measured]:
    margin = findings.smallest(BY_NAME["seat_advantage_wins"])
    for cell in findings.cells:
        found = fair_within(findings.blocks[cell.id], margin)
        said = {"EQUAL": "fair", "LARGER": "not fair"}.get(found.verdict.name, "not yet known")
        shown = (
            "there is no interval"
            if found.shown is None
            else f"every seat is within {100 * found.shown:.3g} pp of an even share"
        )
        text = f"within {100 * margin:g} pp: {said}; {shown}"
        yield Measured(address(cell), value=found.shown, text=text)
        for seat, own in enumerate(found.seats):
            yield Measured(address(cell), f"seat {seat}", own)


def _dealer_balance(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell, rounds in _fixed_rounds(findings):
        over = dealer_balance(rounds, cell.players)
        text = (
            "every seat deals equally often"
            if over == 0
            else f"{over} of {cell.players} seats deal one round more"
        )
        yield Measured(address(cell), value=over, text=text)


def _extra_deal_advantage(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell, rounds in _fixed_rounds(findings):
        found = extra_deal_advantage(findings.blocks[cell.id], rounds)
        yield Measured(address(cell), estimate=found)


def _fixed_rounds(findings: Findings) -> Iterator[tuple[Cell, int]]:
    for cell in findings.cells:
        if isinstance(cell.rules.end, Rounds):
            yield cell, cell.rules.end.rounds


def _turns_sd(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell in findings.cells:
        yield Measured(address(cell), estimate=turns_sd(findings.blocks[cell.id]))


def _turns_quantile(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell in findings.cells:
        games = scan(run, "games", cell).select("deal", "turns").collect()
        for share in QUANTILES if len(games) else ():
            found = turns_quantile(games, cell.block_deals, share)
            yield Measured(address(cell), f"{share:.0%} of games", found)


def _beats(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell in findings.cells:
        seated = cell.seatings[0]
        for a, b in combinations(range(cell.players), 2):
            if seated[a] != seated[b]:
                what = f"player {a} ({seated[a]}) minus player {b} ({seated[b]})"
                yield Measured(address(cell), what, beats(findings.blocks[cell.id], a, b))


def _games_to_tell(findings: Findings, run: Run) -> Iterator[Measured]:
    for cell in findings.cells:
        if cell.players == 2 and len(set(cell.seatings[0])) == 2:
            found = games_to_tell(findings.blocks[cell.id])
            who = f"player {found.better} ({cell.seatings[0][found.better]}) leads with 90%"
            if found.games is None or found.low is None:
                text = "no interval: the games are all alike, or in one block of deals"
            else:
                top = "more than can be told" if found.high is None else _count(found.high)
                text = f"{_count(found.games)} ({_count(found.low)} to {top}) until {who}"
            yield Measured(address(cell), "", None, found.games, found.low, found.high, text)


def _count(games: float) -> str:
    return f"{games:,.0f}" if games >= 10 else f"{games:.2g}"


def _variance_shares(findings: Findings, run: Run) -> Iterator[Measured]:
    for own in luck(run, [cell for cell in findings.cells if len(findings.blocks[cell.id])]):
        where = {"variant": own.cells[0].variant, "players": own.cells[0].players}
        for kind in ("skill", "cards", "rest"):
            what = f"{kind}, among {own.shares.population}"
            yield Measured(where, what, getattr(own.shares, kind))


def _price_of_information(findings: Findings, run: Run) -> Iterator[Measured]:
    for setting in findings.settings:
        for informed in setting.cells:
            for other in setting.cells:
                if informed.rules.isiwo and _only_isiwo(informed.rules, other.rules):
                    where = {**address(informed), "against": other.variant}
                    on, off = findings.blocks[informed.id], findings.blocks[other.id]
                    for player in range(informed.players):
                        found = price_of_information(on, off, player)
                        yield Measured(where, f"player {player}", found)


def _only_isiwo(informed: Rules, other: Rules) -> bool:
    return informed != other and informed.model_copy(update={"isiwo": False}) == other


def _robustness(findings: Findings, run: Run) -> Iterator[Measured]:
    """Of each change of an option, or, where none can be told of, of each variant."""
    found = robust(rule_effects(findings))
    for own in found:
        where = {"players": own.players}
        yield Measured(
            where, _said(own.change), value=own.robustness.holds, text=own.robustness.text
        )
    if not found:
        yield from _robustness_of_variants(findings)


def _robustness_of_variants(findings: Findings) -> Iterator[Measured]:
    effects_of: dict[tuple[str, int], list[Asked]] = {}
    for cell, first in findings.pairs():
        asked = Asked(findings.primary, 0, (cell,), (first,))
        effects_of.setdefault((cell.variant, cell.players), []).append(asked)
    base = findings.experiment.variants[0].name
    for (variant, players), asked_of in effects_of.items():
        found = robustness([findings.find(asked).estimate for asked in asked_of])
        where = {"variant": variant, "players": players, "against": base}
        yield Measured(where, findings.primary.name, value=found.holds, text=found.text)


def _rule_effect(findings: Findings, run: Run) -> Iterator[Measured]:
    for own in rule_effects(findings):
        for effect in own.effects:
            yield Measured(_where(own), _said(*effect.changes), effect.finding.estimate)


def _interaction(findings: Findings, run: Run) -> Iterator[Measured]:
    for own in rule_effects(findings):
        for effect in own.interactions:
            yield Measured(_where(own), _said(*effect.changes), effect.finding.estimate)


def _effects(findings: Findings, run: Run) -> Iterator[Measured]:
    for own in rule_effects(findings):
        for size in range(1, min(2, len(own.levels)) + 1) if own.full else ():
            for effect in effects(own.space.factorial(), size):
                at = (f"{name}={own.levels[name][i]}" for name, i in effect.levels.items())
                yield Measured(_where(own), ", ".join(at), effect.estimate)


def _factor_shares(findings: Findings, run: Run) -> Iterator[Measured]:
    for own in rule_effects(findings):
        if own.shares is not None and own.why_no_shares:
            yield Measured(_where(own), text=own.why_no_shares)
        elif own.shares is not None:
            for kind in ("first", "total", "shapley"):
                for name, found in getattr(own.shares, kind).items():
                    yield Measured(_where(own), f"{name}, {kind}", found)


def _where(own: RuleEffects) -> dict[str, Any]:
    return {"players": own.setting.players, "lineup": own.setting.lineup}


def _said(*changes: Change) -> str:
    return " × ".join(f"{c.option}: {c.after} minus {c.before}" for c in changes)


def _deterrence_threshold(findings: Findings, run: Run) -> Iterator[Measured]:
    for setting, found in thresholds(findings):
        where = {"players": setting.players, "lineup": setting.lineup}
        yield Measured(where, "", None, found.value, found.low, found.high, found.text)


def _replayed(measure: AnyMeasure) -> Callable[[Findings, Run], Iterator[Measured]]:
    def told(findings: Findings, run: Run) -> Iterator[Measured]:
        for cell, games in replays(findings, run):
            what, found = f"{len(games.most):,} deals", measure(games)
            if isinstance(found, Estimate):
                yield Measured(address(cell), what, found)
            else:
                yield Measured(address(cell), what, value=found.value, text=found.text)

    return told


OF_A_RUN: dict[str, Callable[[Findings, Run], Iterator[Measured]]] = {
    "unfairness": _unfairness,
    "fair_within": _fair_within,
    "dealer_balance": _dealer_balance,
    "extra_deal_advantage": _extra_deal_advantage,
    "beats": _beats,
    "price_of_information": _price_of_information,
    "games_to_tell": _games_to_tell,
    "variance_shares": _variance_shares,
    "turns_sd": _turns_sd,
    "turns_quantile": _turns_quantile,
    "rule_effect": _rule_effect,
    "interaction": _interaction,
    "robustness": _robustness,
    "deterrence_threshold": _deterrence_threshold,
    "effects": _effects,
    "factor_shares": _factor_shares,
    **{measure.name: _replayed(measure) for measure in replayed.MEASURES},
}
"""Measures by name: what a run says of each."""
