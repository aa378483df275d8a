"""`liarsdice play`: tables of a server in the terminal, for people, scripts and bots from outside."""
