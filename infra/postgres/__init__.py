"""The event store on Postgres."""
