import { type BackOff, delayAfter } from "./back-off.ts";
import { clientError, errorOfAnswer, SpoorClientError } from "./errors.ts";
import {
  type CancelSignal,
  type Clock,
  createScope,
  type Fetch,
  type FetchResponse,
  type Scope,
} from "./web-platform.ts";

/** What all requests of a client share. */
export interface Connector {
  /** The server's address without a trailing slash; empty for the page's own origin. */
  url: string;
  token: (() => string | undefined | Promise<string | undefined>) | undefined;
  fetch: Fetch;
  clock: Clock;
  backOff: BackOff;
  /** A connection that is silent for longer counts as lost. */
  staleAfterMs: number;
  maxFrameLength: number | undefined;
}

export interface JsonRequest {
  path: string;
  query?: Query;
  /** The expected `object` field of the answer. Another value means that it does not come from a Spoor server. */
  expect: string;
  post?: { body: object; idempotencyKey: string };
  /** GET or POST when absent. */
  method?: "DELETE";
  signal?: CancelSignal | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Sends a request and retries it a few times. Every request of the client may be repeated safely. */
export async function requestJson<Answer extends { object: string }>(
  connector: Connector,
  request: JsonRequest,
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    const scope = createScope(request.signal);
    try {
      return await inTime(connector, scope, async () => {
        const response = await send(connector, { ...request, accept: "application/json", signal: scope.signal });
        return readJson<Answer>(await textOf(response), request.expect);
      });
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (!(error instanceof SpoorClientError && error.retryable) || failures === MAX_ATTEMPTS) throw error;
      const delayMs = Math.max(
        delayAfter(failures, connector.backOff, connector.clock.random()),
        error.retryAfterMs ?? 0,
      );
      await connector.clock.sleep(delayMs, request.signal ?? scope.signal);
    } finally {
      scope.end();
    }
  }
}

const MAX_ATTEMPTS = 3;

export interface Sent extends Pick<JsonRequest, "path" | "query" | "post" | "method"> {
  accept: string;
  signal: CancelSignal;
}

/** Reads the token. Throws `bad_token` when it cannot be read or sent. */
export async function tokenOf({ token }: Pick<Connector, "token">): Promise<string | undefined> {
  const value = await (async () => token?.())().catch((cause: unknown) => {
    throw clientError("bad_token", `The token could not be read: ${messageOf(cause)}`, cause);
  });
  // `fetch` would report such a token as a network error.
  if (value !== undefined && !/^[\x20-\x7e]*$/.test(value)) {
    throw clientError("bad_token", "The token contains characters that are not allowed in an HTTP header.");
  }
  return value;
}

/** Sends one request. Throws a `SpoorClientError` for every response that is not a success. */
export async function send(
  connector: Connector,
  { path, query, post, method, accept, signal }: Sent,
): Promise<FetchResponse> {
  const token = await tokenOf(connector);
  const headers: Record<string, string> = { accept };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (post) {
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = post.idempotencyKey;
  }
  const response = await connector
    .fetch(connector.url + path + queryString(query), {
      method: method ?? (post ? "POST" : "GET"),
      headers,
      cache: "no-store",
      signal,
      ...(post && { body: JSON.stringify(post.body) }),
    })
    .catch((cause: unknown) => {
      throw clientError("network", `No answer from ${connector.url || "the server"}: ${messageOf(cause)}`, cause);
    });
  if (response.status < 400) return response;
  throw errorOfAnswer(response.status, await textOf(response), response.headers.get("retry-after"));
}

/** Aborts a request that takes too long and throws `timeout`. */
async function inTime<Value>({ clock, staleAfterMs }: Connector, scope: Scope, work: () => Promise<Value>) {
  const late = clock.sleep(staleAfterMs, scope.signal).then(() => {
    throw clientError("timeout", `No answer within ${staleAfterMs} ms.`);
  });
  return Promise.race([work(), late]);
}

const textOf = (response: FetchResponse): Promise<string> =>
  response.text().catch((cause: unknown) => {
    throw clientError("network", `The response was interrupted: ${messageOf(cause)}`, cause);
  });

function readJson<Answer extends { object: string }>(text: string, expected: string): Answer {
  const answer = parse(text);
  if (answer?.object !== expected) {
    throw clientError(
      "bad_response",
      `Expected a JSON object of type "${expected}", but the response begins with: ${text.slice(0, 80)}`,
    );
  }
  // The content is not validated, because a newer server may send fields that this client does not know.
  return answer as Answer;
}

function parse(text: string): { object?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function queryString(query: Query = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
