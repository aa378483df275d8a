# The way to a server: calls with one answer, and one game to follow. All of it is JSON over HTTP, by the Connect protocol.
extends Node

signal game_changed(game, events)

const WATCH = "/liarsdice.v1.GameService/WatchGame"
const RESUME_SECONDS = 0.5

var url = "http://127.0.0.1:8080"
var token = ""

var _stream = HTTPClient.new()
var _received = PoolByteArray()
var _request = {}
var _is_asked = false


# The answer to a call; null if it was refused. Wait for it: var answer = yield(server.ask(...), "completed")
func ask(method, request):
	var http = HTTPRequest.new()
	add_child(http)
	var where = "%s/liarsdice.v1.%s" % [url, method]
	http.request(where, _headers("application/json"), true, HTTPClient.METHOD_POST, to_json(request))
	var answer = yield(http, "request_completed")
	while answer[0] != HTTPRequest.RESULT_SUCCESS:
		# The connection broke. The same request is sent again: its id makes that it counts once.
		yield(get_tree().create_timer(RESUME_SECONDS), "timeout")
		http.request(where, _headers("application/json"), true, HTTPClient.METHOD_POST, to_json(request))
		answer = yield(http, "request_completed")
	http.queue_free()
	var content = parse_json(answer[3].get_string_from_utf8())
	if answer[1] == 200:
		return content
	# A refusal has a code, a sentence, and details with a stable reason.
	printerr("%s is refused: %s" % [method, content.message])
	return null


# Follow a game: the signal comes with the game as it is, and then each time that something happened.
func watch(game_id):
	_request = {"gameId": game_id, "includeGame": true}
	_open()


func _open():
	var parts = url.trim_prefix("http://").split(":")
	_stream.close()
	_received = PoolByteArray()
	_is_asked = false
	_stream.connect_to_host(parts[0], int(parts[1]))


func _process(_delta):
	if _request.empty():
		return
	_stream.poll()
	match _stream.get_status():
		HTTPClient.STATUS_CONNECTED:
			if _is_asked:
				_resume()  # The stream is over.
			else:
				_is_asked = true
				_stream.request_raw(HTTPClient.METHOD_POST, WATCH, _headers("application/connect+json"), _enveloped(to_json(_request)))
		HTTPClient.STATUS_BODY:
			_received.append_array(_stream.read_response_body_chunk())
			_read_envelopes()
		HTTPClient.STATUS_DISCONNECTED, HTTPClient.STATUS_CANT_CONNECT, HTTPClient.STATUS_CONNECTION_ERROR:
			_resume()


# After a break, the stream goes on after the last version that came.
func _resume():
	set_process(false)
	yield(get_tree().create_timer(RESUME_SECONDS), "timeout")
	_open()
	set_process(true)


# An envelope is a byte of flags, the length in four bytes, and a message. The flag 2 marks the end of the stream.
func _enveloped(text):
	var content = text.to_utf8()
	var size = content.size()
	var envelope = PoolByteArray([0, size >> 24 & 255, size >> 16 & 255, size >> 8 & 255, size & 255])
	envelope.append_array(content)
	return envelope


func _read_envelopes():
	while _received.size() >= 5:
		var size = _received[1] << 24 | _received[2] << 16 | _received[3] << 8 | _received[4]
		if _received.size() < 5 + size:
			return
		var message = parse_json(_received.subarray(5, 4 + size).get_string_from_utf8())
		var is_end = _received[0] & 2
		_received = _received.subarray(5 + size, -1) if _received.size() > 5 + size else PoolByteArray()
		if is_end:
			if "error" in message:
				printerr("the stream ended: %s" % message.error.message)
		else:
			_tell(message)


func _tell(message):
	var game = message.get("snapshot", message.get("update", {}).get("game"))
	if game:  # Otherwise it is a heartbeat, or a player who came or went.
		_request["afterVersion"] = game.version
		emit_signal("game_changed", game, message.get("update", {}).get("events", []))


func _headers(content_type):
	var headers = ["Content-Type: %s" % content_type]
	if token:
		headers.append("Authorization: Bearer %s" % token)
	return headers
