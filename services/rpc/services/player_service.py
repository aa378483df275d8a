"""PlayerService: players and their tokens."""

from typing import Any

from liarsdice.v1 import player_service_pb2 as wire

from services.access.caller import Caller
from services.access.identity import Registry
from services.rpc.gate import Call, Gate
from services.rpc.method import Served, unary

SERVICE = wire.DESCRIPTOR.services_by_name["PlayerService"].full_name
_SCOPES = {name.removeprefix("SCOPE_").lower(): number for name, number in wire.Scope.items()}


class PlayerService:
    """The calls of PlayerService."""

    def __init__(self, gate: Gate, registering: Gate, registry: Registry) -> None:
        """`registering` is the gate for new players, which may have a lower rate limit."""
        self._gate, self._registering, self._registry = gate, registering, registry

    def served(self) -> Served:
        """The methods of this service."""
        methods = {
            "Register": unary(self._registering, wire.RegisterRequest, self._register, same_for_all=True),
            "GetPlayer": unary(self._gate, wire.GetPlayerRequest, self._get),
            "RotateToken": unary(self._gate, wire.RotateTokenRequest, self._rotate),
            "RevokeToken": unary(self._gate, wire.RevokeTokenRequest, self._revoke),
        }
        return Served(SERVICE, methods)

    async def _register(self, request: wire.RegisterRequest, _call: Call) -> wire.RegisterResponse:
        caller, token = await self._registry.register(request.name)
        return wire.RegisterResponse(player=_player(caller), token=token)

    async def _get(self, _request: Any, call: Call) -> wire.GetPlayerResponse:
        return wire.GetPlayerResponse(player=_player(call.caller))

    async def _rotate(self, _request: Any, call: Call) -> wire.RotateTokenResponse:
        return wire.RotateTokenResponse(token=await self._registry.rotate(call.token, call.caller))

    async def _revoke(self, request: wire.RevokeTokenRequest, call: Call) -> wire.RevokeTokenResponse:
        await self._registry.revoke(call.token, call.caller, everything=request.all)
        return wire.RevokeTokenResponse()


def _player(caller: Caller) -> wire.Player:
    scopes = [_SCOPES[scope] for scope in caller.scopes]
    return wire.Player(player_id=caller.player_id, name=caller.name, scopes=scopes)
