"""The chooser of a table: by the flags of a player, or by a few questions."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.options import DEFAULT_OPTIONS, Options
from domain.values import Value
from infra.failure import CommandFailed
from services.cli.play.keyboard import Keyboard
from services.cli.play.screen import Screen
from services.client import Client, Listed, OfferedRulebook, Refused, Table

BOTS_DEFAULT = 2
CLOCK_SECONDS = 120
"""The clock of a table without bots, unless the player says otherwise: one silent player must not stall all others."""
"""For a table that is open to all. A private one has none, because it waits for friends."""
_LISTED_MAX = 20
_INVITATION_WORDS = 2
_NONE_OPEN = "No table is open. Type n for a new one, p for a private one by its code, q to leave."


class Wish(Value, frozen=True, kw_only=True):
    """The table that a player asks for; a player who asks for none sees the list of tables."""

    new: bool = False
    rulebook: str | None = None
    bots: int | None = None
    options: Options = DEFAULT_OPTIONS
    clock_given: bool = False
    """Whether the player has said how long a turn takes, or that there is no clock."""
    private: bool = False
    join: str | None = None
    code: str = ""
    watch: str | None = None

    @property
    def bots_default(self) -> int:
        """How many bots sit at the new table if the player does not say."""
        return 0 if self.private else BOTS_DEFAULT


class Seating(Value, frozen=True, kw_only=True):
    """How a player sits down: with an own chain or one of the server, and whether the seat signs its moves."""

    own_chain: bool
    sign_moves: bool


class Chooser:
    """Finds a table for a player."""

    def __init__(self, client: Client, screen: Screen, keyboard: Keyboard, seating: Seating) -> None:
        self._client, self._screen, self._keyboard, self._seating = client, screen, keyboard, seating

    async def table(self, wish: Wish) -> Table | None:
        """The table to sit at, or to watch; None if the player does not want one."""
        if wish.watch is not None:
            return self._client.table(wish.watch, code=wish.code)
        if wish.join is not None:
            return await self._joined(wish.join, wish.code)
        if wish.new:
            return await self._created(wish, wish.rulebook or (await self._client.rulebooks())[0].id)
        return await self._picked(wish)

    async def _joined(self, game_id: str, code: str = "") -> Table:
        try:
            own_chain, sign_moves = self._seating.own_chain, self._seating.sign_moves
            return await self._client.join(game_id, code=code, own_chain=own_chain, sign_moves=sign_moves)
        except Refused as refusal:
            table = self._client.table(game_id, code=code)
            # A player who has a seat comes back to it, even if the game has begun.
            if refusal.reason == "PLAYER_ALREADY_SEATED" or (await table.game()).view.viewer is not None:
                return table
            raise

    async def _created(self, wish: Wish, rulebook: str) -> Table:
        bots = wish.bots_default if wish.bots is None else wish.bots
        book = _named(await self._client.rulebooks(), rulebook)
        # Checked before the table is made, because nobody wants a table that can't begin.
        if book is not None and bots >= book.players_max:
            room = book.players_max - 1
            raise CommandFailed(f"a table of {book.id} has room for {room} bots beside you, not for {bots}")
        table = await self._client.create(
            rulebook,
            options=wish.options if bots or wish.clock_given else _with_clock(wish.options, CLOCK_SECONDS),
            private=wish.private,
            own_chain=self._seating.own_chain,
            sign_moves=self._seating.sign_moves,
        )
        for _ in range(bots):
            await table.add_bot()
        if bots:
            await table.start()
        return table

    async def _picked(self, wish: Wish) -> Table | None:
        own = [page async for page in self._client.pages(mine=True)]
        joinable = [page async for page in self._client.pages(joinable=True)]
        mine = [game for page in own for game in page.games if game.phase != "ended"]
        held = {game.game_id for game in mine}
        open_tables = [game for page in joinable for game in page.games if game.game_id not in held]
        listed = (mine + open_tables)[:_LISTED_MAX]
        for number, game in enumerate(listed, 1):
            self._screen.say(f"{number:3}  {_described(game, mine=game.game_id in held)}")
        if not all(page.is_complete for page in (*own, *joinable)):
            self._screen.say("Some tables may be missing: the server is still catching up.")
        question = "Type a number to sit down there, n for a new table, p for a private one by its code, q to leave."
        while True:
            answer = await self.answer(question if listed else _NONE_OPEN)
            if answer is None or answer in {"q", "quit"}:
                return None
            if answer in {"n", "new"}:
                return await self._set_up(wish)
            if answer in {"p", "private"}:
                if (invited := await self._invited()) is not None:
                    return invited
                continue
            if (index := _number(answer, 1, len(listed))) is not None:
                game = listed[index - 1]
                return self._client.table(game.game_id) if game in mine else await self._joined(game.game_id)

    async def _invited(self) -> Table | None:
        """A private table by its invitation; None if the invitation does not work."""
        line = await self._typed_answer(
            "What does the invitation say? A game and a code, as in: --join GAME --code CODE"
        )
        words = [word for word in (line or "").split() if not word.startswith("--")]
        if len(words) != _INVITATION_WORDS:
            self._screen.say("That is no invitation: a game and a code are needed.", "red")
            return None
        try:
            return await self._joined(*words)
        except Refused as refusal:
            self._screen.say(refusal.message, "red")
            return None

    async def _set_up(self, wish: Wish) -> Table | None:
        books = await self._client.rulebooks()
        book = _named(books, wish.rulebook) or await self._chosen_book(books)
        if book is None:
            return None
        private = wish.private
        if not private:
            private = await self.answer("Who may sit down? Enter for everybody, p for those with its code.") in {
                "p",
                "private",
            }
        seats = book.players_max - 1
        default = Wish(private=private).bots_default
        bots = wish.bots
        while bots is None:
            answer = await self.answer(f"How many bots, 0 to {seats}? Enter for {default}.")
            if answer is None:
                return None
            bots = _number(answer or str(default), 0, seats)
        clock = "no clock" if bots else f"{CLOCK_SECONDS}, 0 for no clock"
        seconds = await self.answer(f"How many seconds for each turn? Enter for {clock}.") or ""
        options, given = wish.options, wish.clock_given
        if seconds.isascii() and seconds.isdecimal():
            options, given = _with_clock(options, int(seconds) or None), True
        created = Wish(new=True, bots=bots, options=options, clock_given=given, private=private)
        return await self._created(created, book.id)

    async def _chosen_book(self, books: Sequence[OfferedRulebook]) -> OfferedRulebook | None:
        for number, book in enumerate(books, 1):
            self._screen.say(f"{number:3}  {book.title}, {book.players_min} to {book.players_max} players ({book.id})")
        while True:
            answer = await self.answer("Which rulebook? Enter for the first.")
            if answer is None:
                return None
            if (index := _number(answer or "1", 1, len(books))) is not None:
                return books[index - 1]
            if (named := _named(books, answer)) is not None:
                return named

    async def answer(self, question: str) -> str | None:
        """The answer to a question, in small letters; None if nobody can answer."""
        line = await self._typed_answer(question)
        return None if line is None else line.lower()

    async def _typed_answer(self, question: str) -> str | None:
        self._screen.say(question)
        self._screen.prompt()
        line = await self._keyboard.line()
        self._screen.typed()
        return None if line is None else line.strip()


def _described(game: Listed, *, mine: bool) -> str:
    clock = f", {game.turn_seconds} seconds a turn" if game.turn_seconds else ""
    players = ", ".join(game.players) or "nobody yet"
    state = f"yours, {game.phase.replace('_', ' ')}" if mine else f"{len(game.players)} of {game.seats_max} seats taken"
    return f"{game.rulebook}: {players} ({state}{clock})"


def _named(books: Sequence[OfferedRulebook], name: str | None) -> OfferedRulebook | None:
    return {book.id: book for book in books}.get(name or "")


def _number(text: str, low: int, high: int) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and low <= int(text) <= high else None


def _with_clock(options: Options, seconds: int | None) -> Options:
    return replace(options, turn_seconds=seconds)
