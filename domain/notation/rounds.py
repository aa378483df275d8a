"""Reading a round: its opener, the antes, what was done, and the dice in the end."""

from domain.events import Ante
from domain.history.record import ChallengeAction, ForfeitAction, RoundRecord
from domain.notation import phrases
from domain.notation.actions import read_actions
from domain.notation.lines import Lines, Unexpected, Words, words_of
from domain.notation.results import read_result
from domain.notation.table import Cups, Table
from domain.notation.words import read_dice, read_number


def read_round(lines: Lines, table: Table) -> RoundRecord:
    """A round, which ends with a challenge, with a forfeit or with the game being abandoned."""
    table.round += 1
    opener, palafico = _opener(lines.take(), table)
    rules = table.rules.of_round(palafico=palafico)
    cups = Cups(tuple(table.dice_counts))
    antes = _antes(lines, table)
    actions = read_actions(lines, table, cups)
    _read_reveal(lines, cups, wild=rules.wild)
    result = read_result(lines, table, actions, cups.dice, rules)
    if not (actions and isinstance(actions[-1], ChallengeAction | ForfeitAction)) and not lines.begins("abandoned"):
        raise Unexpected("a challenge, a forfeit or `abandoned`", *lines.take())
    return RoundRecord(
        number=table.round,
        opener=opener,
        palafico=palafico,
        dice_counts=cups.dice_counts,
        antes=antes,
        actions=actions,
        dealt=cups.dealt,
        dice=cups.dice,
        result=result,
    )


def _opener(words: Words, table: Table) -> tuple[int, bool]:
    """The seat that opens, and whether it is a Palafico round; only some books have such rounds."""
    match words:
        case ["round", number, ",", "seat", opener, "opens"] if number == str(table.round):
            return table.seat(opener), False
        case ["palafico", "round", number, ",", "seat", opener, "opens"] if (
            number == str(table.round) and table.rules.palafico is not None
        ):
            return table.seat(opener), True
        case _:
            raise Unexpected(f"a line like `round {table.round}, seat {table.in_play[0]} opens`", *words)


def _antes(lines: Lines, table: Table) -> tuple[Ante, ...]:
    """The antes, in seat order: in a game for chips every seat in play pays, otherwise nobody does."""
    payers = table.in_play if table.rules.options.chips else ()
    return tuple(_ante(lines.take(), seat) for seat in payers)


def _ante(words: Words, payer: int) -> Ante:
    match words:
        case ["seat", _, "pays", to_round, *_, to_game, "to", "the", "game", "pot"]:
            ante = Ante(payer, read_number(to_round), read_number(to_game))
            if words == words_of(phrases.pays(ante)):
                return ante
        case _:
            pass
    raise Unexpected(f"what seat {payer} pays to the two pots", *words)


def _read_reveal(lines: Lines, cups: Cups, *, wild: bool) -> None:
    """Read the dice at the end of a round. The lines before say already what they are, so this only checks them."""
    for seat, dice in enumerate(cups.dice):
        if dice and not _is_reveal(words := lines.take(), seat, dice):
            raise Unexpected(f"`{phrases.has(seat, dice, wild=wild)}`", *words)


def _is_reveal(words: Words, seat: int, dice: tuple[int, ...]) -> bool:
    match words:
        case ["seat", word, "has", *faces] if word == str(seat) and len(faces) == len(dice):
            return read_dice(faces, len(dice)) == dice
        case _:
            return False
