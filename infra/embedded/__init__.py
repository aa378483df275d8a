"""A Postgres of our own, from a wheel, for stores that nobody has set up a server for."""
