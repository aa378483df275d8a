"""The page about the format says which fields every event has, and the server writes those."""

from domain.events import AnyEvent
from services.verifier.topics import TOPICS
from tests.verifier.topic_table import PAGE, with_table


def test_the_page_about_the_format_has_all_topics_with_their_fields() -> None:
    page = PAGE.read_text()

    assert with_table(page) == page


def test_the_verifier_knows_the_fields_of_every_event_that_the_server_writes() -> None:
    written = {
        event.TOPIC: [name for name in event.__struct_fields__ if name not in (*event.SECRETS, "at")]
        for event in AnyEvent.__args__
    }
    known = {topic: [name for name in kind.members if name != "at"] for topic, kind in TOPICS.items()}

    assert {topic: known.get(topic) for topic in written} == written
    assert set(known) - set(written) == {"player-joined.v1"}
