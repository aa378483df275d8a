"""A game that was played: its record, its steps seen again, the odds at each of them, and games that go on from one."""
