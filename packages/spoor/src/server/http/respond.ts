import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { securityHeaders } from "./guard.ts";
import { errorBody, type HttpError, statusOf } from "./http-error.ts";
import type { ReusedBuffer } from "./reused-buffer.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendBytes(response, status, JSON_TYPE, Buffer.from(`${JSON.stringify(value)}\n`));
}

export function sendBytes(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": bytes.length });
  response.end(bytes);
}

/** Releases the buffer once the kernel has its bytes. */
export function sendReusedBuffer(response: ServerResponse, status: number, type: string, buffer: ReusedBuffer): void {
  const { socket } = response;
  response.once("finish", () => {
    // A write on a broken connection may still be reading them.
    if (socket?.destroyed === false) buffer.release();
  });
  sendBytes(response, status, type, buffer.bytes);
}

export function sendError(response: ServerResponse, error: HttpError, request_id: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const bytes = Buffer.from(`${JSON.stringify(errorBody(error, request_id))}\n`);
  if (response.req.complete) sendBytes(response, statusOf(error.code), JSON_TYPE, bytes);
  else sendWhileReceiving(response, statusOf(error.code), bytes);
}

/**
 * Answers a client that is still sending its request, and closes the connection when the request ends or after
 * `BODY_WAIT_MS`. A client whose connection closes at once fails to write and never reads the answer.
 */
function sendWhileReceiving(response: ServerResponse, status: number, bytes: Buffer): void {
  const { req: request } = response;
  response.writeHead(status, { "Content-Type": JSON_TYPE, "Content-Length": bytes.length, Connection: "close" });
  response.write(bytes);
  const timer = setTimeout(() => response.end(), BODY_WAIT_MS);
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => response.end()).resume();
}

const BODY_WAIT_MS = 2_000;

/** How long a refused client may take to read the answer and hang up. */
export const LINGER_MS = 1_000;

/**
 * Answers where there is no `ServerResponse`: the request is invalid, or an upgrade, or there are too many connections.
 * The connection is destroyed after `LINGER_MS` at the latest.
 */
export function refuseConnection(socket: Duplex, error: HttpError, request_id: string): void {
  const body = JSON.stringify(errorBody(error, request_id));
  const headers = {
    ...{ ...securityHeaders, ...error.headers, "X-Request-Id": request_id, "Content-Type": JSON_TYPE },
    ...{ "Content-Length": Buffer.byteLength(body), Connection: "close" },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  // Keep reading: destroying a socket with unread bytes resets the connection before the client reads the answer.
  socket.on("error", () => socket.destroy()).resume();
  socket.end(`HTTP/1.1 ${statusOf(error.code)} Refused\r\n${lines.join("")}\r\n${body}`);
}
