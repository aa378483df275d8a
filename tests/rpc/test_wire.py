"""What goes over the wire says the same as the domain, word for word."""

from typing import Any

import msgspec
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from liarsdice.v1 import event_pb2, game_pb2

from domain.evolve import evolve
from domain.options import Options
from domain.refusals import Malformed
from domain.state import NOTHING, State
from domain.views import GameView, seen_by, view
from services.simulation.simulation import play_game, setups_of_all
from services.wire.translation import _EVENTS, _structs, event_message, event_of, from_message, view_message, view_of

SETUPS = setups_of_all()


@pytest.mark.parametrize("index", range(0, len(SETUPS), 7))
def test_every_event_and_every_view_comes_back_from_the_wire_as_it_was(index: int) -> None:
    table = play_game(SETUPS[index], seed=4, index=index)
    state = table.state
    for viewer in (None, 0, 1):
        for version, event in enumerate(table.events, 1):
            message = event_message(version, seen_by(event, viewer))
            sent = event_pb2.GameEvent.FromString(message.SerializeToString())
            assert event_of(sent) == seen_by(event, viewer)
            assert sent.version == version
        seen = view(state, viewer)
        assert seen is not None
        assert view_of(game_pb2.GameView.FromString(view_message(seen).SerializeToString())) == seen


def test_a_view_of_a_running_game_comes_back_with_its_hidden_dice_hidden() -> None:
    state: State = NOTHING
    for event in play_game(SETUPS[0], seed=4, index=0).events:
        state = evolve(state, event)
        for viewer in (None, 0, 1):
            seen = view(state, viewer)
            assert seen is not None
            assert view_of(view_message(seen)) == seen


def messages() -> list[tuple[str, Descriptor]]:
    found = {GameView.__name__: game_pb2.GameView.DESCRIPTOR}
    pending: list[Any] = [game_pb2.GameView.DESCRIPTOR]
    pending += [field.message_type for field in event_pb2.GameEvent.DESCRIPTOR.fields if field.containing_oneof]
    while pending:
        descriptor = pending.pop()
        found[descriptor.name] = descriptor
        pending += [
            field.message_type
            for field in descriptor.fields
            if field.type == FieldDescriptor.TYPE_MESSAGE
            and field.message_type.full_name.startswith("liarsdice.")
            and field.message_type.name not in found
        ]
    return [(name, descriptor) for name, descriptor in found.items() if name not in {"Hand", "Place", "Chips"}]


@pytest.mark.parametrize(("name", "descriptor"), messages(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_message_has_the_fields_of_its_struct(name: str, descriptor: Descriptor) -> None:
    fields = {field.name for field in msgspec.structs.fields(_structs()[name])}
    assert {field.name for field in descriptor.fields} == fields - ({"at"} if name in _EVENTS else set())


def test_every_struct_of_views_and_events_has_a_message() -> None:
    assert set(_structs()) == {name for name, _ in messages()}


def test_options_that_nobody_set_are_the_defaults() -> None:
    assert from_message(game_pb2.Options(), Options) == Options()


@pytest.mark.parametrize("options", [game_pb2.Options(raise_rule=99), game_pb2.Options(on_timeout=-4)])  # type: ignore[arg-type]  # the bad input
def test_an_unknown_choice_is_refused(options: game_pb2.Options) -> None:
    with pytest.raises(Malformed):
        from_message(options, Options)
