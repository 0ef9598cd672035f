import type { ServerResponse } from "node:http";
import type { Frame } from "./dialects/dialect.ts";
import type { Answer } from "./script.ts";

/** A response that is ready to send: a body, or frames to stream. */
export interface Sent extends Partial<Undefinable<Pick<Answer, "delayMs" | "pauseMs" | "cutAfter">>> {
  status: number;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: unknown;
  frames?: readonly Frame[];
}

export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Sends it at its pace until it is complete, cut, or the client has disconnected. */
export async function send(response: ServerResponse, sent: Sent, sleep: Sleep): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());

  const { status, headers, frames, body, delayMs = 0, cutAfter } = sent;
  if (delayMs > 0) await sleep(delayMs, gone.signal);
  if (gone.signal.aborted) return;
  if (frames === undefined) {
    if (cutAfter !== undefined) return cut(response);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
    return;
  }

  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const frame of upToCut(frames, cutAfter)) {
    response.write(encode(frame));
    if (frame.isDelta && sent.pauseMs !== undefined) await sleep(sent.pauseMs, gone.signal);
    if (gone.signal.aborted) return;
  }
  if (cutAfter === undefined) response.end();
  else cut(response);
}

/** Data that was written is still sent; the end of the body is not. */
function cut(response: ServerResponse): void {
  response.flushHeaders();
  response.socket?.destroySoon();
}

function upToCut(frames: readonly Frame[], cutAfter: number | undefined): readonly Frame[] {
  if (cutAfter === undefined) return frames;
  const deltas = [...frames.keys()].filter((index) => frames[index]?.isDelta);
  if (cutAfter === 0) return frames.slice(0, deltas[0]);
  return frames.slice(0, (deltas[cutAfter - 1] ?? deltas.at(-1) ?? 0) + 1);
}

function encode({ event, data }: Frame): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

type Undefinable<T> = { [K in keyof T]: T[K] | undefined };
