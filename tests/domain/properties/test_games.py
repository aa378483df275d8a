"""Whatever legal steps are taken, in whatever book: the game stays sound."""

from typing import Any, get_args

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain.commands import AbandonGame, AnyCommand, Forfeit
from domain.deciding import decide
from domain.events import AnyEvent, GameEnded
from domain.evolve import fold
from domain.history.record import decode_record, encode_record
from domain.history.recording import record_of
from domain.options import Options
from domain.refusals import GameOver
from domain.rulebooks import BOOKS
from domain.state import NOTHING, Bidding, ChoosingOpener, Ended, Rolling, State
from domain.views import Viewer, seen_by, view
from infra.events.codec import decode_event, encode_event
from services.simulation.simulation import setups_of_all
from tests.domain.properties.choices import legal_commands
from tests.extent import extent
from tests.made_tables import bids, chains_of, challenges, gathered
from tests.specification import Decided, given

SETUPS = [(setup.rulebook, setup.options, setup.players) for setup in setups_of_all()]


class AnyGame(RuleBasedStateMachine):
    """One game of some book with some options, played by legal steps at random."""

    @initialize(setup=st.sampled_from(SETUPS))
    def set_up(self, setup: tuple[str, Options, int]) -> None:
        rulebook, options, players = setup
        named: dict[str, Any] = msgspec.structs.asdict(options)
        self.options = options
        self.chains = chains_of(rulebook, players, **named)
        self.events: list[AnyEvent] = gathered(rulebook, players, **named)
        self.state: State = fold(self.events)
        self.viewers: dict[Viewer, State] = dict.fromkeys((None, *range(players)), self.state)
        self.most_dice = options.dice_each * players
        self.at = 0

    @precondition(lambda self: not isinstance(self.state, Ended))
    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        """Any legal step; most of the time one that doesn't end somebody's game."""
        self.at += 1_000
        commands = list(legal_commands(self.state, self.chains, self.at))
        mild = [command for command in commands if not isinstance(command, Forfeit | AbandonGame)]
        rare = data.draw(st.integers(0, 30)) == 0
        self.submit(data.draw(st.sampled_from(commands if rare or not mild else mild)))

    @precondition(lambda self: isinstance(self.state, Rolling | ChoosingOpener))
    @rule()
    def all_roll(self) -> None:
        """Everyone who is waited for rolls, so that random games get past the rolling."""
        while isinstance(self.state, Rolling | ChoosingOpener):
            self.at += 1_000
            self.submit(self.chains.roll(self.state, self.state.waiting[0]))

    def submit(self, command: AnyCommand) -> None:
        """A step that the legal moves offered is never refused."""
        caused = decide(command, self.state)
        assert caused, "an accepted command leaves a trace"
        assert tuple(decode_event(*encode_event(event)) for event in caused) == caused
        self.events += caused
        self.state = fold(caused, self.state)
        for viewer, shown in self.viewers.items():
            self.viewers[viewer] = fold((seen_by(event, viewer) for event in caused), shown)

    @precondition(lambda self: isinstance(self.state, Ended))
    @rule(seat=st.integers(0, 1))
    def a_game_that_is_over_stays_over(self, seat: int) -> None:
        for command in (bids(seat, "1x2"), challenges(seat), Forfeit(seat=seat), AbandonGame(reason="again")):
            given(self.events).when(command).refuses(GameOver)

    def teardown(self) -> None:
        """Folding all events, written and read back, gives the state; they make a record that survives too."""
        if hasattr(self, "events"):
            read = [decode_event(*encode_event(event)) for event in self.events]
            assert fold(read, NOTHING) == self.state
            record = record_of(read)
            assert decode_record(encode_record(record)) == record

    @invariant()
    def dice_never_increase(self) -> None:
        standing = getattr(self.state, "standing", None)
        if standing is not None:
            dice = sum(standing.dice_counts)
            assert min(standing.dice_counts) >= 0
            assert dice <= self.most_dice
            self.most_dice = dice

    @invariant()
    def chips_are_conserved(self) -> None:
        standing = getattr(self.state, "standing", None)
        if standing is not None and standing.chips is not None:
            total = sum(standing.chips) + standing.round_pot + standing.game_pot
            assert total == 50 * len(standing.chips)
            assert min(standing.chips) >= 0

    @invariant()
    def a_finished_game_has_one_winner_and_a_place_for_everyone(self) -> None:
        if isinstance(self.state, Ended) and self.state.abandoned is None:
            ended = self.events[-1]
            assert isinstance(ended, GameEnded)
            seats = [seat for place in ended.places for seat in place]
            assert sorted(seats) == list(range(len(self.state.table.players)))
            assert ended.places[0] == (ended.winner,) == (self.state.winner,)
            assert self.state.standing is not None
            assert self.state.standing.in_play == (ended.winner,)
            assert self.state.standing.round_pot == self.state.standing.game_pot == 0
            assert self.state.standing.chips == ended.chips

    @invariant()
    def what_a_viewer_sees_follows_from_the_events_shown_to_that_viewer(self) -> None:
        for viewer, shown in getattr(self, "viewers", {}).items():
            assert view(shown, viewer) == view(self.state, viewer)

    @invariant()
    def the_lowest_legal_bids_are_exactly_the_lowest(self) -> None:
        if isinstance(self.state, Bidding):
            rules, standing = self.state.round_rules, self.state.standing_bid
            for face in range(1, 7):
                lowest = rules.lowest_quantity(standing, face)
                self.check_bids(face, lowest)

    def check_bids(self, face: int, lowest: int | None) -> None:
        """A bid below the lowest is refused with the lowest in the refusal; the lowest and all above are accepted."""
        assert isinstance(self.state, Bidding)
        seat, legal = self.state.turn, self.state.round_rules.lowest_bids(self.state.standing_bid)
        for quantity in {1, 2, (lowest or 3) - 1, lowest or 3, (lowest or 3) + 1} - {0}:
            decided = Decided(self.state, bids(seat, f"{quantity}x{face}"))
            if lowest is not None and quantity >= lowest:
                assert decided.events
            else:
                assert decided.refusal is not None
                assert decided.refusal.fields["lowest"] == legal


TestAnyGame = AnyGame.TestCase
TestAnyGame.settings = settings(
    max_examples=extent(30, 1_000), stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_every_book_and_every_option_takes_part() -> None:
    assert {rulebook for rulebook, _, _ in SETUPS} == {book.id for book in BOOKS}
    for name in ("chips", "wild_aces", "raise_rule", "dice_each", "opener", "turn_seconds", "on_timeout"):
        assert len({getattr(options, name) for _, options, _ in SETUPS}) > 1
    assert len(get_args(AnyEvent)) == len({kind.TOPIC for kind in get_args(AnyEvent)})
