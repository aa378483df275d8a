"""The test vectors of `docs/reference/fair-dice.md`, made by the project's own code: `python -m tests.domain.fairness.vectors`."""

import hmac
import json
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from domain.commands import AnyCommand, Challenge, Forfeit, PlaceBid
from domain.deciding.gathering import rules_of_table
from domain.events import AnyEvent
from domain.fairness.chain import make_chain
from domain.fairness.derivation import VERSION, SeatLink, deal_key, drawn, first_transcript, hand, next_transcript
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.state import Bidding, ChoosingOpener, Ended, Rolling
from tests.domain.fairness.matters import MATTERS
from tests.domain.fairness.play import Play

VECTORS = Path(__file__).parents[3] / "docs" / "reference" / "fair-dice-vectors.json"
WIDTH = 160
GAME_ID = "vector-game"


def vectors() -> dict[str, Any]:
    """The test vectors for other implementations: single steps and two whole games."""
    return {
        "version": VERSION,
        "chain": _chain(),
        **_deals(),
        "skipped": _skipped(),
        "openers": [_opener(seats) for seats in (2, 3, 6, 7, 20)],
        "chain_lengths": [_chain_length(book.id, seats, dice) for book in BOOKS for seats, dice in ((2, 5), (4, 3))],
        "calls": [_calls(book.id, counts) for book in BOOKS for counts in ((5, 5), (5, 0, 1, 3), (1, 1, 0))],
        "games": [_game("vectors-5", "bidding-track", 3, 2), _game("vectors-5", "pirates", 3, 1)],
    }


def text(value: Any, indent: str = "") -> str:
    """JSON text with short values on one line."""
    flat, deeper = json.dumps(value), indent + "  "
    if len(deeper + flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {text(item, deeper)}" for key, item in value.items()]
    else:
        items = [text(item, deeper) for item in value]
    before, after = "{}" if isinstance(value, dict) else "[]"
    return f"{before}\n{deeper}" + f",\n{deeper}".join(items) + f"\n{indent}{after}"


def write(path: Path) -> None:
    """Write the vectors as a file."""
    path.write_text(text(vectors()) + "\n", encoding="utf-8")


def _chain() -> dict[str, Any]:
    chain = make_chain(bytes(range(32)), GAME_ID, 40)
    links = [{"number": number, "link": chain.link(number).hex()} for number in (1, 2, 3, 24, 25, 39, 40)]
    seed = bytes(range(32)).hex()
    return {"game_id": GAME_ID, "seed": seed, "length": 40, "anchor": chain.anchor.hex(), "links": links}


def _deals() -> dict[str, Any]:
    """A deal of a game of three, in which seat 1 does not take part, and a reroll of seat 2 after it.

    Four calls came before that led to no deal, as when players forfeit before all have rolled.
    """
    server, *players = (make_chain(bytes([party]) * 32, GAME_ID, 40) for party in range(4))
    anchors = tuple(chain.anchor for chain in players)
    first = first_transcript(GAME_ID, server.anchor, anchors)
    links = ((0, players[0].link(5)), (2, players[2].link(5)))
    second = next_transcript(first, 5, links)
    return {
        "transcript": {
            "game_id": GAME_ID,
            "server_anchor": server.anchor.hex(),
            "anchors": [anchor.hex() for anchor in anchors],
            "transcript": first.hex(),
        },
        "deal": _deal(first, 5, server.link(5), links, {0: 5, 2: 10}),
        "reroll": _deal(second, 6, server.link(6), ((2, players[2].link(6)),), {2: 3}),
    }


def _deal(
    transcript: bytes, number: int, server_link: bytes, links: tuple[SeatLink, ...], counts: dict[int, int]
) -> dict[str, Any]:
    key = deal_key(transcript, number, server_link, links)
    return {
        "transcript": transcript.hex(),
        "number": number,
        "server_link": server_link.hex(),
        "links": [{"seat": seat, "link": link.hex()} for seat, link in links],
        "key": key.hex(),
        "hands": [{"seat": seat, "dice": hand(key, seat, dice)} for seat, dice in counts.items()],
        "next_transcript": next_transcript(transcript, number, links).hex(),
    }


def _skipped() -> dict[str, Any]:
    """A key for which the first byte of a die is skipped."""
    label = b"die" + bytes(6)
    keys = (number.to_bytes(32, "big") for number in count())
    key = next(key for key in keys if hmac.digest(key, label, "sha256")[0] >= 252)
    block = hmac.digest(key, label, "sha256")
    return {"key": key.hex(), "block": block.hex(), "hands": [{"seat": 0, "dice": hand(key, 0, 1)}]}


def _opener(seats: int) -> dict[str, Any]:
    key = (1_000 + seats).to_bytes(32, "big")
    return {"key": key.hex(), "seats": list(range(seats)), "drawn": drawn(key, tuple(range(seats)))}


def _chain_length(rulebook: str, seats: int, dice_each: int) -> dict[str, Any]:
    rules, _ = rules_of_table(rulebook, Options(dice_each=dice_each), seats)
    return {"rulebook": rulebook, "seats": seats, "dice_each": dice_each, "length": rules.links_max(seats)}


def _calls(rulebook: str, dice_counts: tuple[int, ...]) -> dict[str, Any]:
    rules, _ = rules_of_table(rulebook, Options(), None)
    return {"rulebook": rulebook, "dice_counts": dice_counts, "calls": rules.links_of_round(dice_counts)}


def _game(name: str, rulebook: str, players: int, dice_each: int) -> dict[str, Any]:
    """A whole game: everybody's seeds and what is public. In its second round somebody forfeits instead of rolling."""
    play = Play(name, rulebook, players, dice_each=dice_each)
    play.start()
    while not isinstance(play.state, Ended):
        play.do(_move(play))
    server, *others = (chain.link(chain.length).hex() for chain in (play.chains.server, *play.chains.players))
    return {
        "seeds": {"server": server, "players": others},
        "events": [_event_fields(event) for event in play.public if type(event).__name__ in MATTERS],
    }


def _event_fields(event: AnyEvent) -> dict[str, Any]:
    """What everybody learns about the dice from an event."""
    kind = type(event).__name__
    names = [name for name in MATTERS[kind] if name not in event.SECRETS]
    return {"type": kind, **{name: _hexed(getattr(event, name)) for name in names}}


def _move(play: Play) -> AnyCommand:
    state = play.state
    if isinstance(state, Bidding):
        if state.bids:
            return Challenge(seat=state.turn)
        bid = state.round_rules.lowest_bids(None)[0]
        return PlaceBid(seat=state.turn, quantity=2, face=bid.face, reroll=play.reroll(state, state.turn, count=1))
    assert isinstance(state, ChoosingOpener | Rolling)
    last = isinstance(state, Rolling) and state.round.number == 2 and len(state.waiting) == 1
    return Forfeit(seat=state.waiting[0]) if last else play.chains.roll(state, state.waiting[0])


def _hexed(value: Any) -> Any:
    """A value as JSON can hold it: bytes in hexadecimal."""
    plain = msgspec.to_builtins(value, builtin_types=(bytes,))
    if isinstance(plain, dict):
        return {key: _hexed(item) for key, item in plain.items()}
    if isinstance(plain, list | tuple):
        return [_hexed(item) for item in plain]
    return plain.hex() if isinstance(plain, bytes) else plain


if __name__ == "__main__":
    write(VECTORS)
