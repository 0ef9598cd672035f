import { type BackOff, delayAfter } from "./back-off.ts";
import { clientError, errorOfAnswer, SpoorClientError } from "./errors.ts";
import { type Clock, createScope, type Fetch, type FetchResponse, type Scope, type Signal } from "./web-platform.ts";

/** What every request of a client shares. */
export interface Connector {
  /** Where the server answers, without a slash at the end; empty for the page's own origin. */
  url: string;
  token: (() => string | undefined | Promise<string | undefined>) | undefined;
  fetch: Fetch;
  clock: Clock;
  backOff: BackOff;
  /** Silence from the server beyond this counts as a lost connection. */
  staleAfterMs: number;
  maxFrameLength: number | undefined;
}

export interface JsonRequest {
  path: string;
  query?: Query;
  /** The `object` of the answer: what is something else does not come from our server. */
  expect: string;
  post?: { body: object; idempotencyKey: string };
  signal?: Signal | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Asks until there is an answer, a few times at most. Every request of ours may be repeated. */
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
      if (!(error instanceof SpoorClientError && error.retryable) || failures === MOST_TRIES) throw error;
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

const MOST_TRIES = 3;

export interface Sent extends Pick<JsonRequest, "path" | "query" | "post"> {
  accept: string;
  signal: Signal;
}

async function tokenOf({ token }: Connector): Promise<string | undefined> {
  const known = await (async () => token?.())().catch((cause: unknown) => {
    throw clientError("bad_token", `There is no token: ${wordsOf(cause)}`, cause);
  });
  // To fetch, it would be one more server that does not answer.
  if (known !== undefined && !/^[\x20-\x7e]*$/.test(known)) {
    throw clientError("bad_token", "The token has characters that no header can hold.");
  }
  return known;
}

/** One request. Whatever is no success is thrown as a `SpoorClientError`. */
export async function send(connector: Connector, { path, query, post, accept, signal }: Sent): Promise<FetchResponse> {
  const token = await tokenOf(connector);
  const headers: Record<string, string> = { accept };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (post) {
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = post.idempotencyKey;
  }
  const response = await connector
    .fetch(connector.url + path + queryString(query), {
      method: post ? "POST" : "GET",
      headers,
      cache: "no-store",
      signal,
      ...(post && { body: JSON.stringify(post.body) }),
    })
    .catch((cause: unknown) => {
      throw clientError("network", `No answer from ${connector.url || "the server"}: ${wordsOf(cause)}`, cause);
    });
  if (response.status < 400) return response;
  throw errorOfAnswer(response.status, await textOf(response), response.headers.get("retry-after"));
}

/** Lets go of a request that takes too long; what it was stopped for is what the caller hears. */
async function inTime<Value>({ clock, staleAfterMs }: Connector, scope: Scope, work: () => Promise<Value>) {
  const late = clock.sleep(staleAfterMs, scope.signal).then(() => {
    throw clientError("timeout", `No answer within ${staleAfterMs} ms.`);
  });
  return Promise.race([work(), late]);
}

const textOf = (response: FetchResponse): Promise<string> =>
  response.text().catch((cause: unknown) => {
    throw clientError("network", `The answer broke off: ${wordsOf(cause)}`, cause);
  });

function readJson<Answer extends { object: string }>(text: string, expected: string): Answer {
  const answer = parse(text);
  if (answer?.object !== expected) {
    throw clientError("bad_response", `The answer should be a ${expected} in JSON, and begins: ${text.slice(0, 80)}`);
  }
  // What is inside is taken as it comes: a newer server may say more than this client knows.
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

export function queryString(query: Query = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

export const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
