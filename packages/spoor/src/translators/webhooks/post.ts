import { Agent, type ClientRequest, request as httpRequest, type RequestOptions } from "node:http";
import type { Answer } from "./outcome.ts";

/** Sends bodies to one address over a few connections that stay open. */
export interface Poster {
  /** Never rejects. Redirects are not followed. An aborted `signal` ends the attempt. */
  post(headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal): Promise<Answer>;
  close(): void;
}

export interface PosterOptions {
  /** How long an attempt may take, from the connection to the end of the answer. */
  timeoutMs: number;
  /** How many connections are kept open between attempts. */
  idleConnections: number;
}

/** Of an answer's body nothing is used. One that is longer or takes longer is cut: the status has said everything. */
const MOST_ANSWER_BYTES = 64 * 1024;
const LONGEST_ANSWER_MS = 1_000;
const IDLE_MS = 4_000;

export async function createPoster(url: URL, { timeoutMs, idleConnections }: PosterOptions): Promise<Poster> {
  const isSecure = url.protocol === "https:";
  const https = isSecure ? await import("node:https") : undefined;
  const settings = { keepAlive: true, maxFreeSockets: idleConnections, timeout: IDLE_MS };
  const agent = https ? new https.Agent(settings) : new Agent(settings);
  const request: (url: URL, options: RequestOptions) => ClientRequest = https?.request ?? httpRequest;
  const target = new URL(url);
  target.username = "";
  target.password = "";
  const auth = url.username === "" && url.password === "" ? {} : { auth: credentialsOf(url) };

  const once = (headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal) =>
    new Promise<Answer & { isStale?: boolean }>((resolve) => {
      let connected = false;
      let answer: Answer | undefined;
      let cut: NodeJS.Timeout | undefined;
      const sent = request(target, {
        method: "POST",
        agent,
        ...auth,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
      });
      const fail = (why: string) => sent.destroy(new Error(why));
      const deadline = setTimeout(() => fail(`timeout after ${timeoutMs / 1_000} s`), timeoutMs);
      const abort = () => fail("the server stopped");
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
      sent.on("socket", (socket) => {
        if (sent.reusedSocket) connected = true;
        else
          socket.once(isSecure ? "secureConnect" : "connect", () => {
            connected = true;
          });
      });
      sent.on("response", (response) => {
        const { statusCode = 0, headers } = response;
        const retryAfter = headers["retry-after"];
        answer = { status: statusCode, ...(retryAfter !== undefined && { retryAfter }) };
        // The attempt ends with the connection or when that is free again, so that connections do not pile up.
        cut = setTimeout(() => sent.destroy(), LONGEST_ANSWER_MS);
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > MOST_ANSWER_BYTES) sent.destroy();
        });
        response.on("error", () => {});
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        resolve(answer ?? { failure: reasonOf(error), connected, ...(isStale && { isStale }) });
      });
      sent.on("close", () => {
        clearTimeout(deadline);
        clearTimeout(cut);
        signal?.removeEventListener("abort", abort);
        resolve(answer ?? { failure: "the connection was closed", connected });
      });
      sent.end(body);
    });

  return {
    async post(headers, body, signal) {
      const first = await once(headers, body, signal);
      // The receiver may have closed an idle connection just now, which says nothing about the event.
      return "isStale" in first && first.isStale && !signal?.aborted ? once(headers, body, signal) : first;
    },
    close: () => agent.destroy(),
  };
}

const credentialsOf = ({ username, password }: URL): string => `${decoded(username)}:${decoded(password)}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An error of several addresses has no message of its own. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { message, code } =
    error instanceof AggregateError ? ((error.errors[0] as NodeJS.ErrnoException) ?? error) : error;
  return message || code || "the connection failed";
}
