"""Bots: players that decide from what a seat may see and do, and from nothing else."""

from services.bots.bluffing import bluffing
from services.bots.calculating import calculating
from services.bots.cautious import cautious
from services.bots.choice import DOUBT, Bot, Choice, Doubt, Raise

__all__ = ["BOTS", "DOUBT", "Bot", "Choice", "Doubt", "Raise"]

BOTS: dict[str, Bot] = {"cautious": cautious, "calculating": calculating, "bluffing": bluffing}
