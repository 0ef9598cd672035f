import { decoded, tokensOf } from "./json-tokens.ts";

/** What a reader finds in an input whose rest is lost. */
const MARK = '"_incomplete":true';

/** Closes the beginning of an input, and marks it if it is an object. Empty if the beginning is not one of JSON. */
export function closingOfInput(written: string): string {
  const tokens = tokensOf(written);
  const place = tokens && placeAfter(tokens.whole);
  if (!tokens || !place) return "";
  const { open } = place;
  let { next } = place;
  let closing = "";
  if (tokens.partial !== "") {
    const end = next === "key" || next === "value" ? endOfToken(tokens.partial, next) : undefined;
    if (end === undefined) return "";
    closing += end;
    next = next === "key" ? "colon" : "end";
  }
  if (next === "colon") closing += ":null";
  else if (next === "value" && (open.at(-1) !== "[" || !place.isFresh)) closing += "null";
  for (let depth = open.length - 1; depth >= 0; depth -= 1) {
    const isObject = open[depth] === "{";
    const needsKey = depth === open.length - 1 && next === "key";
    if (isObject && (depth === 0 || needsKey)) closing += needsKey ? MARK : `,${MARK}`;
    closing += isObject ? "}" : "]";
  }
  return closing;
}

interface Place {
  readonly open: string[];
  /** What the next token is: a key, a colon, a value, or the end of a value. */
  next: "key" | "colon" | "value" | "end";
  /** Whether the innermost list or object is empty so far. */
  isFresh: boolean;
}

/** Where the text is after these tokens. Undefined if they are not the beginning of one JSON value. */
function placeAfter(tokens: readonly string[]): Place | undefined {
  const place: Place = { open: [], next: "value", isFresh: false };
  for (const token of tokens) if (!step(place, token)) return undefined;
  return place;
}

/** Takes one token. Returns false if it cannot stand there. */
function step(place: Place, token: string): boolean {
  const { open, next, isFresh } = place;
  place.isFresh = false;
  const inner = open.at(-1);
  if (token === "}" || token === "]") {
    if (open.pop() !== (token === "}" ? "{" : "[") || (next !== "end" && !isFresh)) return false;
    place.next = "end";
  } else if (token === ",") {
    if (next !== "end" || inner === undefined) return false;
    place.next = inner === "{" ? "key" : "value";
  } else if (token === ":") {
    if (next !== "colon") return false;
    place.next = "value";
  } else if (next === "key") {
    if (token[0] !== '"') return false;
    place.next = "colon";
  } else if (next !== "value") return false;
  else if (token === "{" || token === "[") {
    open.push(token);
    place.isFresh = true;
    place.next = token === "{" ? "key" : "value";
  } else place.next = "end";
  return true;
}

/** The end of a token that is cut; undefined if it cannot be ended. */
function endOfToken(partial: string, next: "key" | "value"): string | undefined {
  if (partial.startsWith('"')) {
    const beginning = decoded(partial);
    return beginning && `${endOfEscape(beginning.cut)}"`;
  }
  if (next === "key") return undefined;
  const word = ["true", "false", "null"].find((word) => word.startsWith(partial));
  if (word) return word.slice(partial.length);
  return ["", "0"].find((digit) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(partial + digit));
}

function endOfEscape(cut: string): string {
  if (cut === "") return "";
  return cut === "\\" ? "\\" : "fffd".slice(0, 6 - cut.length);
}
