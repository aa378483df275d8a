"""What people run: the command line, bots, and whatever else serves the game."""
