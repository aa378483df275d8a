"""`liarsdice club`: clubs, their season tables and attendance."""
