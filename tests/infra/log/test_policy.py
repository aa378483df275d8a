"""Policies are read as C2SP's tlog-policy says."""

import pytest

from infra.log.notes import Cosigner, Note, Signer
from infra.log.policy import PolicyRefused, read_policy

LOG = Signer("example.com/dice", b"l" * 32)
WITNESSES = {name: Cosigner(f"example.org/{name}", name.encode() * 16) for name in ("X1", "X2", "X3", "Y1", "Y2", "Y3")}
LINES = [f"witness {name} {cosigner.verifier.vkey} https://{name}.example" for name, cosigner in WITNESSES.items()]
EXAMPLE = "\n".join(
    [
        f"log {LOG.verifier.vkey}",
        "",
        *LINES[:3],
        "group X-witnesses 2 X1 X2 X3",
        " \t # a comment with an \u00fc",
        *LINES[3:],
        "\tgroup  Y-witnesses\tany Y1 Y2 Y3 ",
        "group X-and-Y all X-witnesses Y-witnesses",
        "quorum X-and-Y",
        "",
    ]
)
TEXT = "example.com/dice\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"


@pytest.mark.parametrize(
    ("cosigned", "is_reached"),
    [
        ("", False),
        ("X1 X2", False),
        ("X1 Y1", False),
        ("Y1 Y2 Y3", False),
        ("X1 X3 Y2", True),
        ("X1 X2 X3 Y1 Y2 Y3", True),
    ],
)
def test_the_example_of_the_specification_has_the_quorum_that_it_describes(cosigned: str, *, is_reached: bool) -> None:
    policy = read_policy(EXAMPLE.encode())
    note = Note(TEXT, (LOG.sign(TEXT), *(WITNESSES[name].cosign(TEXT, 7) for name in cosigned.split())))

    found = policy.cosigners(note)
    assert [witness.name for witness in found] == cosigned.split()
    assert policy.is_reached(found) == is_reached
    assert policy.needs_witnesses
    assert policy.logs == (LOG.verifier,)
    assert policy.witnesses[0].url == "https://X1.example"


def test_a_wrong_cosignature_counts_as_none() -> None:
    policy = read_policy(f"{LINES[0]}\nquorum X1\n".encode())

    assert policy.cosigners(Note(TEXT, (WITNESSES["X1"].cosign(f"{TEXT}more\n", 7),))) == []


def test_without_a_quorum_nobody_is_needed() -> None:
    policy = read_policy(f"{LINES[0]}\nquorum none\n".encode())

    assert policy.is_reached([])
    assert not policy.needs_witnesses


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "a line `quorum` is missing"),
        ("quorum none\nquorum none\n", 2, "there is a quorum already"),
        ("quorum X1\n", 1, "it names what no line before it defines"),
        (f"log {WITNESSES['X1'].verifier.vkey}\n", 1, "not the key of a log"),
        (f"witness X1 {LOG.verifier.vkey}\n", 1, "not the key of a witness"),
        (f"log {LOG.verifier.vkey}\nlog {LOG.verifier.vkey}\n", 2, "its key is there twice"),
        (f"{LINES[0]}\n{LINES[0].replace('X1', 'X9', 1)}\n", 2, "its key is there twice"),
        (f"{LINES[0]}\n{LINES[1].replace('X2', 'X1', 1)}\n", 2, "its name is taken"),
        (f"{LINES[0].replace('X1', 'none', 1)}\n", 1, "its name is taken"),
        (f"{LINES[0]}\ngroup g any X1\ngroup h any X1\n", 3, "it has a member that is in a group already"),
        (f"{LINES[0]}\ngroup g all X1 X1\n", 2, "it has a member that is in a group already"),
        (f"{LINES[0]}\ngroup g 2 X1\n", 2, "from 1 to 1"),
        (f"{LINES[0]}\ngroup g 0 X1\n", 2, "from 1 to 1"),
        (f"{LINES[0]}\ngroup g most X1\n", 2, "from 1 to 1"),
        (f"{LINES[0]}\ngroup g any\n", 2, "it is no line"),
        (f"{LINES[0]}\ngroup g any none\n", 2, "no line before it defines"),
        ("group g any g\n", 1, "no line before it defines"),
        ("quorum\n", 1, "it is no line"),
        ("log\n", 1, "it is no line"),
        ("anything\n", 1, "it is no line"),
        ("quorum none\r\n", 1, "it has a control character"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(PolicyRefused, match=problem) as refused:
        read_policy(text.encode())
    assert refused.value.fields["line"] == line
