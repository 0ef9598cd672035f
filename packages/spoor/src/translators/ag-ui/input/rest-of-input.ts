import { closingOfInput } from "./closing-of-input.ts";
import { decoded, tokensOf } from "./json-tokens.ts";

/**
 * Returns what must follow the beginning of a call's input, so that readers can parse what they got. If the whole input is
 * known, it is the rest of it; agents write spaces and escapes as they like, so the two are compared by their tokens.
 * Otherwise it closes what is open and says that the rest is lost. Nothing follows text that is not JSON.
 */
export function restOfInput(written: string, input: unknown): string {
  if (written === "" || isJson(written)) return "";
  const rest = (input === undefined ? undefined : restOf(written, input)) ?? closingOfInput(written);
  return isJson(written + rest) ? rest : "";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Undefined if the input does not begin as it was written. */
function restOf(written: string, input: unknown): string | undefined {
  const begun = tokensOf(written);
  const all = tokensOf(JSON.stringify(input));
  if (!begun || !all) return undefined;
  const tokens = all.partial === "" ? all.whole : [...all.whole, all.partial];
  const isSame = begun.whole.every((token, index) => token === tokens[index] || isSameText(token, tokens[index]));
  if (!isSame) return undefined;
  const [next = "", ...later] = tokens.slice(begun.whole.length);
  const rest = begun.partial.startsWith('"') ? restOfText(begun.partial, next) : restOfWord(begun.partial, next);
  return rest === undefined ? undefined : rest + later.join("");
}

const isSameText = (one: string, other: string | undefined): boolean =>
  other?.[0] === '"' && one[0] === '"' && JSON.parse(one) === JSON.parse(other);

const restOfWord = (partial: string, whole: string): string | undefined =>
  whole.startsWith(partial) ? whole.slice(partial.length) : undefined;

function restOfText(partial: string, whole: string): string | undefined {
  const beginning = decoded(partial);
  if (!beginning || whole[0] !== '"') return undefined;
  const text: string = JSON.parse(whole);
  if (!text.startsWith(beginning.text)) return undefined;
  const { length } = beginning.text;
  if (beginning.cut === "") return JSON.stringify(text.slice(length)).slice(1);
  // Every character can be written as a code, so an escape can always go on as one.
  const code = `\\u${text.charCodeAt(length).toString(16).padStart(4, "0")}`;
  if (!code.startsWith(beginning.cut.toLowerCase())) return undefined;
  return code.slice(beginning.cut.length) + JSON.stringify(text.slice(length + 1)).slice(1);
}
