#!/bin/sh
# Plays a whole game against a bot with curl, sed and grep alone: examples/curl/play.sh [http://127.0.0.1:8080] [rulebook]
# Every method of the contract is a POST of JSON to /liarsdice.v1.<Service>/<Method>.
set -eu

SERVER=${1:-http://127.0.0.1:8080}
RULEBOOK=${2:-single-hand}
TOKEN=
GAME=

# One call: the method, and its request. A refusal is printed with its reason, and ends the program.
call() {
  # The token comes on standard input, because everybody on this machine can read the arguments of a program.
  answer=$(printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
    curl --config - --silent --show-error --fail-with-body --max-time 10 \
      --header "Content-Type: application/json" --data "$2" "$SERVER/liarsdice.v1.$1") || {
    echo "$1: $answer" >&2
    exit 1
  }
  printf '%s\n' "$answer"
}

# A command on the game as we saw it. The version is in its id too: if it is sent twice, it counts once.
send() {
  call "GameService/$1" '{"requestId": "'"$1-$(version)"'", "gameId": "'"$GAME"'", "expectedVersion": "'"$(version)"'"'"$2"'}' > /dev/null
}

found() { printf '%s\n' "$SEEN" | sed -n "s/.*$1.*/\\1/p"; }
version() { found '"version":"\([0-9]*\)","ownerId"'; }

# The lowest bid of the first face that we may bid, unless it is more than half of all dice: then we doubt.
move() {
  quantity=$(found '"lowestBids":\[{"quantity":\([0-9]*\)')
  face=$(found '"lowestBids":\[{"quantity":[0-9]*,"face":\([0-9]*\)')
  dice=0
  for count in $(printf '%s\n' "$SEEN" | grep -o '"diceCount":[0-9]*' | sed 's/.*://'); do dice=$((dice + count)); done
  if [ -z "$quantity" ] || { [ $((quantity * 2)) -gt "$dice" ] && [ -n "$(found '"challenge":\(true\)')" ]; }; then
    echo "  I doubt it"
    send Challenge ''
  else
    echo "  I have $(found '"hidden":{"dice":\[\([0-9,]*\)\]') and bid $quantity x $face"
    send PlaceBid ', "quantity": '"$quantity"', "face": '"$face"
  fi
}

SEEN=$(call PlayerService/Register '{"name": "Curl"}')
TOKEN=$(found '"token":"\([^"]*\)"')
SEEN=$(call GameService/CreateGame '{"requestId": "table", "rulebook": "'"$RULEBOOK"'", "seatsMax": 2, "options": {"diceEach": 3}}')
GAME=$(found '"gameId":"\([^"]*\)"')
call GameService/AddBot '{"requestId": "bot", "gameId": "'"$GAME"'", "strategy": "cautious"}' > /dev/null
call GameService/StartGame '{"requestId": "start", "gameId": "'"$GAME"'"}' > /dev/null
echo "playing $GAME"

while :; do
  SEEN=$(call GameService/GetGame '{"gameId": "'"$GAME"'"}')
  case $SEEN in
    *'"phase":"PHASE_ENDED"'*) break ;;
    *'"phase":"PHASE_BIDDING"'*'"waiting":[0]'*) move ;;
    *) sleep 0.1 ;;
  esac
done
echo "$(printf '%s' "$SEEN" | sed -n 's/.*"winner":\([0-9]*\),"places".*/seat \1/p') wins"
