"""Compares a proof with what the client of the player has kept: the own anchor, the own key, and the dice it saw.

A server that makes up a whole game can prove it. Only the players know that it is not the one that they have played.
"""

from base64 import b64encode
from collections.abc import Iterator

from domain.fairness.chain import make_chain
from services.client import PlayedGame, SeatKeeper
from services.client.signer import Signer
from services.verifier import Json, Report, Round

NOTHING_KEPT = (
    "Your client has kept nothing of this game, so nobody compared it with what you know: your chain, key and dice."
)


def own_game(keeper: SeatKeeper, server: str, player_id: str, game_id: str) -> PlayedGame | None:
    """What the client has kept of a game, over or not; None if it has kept nothing."""
    played = keeper.recall(server, player_id, game_id)
    kept = keeper.find(server, player_id, game_id) if played is None else None
    if kept is None:
        return played
    anchor = make_chain(kept.seed, game_id, kept.length).anchor
    key = Signer(kept.signing_key).public
    return PlayedGame(server=server, player_id=player_id, game_id=game_id, anchor=anchor, signing_key=key)


def differences(own: PlayedGame, report: Report) -> list[str]:
    """A sentence for each difference between a proven game and the own one."""
    player = next((one for one in report.players if one["player_id"] == own.player_id), None)
    if player is None:
        return ["You have no seat in the game of the bundle."]
    return [*_of_seat(own, player), *_of_dice(own, report)]


def agreement(own: PlayedGame, report: Report) -> str:
    """The sentence for a game without differences."""
    rounds = len({cups.round for cups in own.cups} & {one.number for one in report.rounds})
    dice = f" and the dice of {rounds} {'round' if rounds == 1 else 'rounds'}" if rounds else ""
    return f"The chain and the key of your seat{dice} are those that your client has kept."


def _of_seat(own: PlayedGame, player: Json) -> Iterator[str]:
    anchor = b64encode(own.anchor).decode()
    if player["anchor"] != anchor:
        yield f"Your seat has the anchor {player['anchor']}, but your client brought {anchor}."
    key = None if own.signing_key is None else b64encode(own.signing_key).decode()
    if player.get("signing_key") != key:
        yield f"Your seat has the signing key {player.get('signing_key')}, but your client brought {key}."


def _of_dice(own: PlayedGame, report: Report) -> Iterator[str]:
    seen = {cups.round: cups.dice for cups in own.cups}
    for played in report.rounds:
        for seat, hand in enumerate(seen.get(played.number, ())):
            proven = _dice_of(played, seat)
            if proven != hand:
                yield f"In round {played.number} seat {seat} has the dice {proven}, but your client saw {hand}."


def _dice_of(played: Round, seat: int) -> tuple[int, ...]:
    return tuple(die["face"] for die in played.dice if die["seat"] == seat)
