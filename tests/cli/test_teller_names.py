"""Names in the terminal are told apart, also those of games that were played before there was a rule."""

from domain.views import SeatView
from services.cli.teller import names_of


def seat(number: int, name: str, kind: str = "human") -> SeatView:
    held_by = "player" if kind == "human" else "server"
    return SeatView(
        seat=number,
        player_id=f"p{number}",
        name=name,
        kind=kind,  # type: ignore[arg-type]  # a literal
        chain_held_by=held_by,  # type: ignore[arg-type]  # as above
        dice_count=5,
    )


def test_bots_are_marked_and_names_that_look_alike_have_their_ids_beside_them() -> None:
    seats = [seat(0, "Ann"), seat(1, "ANN"), seat(2, "Ada", "bot"), seat(3, "Bot Blaise", "bot"), seat(4, "Bob")]

    assert names_of(seats) == ("Ann (p0)", "ANN (p1)", "Ada (bot)", "Bot Blaise", "Bob")
