"""What a player can choose when creating a game; each rulebook says which of the options it has."""

from typing import Literal

from domain.values import Value

RaiseRuleName = Literal["quantity_or_face", "same_face_or_higher_face", "beat_the_higher_number"]
TimeoutAction = Literal["forfeit", "challenge", "lowest_bid"]

DICE_EACH_DEFAULT = 5
DICE_EACH_MAX = 10
TURN_SECONDS_MAX = 7 * 24 * 3600


class Options(Value, frozen=True, kw_only=True):
    """The choices of one game. Every book can be played with the defaults."""

    chips: bool = False
    wild_aces: bool = False
    raise_rule: RaiseRuleName = "quantity_or_face"
    dice_each: int = DICE_EACH_DEFAULT
    opener: int | None = None
    """R2: the seat that opens the first round, in the books that let a player be chosen."""
    turn_seconds: int | None = None
    """Seconds for each turn, or None for no clock."""
    on_timeout: TimeoutAction = "forfeit"


DEFAULT_OPTIONS = Options()
