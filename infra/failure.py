"""What a user of the command line sees when a command can't do its work."""

import signal

TERMINATED = 128 + signal.SIGTERM
"""The exit code of a command that SIGTERM has ended."""


class CommandFailed(Exception):  # noqa: N818 - it reads as a sentence
    """One sentence that says what is wrong and what to do instead."""
