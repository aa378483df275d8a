"""Which events and which of their fields the dice follow from or are told by; the rest is talk, chips and losses."""

MATTERS: dict[str, tuple[str, ...]] = {
    "GameCreated": ("game_id", "rulebook", "rulebook_version", "fairness"),
    "PlayerJoined": ("seat", "anchor"),
    "PlayerLeft": ("seat",),
    "GameStarted": ("dice_each",),
    "RollCalled": ("seats", "call", "calls"),
    "Rolled": ("seat", "link"),
    "OpeningDiceRolled": ("server_link", "rolls"),
    "OpenerChosen": ("seat", "how"),
    "RoundStarted": ("number", "dice_counts"),
    "DiceDealt": ("server_link", "hands"),
    "DiceRerolled": ("seat", "shown", "rerolled", "link", "server_link", "hand"),
    "CupsLifted": ("deals", "dice"),
    "DiceLost": ("seat", "lost"),
    "PlayerForfeited": ("seat", "lost"),
    "RoundEnded": ("number",),
    "GameEnded": ("winner",),
}
