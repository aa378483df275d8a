"""`liarsdice replay`: past games in the terminal, step by step or in their own time."""
