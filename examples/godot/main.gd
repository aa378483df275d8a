# Plays a whole game against a bot, and prints what happens. LIARSDICE_URL and LIARSDICE_RULEBOOK may name another server
# and another rulebook.
extends Node

onready var server = $LiarsDice

var _commands = 0


func _ready():
	if OS.has_environment("LIARSDICE_URL"):
		server.url = OS.get_environment("LIARSDICE_URL")
	var rulebook = OS.get_environment("LIARSDICE_RULEBOOK") if OS.has_environment("LIARSDICE_RULEBOOK") else "pirates"
	server.connect("game_changed", self, "_on_game_changed")

	var registered = yield(server.ask("PlayerService/Register", {"name": "Godot"}), "completed")
	if registered == null:
		get_tree().quit(1)
		return
	server.token = registered.token
	var table = {"requestId": "table", "rulebook": rulebook, "seatsMax": 2, "options": {"diceEach": 3}}
	var created = yield(server.ask("GameService/CreateGame", table), "completed")
	var game_id = created.game.view.gameId
	yield(server.ask("GameService/AddBot", {"requestId": "bot", "gameId": game_id, "strategy": "cautious"}), "completed")
	server.watch(game_id)
	server.ask("GameService/StartGame", {"requestId": "start", "gameId": game_id})


func _on_game_changed(game, events):
	var view = game.view
	for event in events:
		_print_event(event, view.seats)
	if view.phase == "PHASE_ENDED":
		print("%s wins" % view.seats[view.winner].name)
		get_tree().quit()
	elif view.phase == "PHASE_BIDDING" and view.viewer in view.waiting:
		_move(game, view)


# The lowest bid that the rules allow, unless it is more than a third of all dice: then we doubt.
func _move(game, view):
	var dice = 0
	for seat in view.seats:
		dice += seat.get("diceCount", 0)
	var lowest = null
	for bid in view.moves.get("lowestBids", []):
		if lowest == null or bid.quantity < lowest.quantity:
			lowest = bid
	if view.moves.get("challenge", false) and (lowest == null or lowest.quantity > dice / 3):
		_command("Challenge", game, {})
	else:
		_command("PlaceBid", game, {"quantity": lowest.quantity, "face": lowest.face})


# A command with an id of its own, for the version of the game that it was chosen for.
func _command(method, game, fields):
	_commands += 1
	var request = {"requestId": "command-%d" % _commands, "gameId": game.view.gameId, "expectedVersion": game.version}
	for name in fields:
		request[name] = fields[name]
	server.ask("GameService/%s" % method, request)


func _print_event(event, seats):
	if "roundStarted" in event:
		print("Round %d" % event.roundStarted.number)
	elif "bidPlaced" in event:
		var bid = event.bidPlaced
		print("  %s bids %d x %d" % [seats[bid.get("seat", 0)].name, bid.quantity, bid.face])
	elif "bidChallenged" in event:
		print("  %s doubts it" % seats[event.bidChallenged.get("seat", 0)].name)
	elif "diceLost" in event:
		print("  %s loses %d" % [seats[event.diceLost.get("seat", 0)].name, event.diceLost.get("lost", 0)])
