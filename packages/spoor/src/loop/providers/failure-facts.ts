import { isObject } from "../../options/checks.ts";

/** What an error of a provider's package says, whatever its shape. */
export interface FailureFacts {
  status?: number;
  /** Types and codes that the provider gave, such as `overloaded_error` or `insufficient_quota`. */
  names: string[];
  /** Codes of the network, such as `ECONNREFUSED`. */
  causes: string[];
  /** What the provider wrote. */
  text: string;
  /** The server's host, without anything secret that an address can hold. */
  host?: string;
  retryAfterMs?: number;
  /** Whether no answer, or only a part of one, came over the network. */
  isNetwork: boolean;
}

/** Reads an error of the AI SDK, an error of `fetch`, or what a stream gave as its error. */
export function readFacts(error: unknown): FailureFacts {
  const levels = chainOf(error);
  const bodies = levels.flatMap(({ data, responseBody }) => [data, parsed(responseBody)]);
  const nested = [...levels, ...bodies].flatMap(withInner);
  const told = numberIn(levels, "statusCode") ?? numberIn(nested, "status");
  // An answer that began well can still break off.
  const status = told === undefined || told < 400 ? undefined : told;
  const names = nested.flatMap(({ type, code, status: name, name: own }) => [type, code, name, own]).filter(isText);
  const causes = names.filter((name) => /^(E[A-Z_]+|UND_ERR_\w+)$/.test(name));
  const text = textOf(bodies.flatMap(withInner), levels, error);
  const url = levels.map(({ url: address }) => address).find(isText);
  const host = url === undefined ? undefined : URL.parse(url)?.host;
  const headers = levels.map(({ responseHeaders }) => responseHeaders).find(isObject);
  const retryAfterMs = waitOf(headers, bodies);
  return {
    ...{ names, causes, text },
    ...(status !== undefined && { status }),
    ...(host !== undefined && { host }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    isNetwork: status === undefined && (causes.length > 0 || /terminated|fetch failed|socket hang up/i.test(text)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The error and its causes. */
function chainOf(error: unknown): Fields[] {
  const chain: Fields[] = [];
  for (let at = error; chain.length < 8 && isFields(at); at = at.cause) chain.push(at);
  return chain;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Providers put an error into a field `error`, OpenAI Responses into `response.error`, and some of them into a list. */
function withInner(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(withInner);
  if (!isObject(value) && !(value instanceof Error)) return [];
  const fields = value as unknown as Fields;
  const inner = [fields.error, (fields.response as Fields | undefined)?.error];
  return [fields, ...inner.flatMap(withInner)];
}

/** What the server wrote says most. The packages' own words come last. */
function textOf(answers: readonly Fields[], levels: readonly Fields[], error: unknown): string {
  if (typeof error === "string") return error;
  const written = answers.flatMap(({ message, error: plain, detail }) => [message, plain, detail]).filter(isText);
  const thrown = levels.map(({ message }) => message).filter(isText);
  const telling = thrown.filter((text) => !/^(fetch failed$|Cannot connect to API|Failed to process )/.test(text));
  return written[0] ?? telling[0] ?? thrown[0] ?? "";
}

function numberIn(levels: readonly Fields[], name: string): number | undefined {
  return levels.map((level) => level[name]).find((value) => typeof value === "number");
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function parsed(body: unknown): unknown {
  try {
    return isText(body) ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date in a header, milliseconds in a header of OpenAI's, or a delay in Gemini's body. */
function waitOf(headers: Fields | undefined, bodies: readonly unknown[]): number | undefined {
  const milliseconds = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return inBounds(milliseconds);
  const given = headers?.["retry-after"];
  if (isText(given)) {
    const wait = /^[\d.]+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
    if (Number.isFinite(wait)) return inBounds(wait);
  }
  const delay = bodies.map((body) => /"retryDelay":"([\d.]+)s"/.exec(JSON.stringify(body) ?? "")?.[1]).find(isText);
  return delay === undefined ? undefined : inBounds(Number(delay) * 1000);
}

const inBounds = (wait: number): number => Math.max(0, Math.round(wait));
