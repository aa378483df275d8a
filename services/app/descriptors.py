"""The number of files and connections that the system lets this process have open."""

import sys

_DESCRIPTORS_DEFAULT = 1_024
_DESCRIPTORS_MAX = 1 << 20
"""Some systems name no limit. This is more than all connections need."""


def raise_descriptor_limit() -> None:
    """Raise the limit as far as the system lets us: the usual one is for programs that open few files."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not every system has it

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS_MAX)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, descriptor_limit()), hard))


def descriptor_limit() -> int:
    """The limit of this process."""
    if sys.platform == "win32":
        return _DESCRIPTORS_DEFAULT
    import resource  # noqa: PLC0415 - as above

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _DESCRIPTORS_MAX if soft == resource.RLIM_INFINITY else soft
