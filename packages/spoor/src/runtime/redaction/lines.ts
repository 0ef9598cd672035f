import { parseObject } from "../../agents/kit/json-values.ts";
import type { TapeLine } from "../../log/log.ts";
import { type Found, replaced } from "./found.ts";
import type { HeldText } from "./held-text.ts";
import { createLineHistory } from "./line-history.ts";
import type { Scanner } from "./scanner.ts";
import { mapTexts, walkTexts } from "./values.ts";

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

/** A text that may go on in a later line is given up after so many lines. */
const MOST_LINES = 50;
/** Any text may end so by chance, and they tell next to nothing of a secret. */
const FEW_CHARACTERS = 2;

/**
 * Takes secrets out of native lines, which stay JSON where they were. Agents stream: a secret may begin in one line and
 * go on in the next, in the same place of the frame; or that place holds a text of its own in each. So every text is looked
 * at alone, and together with those before it that may become a secret. A line with such a text waits for those after it; a
 * secret found across lines is replaced in the first and cut from the others.
 */
export function createLineRedactor(scanner: Scanner): LineRedactor {
  const queue: Entry[] = [];
  const open = new Map<string, Group>();
  const history = createLineHistory();

  function push(line: TapeLine): TapeLine[] {
    const told = redactLine(line);
    history.add(line);
    return told;
  }

  function redactLine(line: TapeLine): TapeLine[] {
    const mayHold = open.size > 0 || scanner.mayHold(line.text);
    // Nearly every line: it is not even parsed.
    if (!mayHold && !scanner.mayGoOn(line.text)) return [line];
    const frame = parseObject(line.text) as Record<string, unknown> | undefined;
    const entry: Entry = {
      line,
      frame: frame ?? { text: `${line.text}\n` },
      isText: !frame,
      isChanged: false,
      waits: 0,
    };
    const places = placesOf(entry, line.from);
    if (!mayHold && !places.some((place) => scanner.mayCross(endBefore(place), place.text))) return [line];
    queue.push(entry);
    for (const place of places) join(place);
    for (const [path, group] of open) if (++group.age > MOST_LINES) end(path, group);
    return take();
  }

  /** The end of the text that was told last in this place: the first characters of a name or a prefix may stand there. */
  function endBefore({ entry, path }: Place): string {
    return entry.isText ? "" : history.endBefore(entry.line.from, path);
  }

  function join(place: Place): void {
    const known = open.get(place.path);
    const before = known ? "" : endBefore(place);
    if (!known && scanner.isClear(place.text) && !scanner.mayCross(before, place.text)) return;
    const group = known ?? newGroup(scanner.values(), before);
    open.set(place.path, group);
    place.start = group.length;
    group.length += place.text.length;
    group.places.push(place);
    group.age = 0;
    place.entry.waits += 1;
    settle(place.path, group, place.text, false);
  }

  /** No more of it comes. */
  const end = (path: string, group: Group): void => settle(path, group, "", true);

  /** Takes what was found across lines out of the texts that are decided. */
  function settle(path: string, group: Group, piece: string, isWhole: boolean): void {
    const { to, found } = group.text.push(piece, isWhole);
    group.found.push(...found);
    const waiting = group.places.findIndex((place) => place.start + place.text.length > to);
    for (const place of group.places.splice(0, waiting === -1 ? group.places.length : waiting)) {
      takeOut(place, group);
      place.entry.waits -= 1;
    }
    const first = group.places[0]?.start ?? to;
    group.found = group.found.filter((each) => each.to > first);
    if (!group.text.isHolding) open.delete(path);
  }

  function takeOut({ entry, holder, name, text, start }: Place, { found, told }: Group): void {
    const end = start + text.length;
    const across = found
      .filter(({ from, to }) => from < end && to > start)
      // What began in a line that was told is replaced in the next one.
      .map((each) => ({ ...each, from: Math.max(each.from, told) }));
    // What only its line shows is taken out when that is told.
    if (across.length === 0) return;
    const alone = scanner.look(text).map((each) => ({ ...each, from: each.from + start, to: each.to + start }));
    holder[name] = replaced(text, [...across, ...alone], start);
    entry.isChanged = true;
  }

  function take(): TapeLine[] {
    const waiting = queue.findIndex(({ waits }) => waits > 0);
    return queue.splice(0, waiting === -1 ? queue.length : waiting).map(tell);
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
        if (group.length - group.text.decided > FEW_CHARACTERS) continue;
        for (const place of group.places.splice(0)) {
          takeOut(place, group);
          place.entry.waits -= 1;
        }
        group.told = group.length;
      }
      return take();
    },
    flush() {
      for (const [path, group] of open) end(path, group);
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
  /** How many of its texts are not decided yet. */
  waits: number;
}

/** A text in a frame. */
interface Place {
  entry: Entry;
  path: string;
  holder: Record<string, unknown>;
  name: string;
  text: string;
  /** Where it begins in the texts that stood there. */
  start: number;
}

/** The texts that stood in one place of frames that follow each other. */
interface Group {
  text: HeldText;
  /** Those that wait. */
  places: Place[];
  /** Secrets that may reach into one of them. */
  found: Found[];
  length: number;
  /** How much of the text was told before it was decided. */
  told: number;
  /** Lines since it was last added to. */
  age: number;
}

function newGroup(text: HeldText, before: string): Group {
  text.pass(before);
  return { text, places: [], found: [], length: before.length, told: before.length, age: 0 };
}

function placesOf(entry: Entry, from: string): Place[] {
  const places: Place[] = [];
  walkTexts(entry.frame, from + (entry.isText ? " text" : ""), (path, text, holder, name) => {
    places.push({ entry, path, holder, name, text, start: 0 });
  });
  return places;
}
