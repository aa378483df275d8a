"""The failures of the store, each with its sentence."""


class StoreFailed(Exception):  # noqa: N818 - it reads as a sentence
    """The store could not do its work."""

    def __init__(self, **values: object) -> None:
        """Keep the values that the sentence mentions."""
        self.values = values
        super().__init__((self.__doc__ or "").format(**values))

    def __reduce__(self) -> tuple[object, ...]:
        """A failure can be sent from one process to another."""
        return _made_again, (type(self), self.values)


def _made_again(kind: type[StoreFailed], values: dict[str, object]) -> StoreFailed:
    return kind(**values)


class SchemaTooNew(StoreFailed):
    """This database was migrated to version {found} by a newer program; this one knows versions up to {known}."""


class SchemaTooOld(StoreFailed):
    """This database is at version {found} and the program needs {known}: run `liarsdice migrate`."""


class MigrationNotAllowed(StoreFailed):
    """This login may not migrate the store ({problem}); it must own the database, and be allowed to create roles or have been granted {roles}."""


class RoleNotGranted(StoreFailed):
    """This login may not act as {role} ({problem}): run `GRANT {role} TO {login} WITH SET TRUE` as the login that migrates."""


class LanesFixed(StoreFailed):
    """This store was created with {found} lanes and can't be changed to {wanted}: a game's lane follows from their number."""


class LanesOutOfRange(StoreFailed):
    """A store has 1 to {lanes_max} lanes, not {wanted}."""


class NoSuchLane(StoreFailed):
    """This store has the lanes 0 to {lane_last}; there is no lane {lane}."""


class EventTooNew(StoreFailed):
    """This game has an event of the kind {topic}, which a newer program stored and this one can't read; ask again, another server may."""


class StreamElsewhere(StoreFailed):
    """The stream {stream} belongs to lane {lane}, not to lane {given}, where nobody would find it."""


class VersionConflict(StoreFailed):
    """The stream {streams} has moved on: these events do not follow its last stored version."""


class EventsNotInOrder(StoreFailed, ValueError):  # noqa: N818 - it reads as a sentence
    """An append needs at least one event, and the events of a stream must follow each other without a gap."""


class AppendRefused(StoreFailed):
    """The database refuses these events ({problem}), and has stored none of them."""


class StoreBusy(StoreFailed):
    """The store has {waiting} waiting appends already and takes no more until it has written some."""


class StoreClosed(StoreFailed):
    """The store is closed."""


class StoreUnreachable(StoreFailed):
    """The database can't be reached ({problem}), and nobody knows whether this was stored; ask again with the same request id."""


class StoreUnreadable(StoreFailed):
    """The database can't be reached ({problem}), so this can't be read now; ask again later."""
