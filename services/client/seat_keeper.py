"""The keeper of seats' secrets: one file for each seat, which only its owner can read, or in memory.

A secret is on the disk before anything that follows from it leaves this machine. So a program that ended in the middle
of a game finds its chain again, and knows how many links of it the server has. When a game is over, its secrets are
forgotten. What a proof of the game must agree with stays: the anchor, the public key and the dice.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.fairness.chain import LINK_LENGTH
from domain.refusals import Malformed
from domain.values import Value
from services.client.played_game import PlayedGame
from services.client.private_file import write_private_json
from services.client.receipt_keeper import ReceiptKeeper

_Bytes = Annotated[bytes, Meta(min_length=LINK_LENGTH, max_length=LINK_LENGTH)]
_NAME_LENGTH, _SUFFIX, _PLAYED, _RECEIPTS = 16, ".seat", ".played", ".receipts"


class Sent(Value, frozen=True):
    """The highest link that the client has sent, and what the server had said by then."""

    number: Annotated[int, Meta(ge=1)]
    version: Annotated[int, Meta(ge=1)]
    told: _Bytes
    """A hash of all that matters to the dice, up to this version."""


class Kept(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The secrets of one seat. They never show when it is printed."""

    server: str
    player_id: str
    game_id: str
    length: Annotated[int, Meta(ge=1)]
    """How many links the chain has."""
    seed: _Bytes
    signing_key: _Bytes | None = None
    """The private key, of Ed25519, of a seat that signs its moves."""
    sent: Sent | None = None

    def __repr__(self) -> str:
        return f"Kept(server={self.server!r}, player_id={self.player_id!r}, game_id={self.game_id!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("server", self.server), ("player_id", self.player_id), ("game_id", self.game_id)]


class SeatKeeper:
    """Keeps the secrets of seats in a folder, which several clients may share; without one, only in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._memory: dict[str, Kept] = {}
        self._played: dict[str, PlayedGame] = {}
        self._receipts = ReceiptKeeper(folder)

    def find(self, server: str, player_id: str, game_id: str) -> Kept | None:
        """The secrets of a seat; None if there are none."""
        name = _name(server, player_id, game_id)
        if self._folder is None:
            return self._memory.get(name)
        path = self._folder / name
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=Kept)
        except FileNotFoundError:
            return None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Malformed(what=f"file of a seat's secrets ({path})", problem=str(error)) from None
        if _name_of(kept) != name:
            raise Malformed(what=f"file of a seat's secrets ({path})", problem="it is that of another seat")
        return kept

    def keep(self, kept: Kept) -> None:
        """Keep the secrets of a seat, in place of those kept for it before."""
        with self._alone():
            self._write(kept)

    def note(self, kept: Kept, sent: Sent) -> None:
        """Note which link is about to be sent, unless another client of this seat has sent a higher one."""
        with self._alone():
            now = self.find(kept.server, kept.player_id, kept.game_id) or kept
            if now.sent is None or now.sent.number < sent.number:
                self._write(replace(now, sent=sent))

    def forget(self, kept: Kept) -> None:
        """Forget a seat that was given back, or whose game is over."""
        if self._folder is None:
            self._memory.pop(_name_of(kept), None)
        else:
            (self._folder / _name_of(kept)).unlink(missing_ok=True)

    def remember(self, played: PlayedGame) -> None:
        """Remember a game that is over."""
        name = _name_of(played, _PLAYED)
        if self._folder is None:
            self._played[name] = played
        else:
            with self._alone():
                write_private_json(self._folder / name, played)

    def recall(self, server: str, player_id: str, game_id: str) -> PlayedGame | None:
        """A game that is over, as it is remembered; None if it is not."""
        name = _name(server, player_id, game_id, _PLAYED)
        if self._folder is None:
            return self._played.get(name)
        path = self._folder / name
        try:
            played = msgspec.json.decode(path.read_bytes(), type=PlayedGame)
        except FileNotFoundError:
            return None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Malformed(what=f"file of a played game ({path})", problem=str(error)) from None
        if _name_of(played, _PLAYED) != name:
            raise Malformed(what=f"file of a played game ({path})", problem="it is that of another seat")
        return played

    def add_receipt(self, server: str, player_id: str, game_id: str, receipt: bytes) -> None:
        """Keep a receipt."""
        with self._alone():
            self._receipts.add(_name(server, player_id, game_id, _RECEIPTS), game_id, receipt)

    def receipts(self, server: str, player_id: str, game_id: str) -> bytes:
        """The receipts of a game, as a file for `liarsdice verify --receipts`; empty if there are none."""
        return self._receipts.find(_name(server, player_id, game_id, _RECEIPTS))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other programs from changing the folder meanwhile."""
        if self._folder is None:
            yield
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            flock(folder, LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _write(self, kept: Kept) -> None:
        if self._folder is None:
            self._memory[_name_of(kept)] = kept
        else:
            write_private_json(self._folder / _name_of(kept), kept)


def _name_of(kept: Kept | PlayedGame, suffix: str = _SUFFIX) -> str:
    return _name(kept.server, kept.player_id, kept.game_id, suffix)


def _name(server: str, player_id: str, game_id: str, suffix: str = _SUFFIX) -> str:
    """The name of a seat's file: a hash, because an address may hold characters that no file name can."""
    return sha256(f"{server}\n{player_id}\n{game_id}".encode()).hexdigest()[:_NAME_LENGTH] + suffix
