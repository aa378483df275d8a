"""The fields of every topic, in their order (audit-format.md, "Kinds of events")."""

from .kinds import HASH, ID, TRUTH, WHOLE, Kind, ListOf, ObjectOf, OrNull, Text, Word

NAME_LENGTH_MAX = 40
REASON_LENGTH_MAX = 200

DICE = ListOf(WHOLE)
SEATS = ListOf(WHOLE)
BID = ObjectOf({"seat": WHOLE, "quantity": WHOLE, "face": WHOLE})
OPTIONS = ObjectOf(
    {
        "chips": TRUTH,
        "wild_aces": TRUTH,
        "raise_rule": Word(("quantity_or_face", "same_face_or_higher_face", "beat_the_higher_number")),
        "dice_each": WHOLE,
        "opener": OrNull(WHOLE),
        "turn_seconds": OrNull(WHOLE),
        "on_timeout": Word(("forfeit", "challenge", "lowest_bid")),
    }
)
FAIRNESS = ObjectOf({"version": WHOLE, "chain_length": WHOLE, "server_anchor": HASH})
DEAL = ObjectOf({"server_link": HASH, "hands": ListOf(DICE), "reroll_of": OrNull(WHOLE)})
PLAYER: dict[str, Kind] = {
    "seat": WHOLE,
    "player_id": ID,
    "name": Text(NAME_LENGTH_MAX),
    "kind": Word(("human", "bot")),
    "anchor": HASH,
    "chain_held_by": Word(("player", "server")),
}
_FIELDS: dict[str, dict[str, Kind]] = {
    "game-created.v1": {
        "game_id": ID,
        "rulebook": Text(NAME_LENGTH_MAX),
        "rulebook_version": WHOLE,
        "options": OPTIONS,
        "seats": WHOLE,
        "fairness": FAIRNESS,
    },
    "player-joined.v1": PLAYER,
    "player-joined.v2": {**PLAYER, "signing_key": OrNull(HASH)},
    "player-left.v1": {"seat": WHOLE},
    "game-started.v1": {"dice_each": WHOLE, "chips_each": OrNull(WHOLE)},
    "roll-called.v1": {"seats": SEATS, "call": WHOLE, "calls": WHOLE},
    "rolled.v1": {"seat": WHOLE, "link": HASH},
    "opening-dice-rolled.v1": {"server_link": HASH, "rolls": ListOf(ObjectOf({"seat": WHOLE, "dice": DICE}))},
    "opener-chosen.v1": {"seat": WHOLE, "how": Word(("named", "drawn", "rolled"))},
    "round-started.v1": {"number": WHOLE, "opener": WHOLE, "palafico": TRUTH, "dice_counts": ListOf(WHOLE)},
    "antes-paid.v1": {"antes": ListOf(ObjectOf({"seat": WHOLE, "round_pot": WHOLE, "game_pot": WHOLE}))},
    "dice-dealt.v1": {},
    "bid-placed.v1": {"seat": WHOLE, "quantity": WHOLE, "face": WHOLE},
    "dice-rerolled.v1": {"seat": WHOLE, "shown": DICE, "rerolled": WHOLE, "link": HASH},
    "bid-challenged.v1": {"seat": WHOLE, "bid": BID},
    "cups-lifted.v1": {"deals": ListOf(DEAL), "dice": ListOf(DICE)},
    "challenge-resolved.v1": {
        "bid": BID,
        "challenger": WHOLE,
        "actual": WHOLE,
        "counts": ListOf(ObjectOf({"seat": WHOLE, "natural": WHOLE, "wild": WHOLE})),
        "winner": WHOLE,
    },
    "dice-lost.v1": {"seat": WHOLE, "penalty": WHOLE, "lost": WHOLE},
    "players-eliminated.v1": {"seats": SEATS, "place": WHOLE},
    "pot-won.v1": {"seat": WHOLE, "pot": Word(("round", "game")), "chips": WHOLE},
    "player-forfeited.v1": {"seat": WHOLE, "reason": Word(("resigned", "time")), "lost": WHOLE},
    "turn-timed-out.v1": {"seat": WHOLE},
    "round-ended.v1": {"number": WHOLE},
    "game-ended.v1": {"winner": WHOLE, "places": ListOf(SEATS), "chips": OrNull(ListOf(WHOLE))},
    "game-abandoned.v1": {"reason": Text(REASON_LENGTH_MAX)},
}
TOPICS = {topic: ObjectOf({**fields, "at": WHOLE}) for topic, fields in _FIELDS.items()}
"""Every topic, with the fields of its public part. The last one is always `at`, the time."""
