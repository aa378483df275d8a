"""The one table of reasons: the kind of each refusal and of each failure of the store."""

from domain import refusals as game
from domain.refusals import Refusal
from infra.events import sealing
from infra.postgres.failures import StoreBusy, StoreClosed, StoreFailed, StoreUnreachable, VersionConflict
from services.access import refusals as access
from services.archive import refusals as archive
from services.audit import refusals as audit
from services.bots import refusals as bots
from services.clubs import refusals as clubs
from services.live import refusals as live
from services.reasons.kinds import Kind
from services.tables import refusals as tables

KINDS: dict[type[Refusal], Kind] = {
    # These requests make no sense in any state of the game.
    **dict.fromkeys(
        (
            game.Malformed,
            game.GameIdInvalid,
            game.PlayerIdInvalid,
            game.NameInvalid,
            access.NameMisleading,
            game.OptionNotInRulebook,
            game.OptionOutOfRange,
            game.SeatsOutOfRange,
            game.AnchorInvalid,
            game.SigningKeyInvalid,
            tables.SignatureMissing,
            tables.SignatureUnexpected,
            tables.SignatureWrong,
            game.NoSuchRulebook,
            game.OpenerNotChosen,
            game.QuantityOutOfRange,
            game.FaceOutOfRange,
            game.ReasonInvalid,
            access.FieldInvalid,
            access.EncodingUnknown,
            bots.NoSuchStrategy,
            tables.VersionAhead,
            tables.LinkUnexpected,
            clubs.TimeZoneUnknown,
        ),
        Kind.SENSELESS,
    ),
    game.NoSuchGame: Kind.NOT_THERE,
    game.NoSuchSeat: Kind.NOT_THERE,
    tables.NotABot: Kind.NOT_THERE,
    live.NotWatched: Kind.NOT_THERE,
    archive.NoSuchStep: Kind.NOT_THERE,
    archive.NoSuchPlayer: Kind.NOT_THERE,
    archive.PlayerNotKnownYet: Kind.NOT_THERE,
    audit.NoCheckpoint: Kind.NOT_THERE,
    audit.NothingPublished: Kind.NOT_THERE,
    audit.NoSuchTile: Kind.NOT_THERE,
    audit.EntriesNotPublished: Kind.NOT_THERE,
    audit.NoSuchDispute: Kind.NOT_THERE,
    clubs.NoSuchClub: Kind.NOT_THERE,
    clubs.NoSuchMember: Kind.NOT_THERE,
    clubs.NoSuchSeason: Kind.NOT_THERE,
    clubs.AlreadyMember: Kind.ALREADY_THERE,
    clubs.ClubCodeWrong: Kind.NOT_ALLOWED,
    clubs.NotTheOrganiser: Kind.NOT_ALLOWED,
    clubs.TooManyClubs: Kind.TOO_MUCH,
    audit.AlreadyDisputed: Kind.ALREADY_THERE,
    audit.ExaminationImpossible: Kind.UNREADABLE,
    audit.LogBehind: Kind.AWAY,
    audit.SizesNotInLog: Kind.SENSELESS,
    game.GameAlreadyExists: Kind.ALREADY_THERE,
    game.PlayerAlreadySeated: Kind.ALREADY_THERE,
    game.RequestIdReused: Kind.ALREADY_THERE,
    live.AlreadyWatched: Kind.ALREADY_THERE,
    access.TokenMissing: Kind.UNKNOWN_CALLER,
    access.TokenInvalid: Kind.UNKNOWN_CALLER,
    access.ScopeMissing: Kind.NOT_ALLOWED,
    tables.NotSeated: Kind.NOT_ALLOWED,
    tables.NotTheOwner: Kind.NOT_ALLOWED,
    tables.InvitationWrong: Kind.NOT_ALLOWED,
    access.GamePrivate: Kind.NOT_ALLOWED,
    tables.VersionMoved: Kind.MOVED_ON,
    tables.SignatureStale: Kind.MOVED_ON,
    live.TooMany: Kind.TOO_MUCH,
    tables.TooManyTables: Kind.TOO_MUCH,
    tables.TooManyPracticeGames: Kind.TOO_MUCH,
    tables.TooManyBotGames: Kind.TOO_MUCH,
    access.TooFast: Kind.TOO_MUCH,
    access.MessageTooLarge: Kind.TOO_MUCH,
    access.ReadTooMuch: Kind.TOO_MUCH,
    access.ReadsWaiting: Kind.TOO_MUCH,
    access.StreamsTooMany: Kind.TOO_MUCH,
    access.TooManyConnections: Kind.TOO_MUCH,
    live.WatcherTooSlow: Kind.TOO_MUCH,
    live.ServerDraining: Kind.AWAY,
    archive.ExportInterrupted: Kind.AWAY,
    archive.ExportNotReady: Kind.AWAY,
    # No move of a player can repair this.
    sealing.SealBroken: Kind.UNREADABLE,
    sealing.KeyMissing: Kind.UNREADABLE,
    sealing.NothingToSealWith: Kind.UNREADABLE,
}

STORE_KINDS: dict[type[StoreFailed], Kind] = {
    VersionConflict: Kind.MOVED_ON,
    StoreBusy: Kind.TOO_MUCH,
    StoreClosed: Kind.AWAY,
    StoreUnreachable: Kind.AWAY,
}


FIELDS: dict[type[Refusal], tuple[str, ...]] = {
    game.NoSuchRulebook: ("rulebook",),
    game.GameIdInvalid: ("game_id",),
    game.PlayerIdInvalid: ("player_id",),
    game.NameInvalid: ("name",),
    access.NameMisleading: ("name",),
    game.SeatsOutOfRange: ("seats_max",),
    game.OpenerNotChosen: ("opener",),
    game.AnchorInvalid: ("anchor",),
    game.SigningKeyInvalid: ("signing_key",),
    game.QuantityOutOfRange: ("quantity",),
    game.FaceOutOfRange: ("face",),
    game.ReasonInvalid: ("reason", "text"),
    tables.SignatureMissing: ("signature",),
    tables.SignatureUnexpected: ("signature",),
    tables.SignatureWrong: ("signature",),
    bots.NoSuchStrategy: ("strategy",),
    tables.LinkUnexpected: ("link",),
    clubs.TimeZoneUnknown: ("time_zone",),
    audit.SizesNotInLog: ("old_size", "new_size"),
}
"""The names of the fields that a refusal is about, without their paths. Not every request has all of them."""


def kind_of(refusal: type[Refusal]) -> Kind:
    """The kind of a refusal. Most refusals are rules of the game, which depend on its state."""
    return KINDS.get(refusal, Kind.NOT_NOW)


def kind_of_failure(failure: type[StoreFailed]) -> Kind:
    """The kind of a failure of the store; by default the store is away."""
    return STORE_KINDS.get(failure, Kind.AWAY)
