import type { ServerResponse } from "node:http";
import { errorBody, type HttpError, statusOf } from "./errors.ts";
import type { Room } from "./room.ts";

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendBytes(response, status, "application/json; charset=utf-8", Buffer.from(`${JSON.stringify(value)}\n`));
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
  // The rest of a request that was refused is not waited for.
  if (!response.req.complete) response.setHeader("Connection", "close");
  sendJson(response, statusOf(error.code), errorBody(error, request_id));
}
