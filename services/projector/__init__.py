"""The projector: turns the events of games into read models."""
