"""A client of the game server. It takes care of tokens, request ids, retries and broken streams.

It knows the wire contract and the domain's values, and nothing of how the server is made.
"""

from domain.clubs.answers import Attendance, Club, ClubListing, SeasonTable
from domain.freshness import Freshness, ModelFreshness
from domain.options import Options
from domain.statistics.answers import (
    DecisionMade,
    DecisionsWanted,
    GameStatistics,
    HeadToHead,
    Leaderboard,
    Matrix,
    PlayerGroup,
    PlayerStatistics,
    RatingPoint,
    Span,
)
from services.client.answers import Came, Done, Game, Happened, Listed, ListedPage, OfferedRulebook, Player, Update
from services.client.channel import Tls
from services.client.client import Client
from services.client.clubs import Invited, PlayersClubs
from services.client.errors import FalseServer, KeptBack, Refused, Unreachable
from services.client.moves import Moves
from services.client.past_answers import (
    Exported,
    PastGame,
    PastGamesPage,
    PastRecord,
    PastRound,
    PastStep,
    PastSteps,
    ReplayEnd,
    ReplayPosition,
    ServerFreshness,
    StepSeen,
)
from services.client.past_games import GameFilter, PastGames
from services.client.play import Play
from services.client.played_game import PlayedGame
from services.client.replay import Eyes, ReplayedStep, Replaying
from services.client.retry import Patience
from services.client.seat_keeper import Kept, SeatKeeper, Sent
from services.client.statistics import PlayersNumbers
from services.client.table import Table
from services.client.token_file import TokenFile

__all__ = [
    "Attendance",
    "Came",
    "Client",
    "Club",
    "ClubListing",
    "DecisionMade",
    "DecisionsWanted",
    "Done",
    "Exported",
    "Eyes",
    "FalseServer",
    "Freshness",
    "Game",
    "GameFilter",
    "GameStatistics",
    "Happened",
    "HeadToHead",
    "Invited",
    "Kept",
    "KeptBack",
    "Leaderboard",
    "Listed",
    "ListedPage",
    "Matrix",
    "ModelFreshness",
    "Moves",
    "OfferedRulebook",
    "Options",
    "PastGame",
    "PastGames",
    "PastGamesPage",
    "PastRecord",
    "PastRound",
    "PastStep",
    "PastSteps",
    "Patience",
    "Play",
    "PlayedGame",
    "Player",
    "PlayerGroup",
    "PlayerStatistics",
    "PlayersClubs",
    "PlayersNumbers",
    "RatingPoint",
    "Refused",
    "ReplayEnd",
    "ReplayPosition",
    "ReplayedStep",
    "Replaying",
    "SeasonTable",
    "SeatKeeper",
    "Sent",
    "ServerFreshness",
    "Span",
    "StepSeen",
    "Table",
    "Tls",
    "TokenFile",
    "Unreachable",
    "Update",
]
