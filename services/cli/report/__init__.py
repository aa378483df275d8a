"""`liarsdice report`: the numbers of a player and five pictures of them, as one HTML file that needs nothing else."""
