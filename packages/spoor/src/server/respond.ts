import type { ServerResponse } from "node:http";
import { errorBody, type HttpError, statusOf } from "./errors.ts";

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendBytes(response, status, "application/json; charset=utf-8", Buffer.from(`${JSON.stringify(value)}\n`));
}

export function sendBytes(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": bytes.length });
  response.end(bytes);
}

export function sendError(response: ServerResponse, error: HttpError, request_id: string): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  // The rest of a request that was refused is not waited for.
  if (!response.req.complete) response.setHeader("Connection", "close");
  sendJson(response, statusOf(error.code), errorBody(error, request_id));
}
