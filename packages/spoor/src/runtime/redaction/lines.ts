import { parseObject } from "../../agents/json-machine.ts";
import type { TapeLine } from "../../log/log.ts";
import { type Found, replaced, type Scanner } from "./scanner.ts";
import { mapTexts } from "./values.ts";

export interface LineRedactor {
  /** The lines that can be told by now, in their order. */
  push(line: TapeLine): TapeLine[];
  /** Whether there are lines that wait. */
  readonly isHolding: boolean;
  /**
   * The lines that waited long enough: those that hold no more than the first few characters of what may become a secret.
   * If it does, the rest is taken out of the lines that follow.
   */
  release(): TapeLine[];
  flush(): TapeLine[];
}

/** A text that may go on in a later line is given up after so many lines, or characters. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 32_768;
/** Any text may end so by chance, and they tell next to nothing of a secret. */
const FEW_CHARACTERS = 2;

/**
 * Takes secrets out of native lines, which stay JSON where they were. Agents stream: a secret may begin in one line and
 * go on in the next, in the same place of the frame. So a line whose text may become a secret waits for those after it;
 * a secret found across lines is replaced in the first and cut from the others.
 */
export function createLineRedactor(scanner: Scanner): LineRedactor {
  const queue: Entry[] = [];
  const open = new Map<string, Group>();

  function push(line: TapeLine): TapeLine[] {
    // Nearly every line: it is not even parsed.
    if (open.size === 0 && !scanner.mayHold(line.text)) return [line];
    const frame = parseObject(line.text) as Record<string, unknown> | undefined;
    const entry: Entry = { line, frame: frame ?? { text: `${line.text}\n` }, isText: !frame, isChanged: false };
    queue.push(entry);
    for (const place of placesOf(entry, line.from)) join(place);
    for (const [path, group] of open) if (++group.age > MOST_LINES) settle(path, group);
    return take();
  }

  function join(place: Place): void {
    const known = open.get(place.path);
    const group = known ?? { places: [], text: "", told: 0, held: 0, age: 0 };
    group.places.push(place);
    group.text += place.text;
    group.age = 0;
    const { held } = scanner.look(group.text, false);
    group.held = held;
    if (held < group.text.length && group.text.length < MOST_CHARACTERS) open.set(place.path, group);
    else settle(place.path, group);
  }

  /** No more of it comes: takes out what was found across lines. What is in one line alone is taken out when it is told. */
  function settle(path: string, { places, text, told }: Group): void {
    open.delete(path);
    if (places.length === 1 && told === 0) return;
    // What began in a line that was told is replaced in the next one.
    const found = scanner.look(text, true).found.map((each) => ({ ...each, from: Math.max(each.from, told) }));
    let start = told;
    for (const place of places) {
      const end = start + place.text.length;
      const inside = found.filter(({ from, to }) => from < end && to > start && (from <= start || to > end));
      if (inside.length > 0) {
        place.holder[place.name] = cut(place.text, inside, start);
        place.entry.isChanged = true;
      }
      start = end;
    }
  }

  function take(): TapeLine[] {
    const waiting = new Set([...open.values()].flatMap(({ places }) => places.map(({ entry }) => entry)));
    const ready = queue.findIndex((entry) => waiting.has(entry));
    return queue.splice(0, ready === -1 ? queue.length : ready).map(tell);
  }

  function tell({ line, frame, isText, isChanged }: Entry): TapeLine {
    const redacted = mapTexts(frame, scanner.redact) as Record<string, unknown>;
    if (redacted === frame && !isChanged) return line;
    return { ...line, text: isText ? String(redacted.text).replace(/\n$/, "") : JSON.stringify(redacted) };
  }

  return {
    push,
    get isHolding() {
      return queue.length > 0;
    },
    release() {
      for (const group of open.values()) {
        if (group.text.length - group.held > FEW_CHARACTERS) continue;
        group.told = group.text.length;
        group.places = [];
      }
      return take();
    },
    flush() {
      for (const [path, group] of open) settle(path, group);
      return take();
    },
  };
}

interface Entry {
  line: TapeLine;
  frame: Record<string, unknown>;
  /** It is no JSON: one text, its newline included. */
  isText: boolean;
  isChanged: boolean;
}

/** A text in a frame. */
interface Place {
  entry: Entry;
  path: string;
  holder: Record<string, unknown>;
  name: string;
  text: string;
}

interface Group {
  places: Place[];
  text: string;
  /** How much of the text was told before its places. */
  told: number;
  /** From where on the text may become a secret. */
  held: number;
  /** Lines since it was last added to. */
  age: number;
}

function placesOf(entry: Entry, from: string): Place[] {
  const places: Place[] = [];
  const walk = (holder: Record<string, unknown>, path: string, depth: number): void => {
    if (depth > 100) return;
    for (const [name, value] of Object.entries(holder)) {
      const here = `${path}/${name}`;
      if (typeof value === "string") places.push({ entry, path: here, holder, name, text: value });
      else if (typeof value === "object" && value !== null) walk(value as Record<string, unknown>, here, depth + 1);
    }
  };
  walk(entry.frame, from + (entry.isText ? " text" : ""), 0);
  return places;
}

/** A piece of a longer text without what was found in that: a secret is replaced where it begins. */
function cut(text: string, found: readonly Found[], start: number): string {
  let told = "";
  let at = 0;
  for (const { from, to, name } of found) {
    const begins = from >= start;
    told += begins ? replaced(text, [{ from: from - start, to: text.length, name }], at) : "";
    at = Math.min(text.length, to - start);
  }
  return told + text.slice(at);
}
