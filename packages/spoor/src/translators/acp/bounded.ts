/** Editors keep every update, so what a tool read or printed is not sent in full. */
export const MAX_TEXT_LENGTH: number = 16_000;

/** Long text ends in how much of it is missing. */
export function beginning(text: string, limit: number = MAX_TEXT_LENGTH): string {
  return text.length <= limit ? text : `${whole(text.slice(0, limit))}\n… (${text.length - limit} more characters)`;
}

/** The end of a long text, which for the output of a command says most. `length` counts what came before `tail` too. */
export function ending(tail: string, length: number, limit: number = MAX_TEXT_LENGTH): string {
  const kept = tail.slice(-limit);
  return length <= kept.length ? kept : `(${length - kept.length} earlier characters) …\n${wholeStart(kept)}`;
}

/** A JSON value with its long texts and lists shortened. */
export function boundedJson(value: unknown, room: { left: number } = { left: MAX_TEXT_LENGTH }): unknown {
  if (typeof value === "string") {
    const text = beginning(value, Math.max(room.left, 200));
    room.left -= text.length;
    return text;
  }
  if (Array.isArray(value)) return taken(value, room).map((each) => boundedJson(each, room));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(taken(Object.entries(value), room).map(([key, each]) => [key, boundedJson(each, room)]));
}

const MAX_ENTRIES = 500;

const taken = <T>(list: readonly T[], room: { left: number }): readonly T[] =>
  list.slice(0, room.left <= 0 ? 20 : MAX_ENTRIES);

/** Half of a surrogate pair at a cut is left out. */
export const whole = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
const wholeStart = (text: string): string => (/^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text);
