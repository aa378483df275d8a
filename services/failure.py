"""What a command line user is told when something can't be done."""


class CommandFailed(Exception):  # noqa: N818 - it reads as a sentence
    """One sentence that says what is wrong and what would be right."""
