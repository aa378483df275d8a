"""What a command line user is told when something can't be done."""

import signal

TERMINATED = 128 + signal.SIGTERM
"""The exit code of a command that was ended by that signal."""


class CommandFailed(Exception):  # noqa: N818 - it reads as a sentence
    """One sentence that says what is wrong and what would be right."""
