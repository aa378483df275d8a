"""Given some events, when a command comes, then these events follow or it is refused."""

from collections.abc import Iterable
from typing import Any

from domain.commands import AnyCommand
from domain.deciding import decide
from domain.events import AnyEvent
from domain.evolve import fold
from domain.refusals import Refusal
from domain.state import State


class Decided:
    """What a command did to a game."""

    def __init__(self, state: State, command: AnyCommand) -> None:
        self.before = state
        self.events: tuple[AnyEvent, ...] = ()
        self.refusal: Refusal | None = None
        try:
            self.events = decide(command, state)
        except Refusal as refusal:
            self.refusal = refusal

    @property
    def state(self) -> State:
        """The state after the command."""
        assert self.refusal is None, f"refused: {self.refusal}"
        return fold(self.events, self.before)

    def then(self, *events: AnyEvent) -> None:
        """Exactly these events follow."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert self.events == events

    def includes(self, *events: AnyEvent) -> "Decided":
        """These events are among those that follow, in this order."""
        assert self.refusal is None, f"refused: {self.refusal}"
        found = [event for event in self.events if event in events]
        assert found == list(events), f"got {self.events}"
        return self

    def lacks(self, *kinds: type) -> "Decided":
        """No event of these kinds follows."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert not [event for event in self.events if isinstance(event, kinds)]
        return self

    def one(self, kind: type[Any]) -> Any:
        """The only event of a kind that follows."""
        assert self.refusal is None, f"refused: {self.refusal}"
        (event,) = [event for event in self.events if isinstance(event, kind)]
        return event

    def refuses(self, kind: type[Refusal], *clauses: str, **fields: object) -> Refusal:
        """The command is refused, for these clauses if any are named and with these values in the sentence."""
        assert self.refusal is not None, f"accepted: {self.events}"
        assert type(self.refusal) is kind, f"refused otherwise: {self.refusal!r}"
        if clauses:
            assert self.refusal.clauses == clauses
        assert {name: self.refusal.fields[name] for name in fields} == fields
        return self.refusal


class Given:
    """A game so far."""

    def __init__(self, events: Iterable[AnyEvent]) -> None:
        self.events = tuple(events)

    @property
    def state(self) -> State:
        """The state of the game so far."""
        return fold(self.events)

    def one(self, kind: type[Any]) -> Any:
        """The only event of a kind so far."""
        (event,) = [event for event in self.events if isinstance(event, kind)]
        return event

    def when(self, command: AnyCommand) -> Decided:
        """A command comes."""
        return Decided(self.state, command)

    def after(self, *commands: AnyCommand) -> "Given":
        """The game after some more commands that are all accepted."""
        events, state = list(self.events), self.state
        for command in commands:
            decided = Decided(state, command)
            state = decided.state
            events += decided.events
        return Given(events)


def given(*events: AnyEvent | Iterable[AnyEvent]) -> Given:
    """A game so far, from events and lists of events."""
    flat: list[AnyEvent] = []
    for item in events:
        flat += [*item] if isinstance(item, Iterable) else [item]
    return Given(flat)
