"""The command `liarsdice`: a module or a folder for each subcommand, and what they share."""
