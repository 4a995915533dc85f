"""Write the golden games anew."""

from tests.golden import FOLDER, GAMES

for old in FOLDER.glob("*.txt"):
    old.unlink()
for game in GAMES:
    game.path.write_text(game.text(), encoding="utf-8")
print(f"{len(GAMES)} games written to {FOLDER}")
