"""A Postgres that comes with this program, from a wheel, for users who have set up no database server."""
