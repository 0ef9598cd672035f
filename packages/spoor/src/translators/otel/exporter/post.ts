import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { decodePartialSuccess, encodeMessage, type RequestName } from "./protobuf.ts";
import type { Signal, SignalSettings } from "./settings.ts";

/** What became of a request. */
export type Outcome =
  /** `refusal`: the receiver took the request, but not all that was in it. */
  | { readonly kind: "accepted"; readonly refusal?: string }
  /** The receiver may take it later. `afterMs`: not before. */
  | { readonly kind: "unavailable"; readonly reason: string; readonly afterMs?: number }
  /** The receiver will never take it. */
  | { readonly kind: "refused"; readonly reason: string };

/** Sends requests of one signal. */
export interface Post {
  send(message: object, signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

const RETRIABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Bytes of an answer that are read. */
const LONGEST_ANSWER = 64 * 1024;

const requestNames = {
  traces: "ExportTraceServiceRequest",
  metrics: "ExportMetricsServiceRequest",
} as const satisfies Record<Signal, RequestName>;

/** Throws if a file with certificates cannot be read. */
export function createPost(name: Signal, settings: SignalSettings): Post {
  const { url, protocol, headers, timeoutMs, gzip: isZipped } = settings;
  const isJson = protocol === "http/json";
  const library = url.protocol === "https:" ? https : http;
  const agent = new library.Agent({ keepAlive: true, maxSockets: 1, ...certificatesOf(settings) });
  const request = (body: Buffer, signal: AbortSignal) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = library.request(url, {
        method: "POST",
        agent,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: {
          "user-agent": "spoor-otlp-exporter",
          ...headers,
          "content-type": isJson ? "application/json" : "application/x-protobuf",
          "content-length": body.length,
          ...(isZipped && { "content-encoding": "gzip" }),
        },
      });
      sent.on("error", reject);
      sent.on("response", (response) => read(response).then(resolve, reject));
      sent.end(body);
    });
  return {
    async send(message, signal) {
      const encoded = isJson ? Buffer.from(JSON.stringify(message)) : encodeMessage(requestNames[name], message);
      const body = isZipped ? await promisify(gzip)(encoded) : encoded;
      try {
        return judge(await request(body, signal), isJson);
      } catch (error) {
        return { kind: "unavailable", reason: reasonOf(error as Error, timeoutMs) };
      }
    },
    close: () => agent.destroy(),
  };
}

function certificatesOf({ certificate, clientKey, clientCertificate }: SignalSettings): https.AgentOptions {
  return {
    ...(certificate !== undefined && { ca: readFileSync(certificate) }),
    ...(clientKey !== undefined && { key: readFileSync(clientKey) }),
    ...(clientCertificate !== undefined && { cert: readFileSync(clientCertificate) }),
  };
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: Buffer;
}

async function read(response: http.IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= LONGEST_ANSWER) pieces.push(piece);
  }
  const { statusCode: status = 0, headers } = response;
  return { status, retryAfter: headers["retry-after"], body: Buffer.concat(pieces) };
}

/** Redirects are not followed: data goes only where the variables say. */
function judge({ status, retryAfter, body }: Answer, isJson: boolean): Outcome {
  if (status >= 200 && status < 300) {
    const refusal = partialOf(body, isJson);
    return { kind: "accepted", ...(refusal !== undefined && { refusal }) };
  }
  const reason = `it answered ${status}`;
  if (!RETRIABLE.has(status)) return { kind: "refused", reason };
  const afterMs = waitOf(retryAfter);
  return { kind: "unavailable", reason, ...(afterMs !== undefined && { afterMs }) };
}

/** Seconds or a date. */
function waitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_WAIT) : undefined;
}

/** A receiver cannot keep us from asking again within an hour. */
const LONGEST_WAIT = 3_600_000;

/** What the receiver did not take. */
function partialOf(body: Buffer, isJson: boolean): string | undefined {
  try {
    const { rejected, message } = isJson ? fromJson(body) : decodePartialSuccess(body);
    const why = message.slice(0, 300);
    // A message without rejected items is a warning.
    if (!(rejected > 0)) return why === "" ? undefined : `it warns: ${why}`;
    return `it rejected ${rejected} items${why === "" ? "" : `: ${why}`}`;
  } catch {
    // An answer that cannot be read does not make the request fail.
    return undefined;
  }
}

function fromJson(body: Buffer): { rejected: number; message: string } {
  if (body.length === 0) return { rejected: 0, message: "" };
  const { partialSuccess = {} } = JSON.parse(body.toString()) as { partialSuccess?: Record<string, unknown> };
  const rejected = Number(partialSuccess.rejectedSpans ?? partialSuccess.rejectedDataPoints ?? 0);
  return { rejected, message: String(partialSuccess.errorMessage ?? "") };
}

function reasonOf(error: Error & { code?: string }, timeoutMs: number): string {
  const { name } = error.cause instanceof Error ? error.cause : error;
  if (name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  return error.message || error.code || error.name;
}
