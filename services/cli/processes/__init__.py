"""`liarsdice serve --processes N`: several processes that are one server, and the supervisor that keeps them running."""
