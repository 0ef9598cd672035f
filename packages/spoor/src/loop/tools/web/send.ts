import { lookup } from "node:dns/promises";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { ToolProblem } from "../kit/define-tool.ts";
import type { ToolContext } from "../tool.ts";
import { type Body, ENCODINGS, readBody } from "./body.ts";
import { checkedAddresses, hostAction, hostAndPort, type Resolve, readTarget, type Target } from "./target.ts";

/** A request of a tool. */
export interface WebRequest {
  tool: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  /** The largest body that is read. */
  most: number;
  /** The user configured this address, so it may be private. */
  isOwn?: boolean;
}

export interface WebResponse {
  status: number;
  statusText: string;
  /** The address that answered, after redirects. */
  url: string;
  headers: IncomingMessage["headers"];
  body: Body;
  durationMs: number;
  /** Why a redirect was not followed. */
  unfollowed?: string;
}

/** Tests put their own in place. */
export interface WebOptions {
  resolve?: Resolve;
}

/** Told before each request, and after each answer that is a redirect. */
export interface WebListener {
  requested(url: string, headerKeys: string[]): void;
  redirected(status: number, durationMs: number): void;
}

const MAX_REDIRECTS = 5;

/** Sends a request and follows redirects. Every address is checked before it is connected to. */
export async function send(
  web: WebRequest,
  context: Pick<ToolContext, "root" | "decide" | "signal">,
  listener: WebListener,
  options: WebOptions = {},
): Promise<WebResponse> {
  const deadline = AbortSignal.any([context.signal, AbortSignal.timeout(web.timeoutMs)]);
  const startedAt = performance.now();
  let { method, body, isOwn = false } = web;
  let headers: Record<string, string> = {
    "user-agent": "spoor",
    accept: "*/*",
    "accept-encoding": ENCODINGS,
    ...web.headers,
  };
  let target = readTarget(web.url);
  try {
    for (let hop = 0; ; hop += 1) {
      const checking = checkedAddresses(target, context, {
        tool: web.tool,
        resolve: options.resolve ?? system,
        isOwn,
      });
      const addresses = await before(deadline, checking);
      deadline.throwIfAborted();
      listener.requested(target.url.href, Object.keys(headers));
      const hopAt = performance.now();
      const response = await exchange(target, addresses, { method, headers, body }, deadline);
      const status = response.statusCode ?? 0;
      const next = redirectOf(response, target, () =>
        listener.redirected(status, Math.round(performance.now() - hopAt)),
      );
      const why =
        next &&
        (hop === MAX_REDIRECTS
          ? `there were more than ${MAX_REDIRECTS} redirects`
          : whyNotFollow(target, next, method, web.tool, context));
      if (next && why === undefined) {
        response.destroy();
        listener.redirected(status, Math.round(performance.now() - hopAt));
        if (status !== 307 && status !== 308 && method !== "HEAD") {
          method = "GET";
          body = undefined;
        }
        if (!isSameOrigin(target, next)) headers = withoutSecrets(headers);
        target = next;
        isOwn = false;
        continue;
      }
      const unfollowed =
        next && why !== undefined
          ? { unfollowed: `It redirects to ${next.url.href}, which was not followed: ${why}.` }
          : {};
      return {
        ...{ status, statusText: response.statusMessage ?? "", url: target.url.href, headers: response.headers },
        body: await readBody(response, web.most),
        durationMs: Math.round(performance.now() - startedAt),
        ...unfollowed,
      };
    }
  } catch (error) {
    if (context.signal.aborted || error instanceof ToolProblem) throw error;
    if (deadline.aborted)
      throw new ToolProblem(`${target.host} did not answer within ${web.timeoutMs / 1000} s.`, "timed_out");
    throw connectionProblem(error, target);
  }
}

const system: Resolve = (name) => lookup(name, { all: true, verbatim: true });

interface Exchange {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** One request to one of the checked addresses. The name is not looked up again. */
function exchange(
  { url, host, port }: Target,
  addresses: readonly { address: string; family: number }[],
  { method, headers, body }: Exchange,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === "https:";
  const first = addresses[0] as { address: string; family: number };
  const sending = (isSecure ? requestHttps : requestHttp)(
    {
      ...{ method, host, port, path: `${url.pathname}${url.search}`, signal, maxHeaderSize: 32 * 1024 },
      headers: { ...headers, host: url.host, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) },
      // An agent of its own: no connection is shared, and no proxy of the environment is used.
      agent: new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: false }),
      lookup: (_name, { all }, done) => {
        if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
    },
    resolve,
  );
  sending.on("error", reject);
  sending.end(body);
  return promise;
}

/** `onBad` is called before a redirect that leads nowhere is refused. */
function redirectOf(
  { statusCode = 0, headers }: IncomingMessage,
  { url }: Target,
  onBad: () => void,
): Target | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  try {
    if (!URL.canParse(headers.location, url.href)) throw new ToolProblem("The response redirects to no valid URL.");
    return readTarget(new URL(headers.location, url).href);
  } catch (error) {
    onBad();
    throw error;
  }
}

/** A name server that does not answer must not hold up the call. */
async function before<T>(deadline: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(deadline.reason);
  deadline.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    deadline.removeEventListener("abort", onAbort);
  }
}

/** Nobody can be asked about the target of a redirect, so a rule must allow it. The same host was allowed already. */
function whyNotFollow(
  from: Target,
  to: Target,
  method: string,
  tool: string,
  context: Pick<ToolContext, "root" | "decide">,
): string | undefined {
  if (from.url.protocol === "https:" && to.url.protocol === "http:") return "it leads from https to http";
  const isSameHost = from.host === to.host;
  if (method !== "GET" && method !== "HEAD" && !isSameOrigin(from, to))
    return `a ${method} is not sent to another host`;
  if (isSameHost && (from.port === to.port || (from.port === 80 && to.port === 443))) return undefined;
  const { decision } = context.decide(hostAction(to, context, tool));
  return decision === "allow"
    ? undefined
    : `no rule allows ${hostAndPort(to.host, to.port)}. Request it by itself if it is needed`;
}

const isSameOrigin = (a: Target, b: Target): boolean => a.url.origin === b.url.origin;

/** Only headers that hold no secret go to another host. */
const withoutSecrets = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN.has(name.toLowerCase())));

const PLAIN = new Set(["user-agent", "accept", "accept-encoding", "accept-language"]);

function connectionProblem(error: unknown, { host, port }: Target): Error {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "") return error as Error;
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: "refused the connection",
    ECONNRESET: "closed the connection",
    EPIPE: "closed the connection",
    ETIMEDOUT: "did not answer",
    EHOSTUNREACH: "cannot be reached",
    ENETUNREACH: "cannot be reached",
  };
  return new ToolProblem(`${hostAndPort(host, port)} ${known[code] ?? `failed: ${message} (${code})`}.`);
}
