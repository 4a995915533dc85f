"""The main answer of a run, computed again from its Parquet files with pandas and nothing of ours.

    python examples/answer_in_pandas.py RUN_DIRECTORY

It prints what each variant changes in the dealer's win share, with its interval: the numbers that
`sim show RUN` prints for the metric `dealer_advantage_wins`. Each interval here holds by itself;
where there are several, those of `sim show` hold all at once and are wider. docs/data.md says what
the columns are.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from scipy import stats

run = Path(sys.argv[1])

parts = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
blocks = pd.concat(
    pd.read_parquet(run / "parts" / part["part"]) for part in parts if part["kind"] == "blocks"
)
cells = pd.read_parquet(run / "cells.parquet")


def dealer_advantage(cell):
    """Return each block's mean win share of the first round's dealer, minus an even share."""
    own = blocks[blocks["cell"] == cell["stored"]].set_index("block")
    return own["dealer_wins.sum"] / 60 / own["games"] - 1 / cell["players"]


first = cells["config"].min()
for _, setting in cells.groupby(["players", "lineup"]):
    base = setting[setting["config"] == first].iloc[0]
    for _, cell in setting[setting["config"] != first].iterrows():
        change = (dealer_advantage(cell) - dealer_advantage(base)).dropna()  # joined by block id
        half = stats.t.ppf(0.975, len(change) - 1) * change.sem()
        print(
            f"{cell['variant']} minus {base['variant']}, {cell['players']} players, "
            f"{cell['lineup']}: {100 * change.mean():+.4f} ± {100 * half:.4f} pp"
        )
