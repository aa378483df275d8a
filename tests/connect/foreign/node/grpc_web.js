// Plays books with Google's client for gRPC-Web: node grpc_web.js <url> <text or binary>:<book>...
import { createRequire } from "node:module";
import { end } from "./clients.js";
import { grpcWebGame } from "./grpc_web_game.js";

const XMLHttpRequest = createRequire(import.meta.url)("xhr2");

// In browsers the text of an answer grows while it comes, and each piece is announced. Here it would come at the end.
globalThis.XMLHttpRequest = class extends XMLHttpRequest {
  _onHttpResponseData(response, data) {
    if (this.responseType === "" || this.responseType === "text") this.responseText += data.toString("latin1");
    super._onHttpResponseData(response, data);
    this._setReadyState(XMLHttpRequest.LOADING);
  }
};

const [url, ...games] = process.argv.slice(2);
end(await Promise.all(games.map((one) => grpcWebGame(url, ...one.split(":")))));
