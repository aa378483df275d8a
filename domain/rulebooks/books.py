"""The five published books, version 1 of each. The clauses they cite are in `clauses.py`."""

from domain.rulebooks.losing import (
    challenger_opens,
    difference,
    difference_or_all_others,
    loser_opens,
    one_die,
    winner_opens,
)
from domain.rulebooks.opening import OpeningRoll, highest_die, most_wilds_then_sum
from domain.rulebooks.raising import (
    along_the_track,
    beat_the_higher_number,
    by_track_place,
    quantity_or_face,
    same_face_only,
    same_face_or_higher_face,
)
from domain.rulebooks.rulebook import Citations, Palafico, Raising, Rulebook

BIDDING_TRACK = Rulebook(
    id="bidding-track",
    version=1,
    title="The bidding track",
    players_min=2,
    players_max=6,
    wild_name="star",
    raising=Raising(along_the_track, ("BT-8", "BT-9", "BT-10", "BT-11"), by_track_place),
    penalties=difference_or_all_others,
    next_opener=winner_opens,
    chips_each=50,
    show_and_reroll=True,
    cites=Citations(
        players="BT-1",
        opener="BT-2",
        rolling="BT-3",
        bidding="BT-4",
        turn="BT-7",
        challenging="BT-13",
        out="BT-17",
        show_and_reroll="BT-19",
        chips="BT-20",
    ),
)

SINGLE_HAND = Rulebook(
    id="single-hand",
    version=1,
    title="Single hand",
    players_min=2,
    players_max=20,  # R1
    wild_name="ace",
    wild=False,
    wild_aces=True,
    raising=Raising(quantity_or_face, ("SH-10",)),
    raise_variants={
        "same_face_or_higher_face": Raising(same_face_or_higher_face, ("SH-9",)),
        "quantity_or_face": Raising(quantity_or_face, ("SH-10",)),
        "beat_the_higher_number": Raising(beat_the_higher_number, ("SH-11",)),
    },
    penalties=one_die,
    next_opener=loser_opens,
    cites=Citations(
        players="R1",
        opener="SH-3",
        rolling="SH-2",
        bidding="SH-4",
        turn="SH-5",
        challenging="SH-6",
        wild_aces="SH-14",
        out="SH-12",
    ),
)

PIRATES = Rulebook(
    id="pirates",
    version=1,
    title="Pirates",
    players_min=2,
    players_max=4,
    wild_name="skull",
    wild_may_open=False,
    wild_may_raise=False,
    opening_roll=OpeningRoll(1, highest_die),
    raising=Raising(quantity_or_face, ("PI-8",)),
    penalties=one_die,
    next_opener=loser_opens,
    cites=Citations(
        players="PI-1",
        opener="PI-2",
        rolling="PI-3",
        bidding="PI-4",
        turn="PI-7",
        challenging="PI-9",
        out="PI-12",
        wild_bid="PI-6",
    ),
)

PREDICTION_TRACK = Rulebook(
    id="prediction-track",
    version=1,
    title="The prediction track",
    players_min=2,
    players_max=6,
    wild_name="wheel",
    opening_roll=OpeningRoll(None, most_wilds_then_sum),
    raising=Raising(along_the_track, ("PT-6", "PT-7", "PT-8"), by_track_place),
    penalties=difference,
    next_opener=challenger_opens,
    cites=Citations(
        players="PT-1",
        opener="PT-2",
        rolling="PT-3",
        bidding="PT-4",
        turn="PT-9",
        challenging="PT-10",
        out="PT-15",
    ),
)

PALAFICO = Rulebook(
    id="palafico",
    version=1,
    title="Palafico",
    players_min=2,
    players_max=4,  # R1
    wild_name="one",
    wild_may_open=False,
    raising=Raising(quantity_or_face, ("PA-6",)),
    palafico=Palafico(Raising(same_face_only, ("PA-14",)), players_min=3),
    penalties=one_die,
    next_opener=loser_opens,
    cites=Citations(
        players="R1",
        opener="PA-2",
        rolling="PA-3",
        bidding="PA-4",
        turn="PA-4",
        challenging="PA-8",
        out="PA-11",
        wild_bid="PA-5",
    ),
)

BOOKS = (BIDDING_TRACK, SINGLE_HAND, PIRATES, PREDICTION_TRACK, PALAFICO)
