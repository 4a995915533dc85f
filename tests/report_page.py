"""The report in tests: experiments to report on, and a reader of pages and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

EVERYTHING = """\
question: What do Yoruba rules and Esun change?
players: [2, 3]
variants:
  casual: {preset: casual}
  same: {preset: casual}
  yoruba: {preset: yoruba, rest: last_to_capture}
  piles: {preset: professional}
lineups:
  greedy: greedy
  mixed: [builder, {strategy: cautious, with: {recall: 0.5, miscapture: 0.1, vigilance: 0.5}}]
games: 600
"""

STOPPED = """\
question: How long until an interval is narrow?
players: 2
lineups: {mixed: [greedy, cautious]}
design: {hands: rotated}
stop: {half_width: 0.05, max_games: 900}
keep: {games: 100}
"""

POPULATION = """\
question: How much of a win is play, and how much is cards?
players: 2
variants:
  casual: {preset: casual}
  yoruba: {preset: yoruba}
lineups: {building: [builder, greedy], careful: [greedy, cautious]}
games: 400
"""

PLAIN = "question: What is a game like?\nplayers: 2\ngames: 200\n"

HOSTILE = """\
question: 'What do <script>alert("x")</script>, {{7*7}} and "onmouseover=" do?'
name: '"><img src=x onerror=alert(1)> {{7*7}}'
variants:
  '<script>document.title="owned"</script>': {preset: casual}
  '"onmouseover="alert(1)': {preset: yoruba}
  "\\u202eRTL\\u200f {{7*7}} \\u0645\\u0631\\u062d\\u0628\\u0627": {rest: last_to_capture}
  'LONG': {preset: professional}
lineups:
  '</svg></style></script><script>alert(2)</script>': greedy
  "'single' & `tick` ${x}": [cautious, greedy]
games: 200
""".replace("LONG", ("ẹ̀kọ́ ọ̀rọ̀ àṣà Yorùbá " * 12)[:200])


class Reader(HTMLParser):
    """What a browser would see: tags with attributes, the tables' cells, the answer's sentences.

    Spaces at which no line ends are spaces here.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[tuple[dict[str, str | None], str]]]] = {}
        self._table = ""
        self._cell = False
        self.words = ""
        self.answer: list[str] = []
        self._answers = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if found.get("class") in ("answer", "effect"):
            self.answer.append("")
            self._answers = True
        if tag == "table":
            self._table = str(found["data-key"])
            self.tables[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag == "td":
            self._cell = True
            self.tables[self._table][-1].append((found, ""))

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag != "td"
        self._answers = self._answers and tag != "p"

    def handle_data(self, data: str) -> None:
        data = data.replace("\N{NO-BREAK SPACE}", " ")
        self.words += data
        if self._answers:
            self.answer[-1] += data
        if self._cell:
            row = self.tables[self._table][-1]
            row[-1] = (row[-1][0], row[-1][1] + data)


def tables(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, section in data["sections"].items():
        for name, table in section["tables"].items():
            yield f"{key}/{name}", table


def records(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, table in tables(data):
        for row in table["rows"]:
            yield from ((key, cell) for cell in row if isinstance(cell, dict))
