import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody, type HttpError, statusOf } from "./errors.ts";
import { securityHeaders } from "./guard.ts";
import type { Room } from "./room.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendBytes(response, status, JSON_TYPE, Buffer.from(`${JSON.stringify(value)}\n`));
}

export function sendBytes(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": bytes.length });
  response.end(bytes);
}

/** The same for what was put together in a room, which is given back once its bytes are with the system. */
export function sendRoom(response: ServerResponse, status: number, type: string, room: Room): void {
  const { socket } = response;
  response.once("finish", () => {
    // A connection that broke may still be at work on them.
    if (socket?.destroyed === false) room.giveBack();
  });
  sendBytes(response, status, type, room.bytes);
}

export function sendError(response: ServerResponse, error: HttpError, request_id: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const bytes = Buffer.from(`${JSON.stringify(errorBody(error, request_id))}\n`);
  if (response.req.complete) sendBytes(response, statusOf(error.code), JSON_TYPE, bytes);
  else sendToSender(response, statusOf(error.code), bytes);
}

/**
 * Answers who is still sending, and ends the connection when that is over, or after a while. Ended at once, the sender
 * would find that it cannot write, and never read why.
 */
function sendToSender(response: ServerResponse, status: number, bytes: Buffer): void {
  const { req: request } = response;
  response.writeHead(status, { "Content-Type": JSON_TYPE, "Content-Length": bytes.length, Connection: "close" });
  response.write(bytes);
  const patience = setTimeout(() => response.end(), PATIENCE_MS);
  request.once("close", () => clearTimeout(patience));
  request.once("end", () => response.end()).resume();
}

const PATIENCE_MS = 2_000;

/** How long somebody who was refused may take to read why and hang up. */
export const LINGER_MS = 1_000;

/**
 * The same where there is no response to write to: what came is no request that can be read, or an upgrade, or there is
 * no room. The connection is destroyed soon, whether or not the other side hangs up.
 */
export function refuseConnection(socket: Duplex, error: HttpError, request_id: string): void {
  const body = JSON.stringify(errorBody(error, request_id));
  const headers = {
    ...{ ...securityHeaders, ...error.headers, "X-Request-Id": request_id, "Content-Type": JSON_TYPE },
    ...{ "Content-Length": Buffer.byteLength(body), Connection: "close" },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const patience = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(patience));
  // Destroyed with bytes unread, the connection would be reset, and the other side would never read the answer.
  socket.on("error", () => socket.destroy()).resume();
  socket.end(`HTTP/1.1 ${statusOf(error.code)} Refused\r\n${lines.join("")}\r\n${body}`);
}
