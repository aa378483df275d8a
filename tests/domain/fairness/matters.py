"""The events and fields that decide or show the dice. A change of any other does not matter to them."""

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
