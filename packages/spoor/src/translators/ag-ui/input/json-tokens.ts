/** The beginning of a JSON text, as tokens. */
export interface Tokens {
  readonly whole: readonly string[];
  /** A last token that may go on: a string without its end, a number or a word. Empty if there is none. */
  readonly partial: string;
}

/** Reads the beginning of a JSON text. Returns undefined if it cannot be one. */
export function tokensOf(json: string): Tokens | undefined {
  const whole: string[] = [];
  let at = 0;
  for (const match of json.matchAll(token)) {
    whole.push(match[1] as string);
    at = match.index + match[0].length;
  }
  const rest = json.slice(at).trimStart();
  if (rest !== "") return /^["-]/.test(rest) ? { whole, partial: rest } : undefined;
  const last = whole.at(-1) ?? "";
  return /^[-\da-z]/.test(last) && json.endsWith(last)
    ? { whole: whole.slice(0, -1), partial: last }
    : { whole, partial: "" };
}

const token = /\s*([{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[a-z]+)/gsy;

/** The text of a string token without its end; `cut` is the beginning of an escape that stands last. */
export function decoded(partial: string): { text: string; cut: string } | undefined {
  const cut = /(?<!\\)(?:\\\\)*(\\(?:u[\da-fA-F]{0,3})?)$/.exec(partial)?.[1] ?? "";
  try {
    return { text: JSON.parse(`${partial.slice(0, partial.length - cut.length)}"`), cut };
  } catch {
    return undefined;
  }
}
