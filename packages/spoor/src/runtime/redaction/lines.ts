import { parseObject } from "../../agents/kit/json-values.ts";
import type { TapeLine } from "../../log/log.ts";
import { type FoundSecret, replaced } from "./found.ts";
import type { HeldText } from "./held-text.ts";
import { createLineHistory } from "./line-history.ts";
import type { Scanner } from "./scanner.ts";
import { mapTexts, walkTexts } from "./values.ts";

export interface LineRedactor {
  /** Returns the lines that can be written now, in order. */
  push(line: TapeLine): TapeLine[];
  /** Whether lines are held back. */
  readonly isHolding: boolean;
  /**
   * Returns held lines that end with no more than the first few characters of a possible secret. If it turns out to be
   * one, the rest of it is removed from the lines that follow.
   */
  release(): TapeLine[];
  /** No more lines follow: returns what was held back. */
  flush(): TapeLine[];
}

/** A text is complete when this many lines have passed without adding to it. */
const MAX_LINES = 50;
/** This few characters often match the start of a secret by chance, and reveal almost nothing of one. */
const FEW_CHARACTERS = 2;

/**
 * Replaces secrets in raw lines; a line that is JSON stays JSON. Agents stream, so a field of one line may continue the
 * same field of the line before, or hold an independent text. Each text is therefore scanned alone and together with the
 * texts of the same field before it. A line whose text may be the start of a secret is held back. A secret that covers
 * several lines is replaced in the first line and cut from the others.
 */
export function createLineRedactor(scanner: Scanner): LineRedactor {
  const queue: Entry[] = [];
  const open = new Map<string, Group>();
  const history = createLineHistory();

  function push(line: TapeLine): TapeLine[] {
    const ready = redactLine(line);
    history.add(line);
    return ready;
  }

  function redactLine(line: TapeLine): TapeLine[] {
    const mayHold = open.size > 0 || scanner.mayHold(line.text);
    // The fast path for nearly every line, which is then not parsed.
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
    for (const [path, group] of open) if (++group.age > MAX_LINES) end(path, group);
    return take();
  }

  /** The end of the text that this field held last. The first characters of a secret, or of its name, may be there. */
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

  /** The text is complete. */
  const end = (path: string, group: Group): void => settle(path, group, "", true);

  /** Removes secrets that cover several lines from the texts that are decided. */
  function settle(path: string, group: Group, piece: string, isWhole: boolean): void {
    const { to, found } = group.text.push(piece, isWhole);
    group.found.push(...found);
    const waiting = group.places.findIndex((place) => place.start + place.text.length > to);
    for (const place of group.places.splice(0, waiting === -1 ? group.places.length : waiting)) {
      cutSecrets(place, group);
      place.entry.waits -= 1;
    }
    const first = group.places[0]?.start ?? to;
    group.found = group.found.filter((each) => each.to > first);
    if (!group.text.isHolding) open.delete(path);
  }

  function cutSecrets({ entry, holder, name, text, start }: Place, { found, written }: Group): void {
    const end = start + text.length;
    const across = found
      .filter(({ from, to }) => from < end && to > start)
      // A secret that began in a line already written is replaced in the next one.
      .map((each) => ({ ...each, from: Math.max(each.from, written) }));
    // Secrets within one line are replaced by `finish`.
    if (across.length === 0) return;
    const alone = scanner.look(text).map((each) => ({ ...each, from: each.from + start, to: each.to + start }));
    holder[name] = replaced(text, [...across, ...alone], start);
    entry.isChanged = true;
  }

  function take(): TapeLine[] {
    const waiting = queue.findIndex(({ waits }) => waits > 0);
    return queue.splice(0, waiting === -1 ? queue.length : waiting).map(finish);
  }

  function finish({ line, frame, isText, isChanged }: Entry): TapeLine {
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
          cutSecrets(place, group);
          place.entry.waits -= 1;
        }
        group.written = group.length;
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
  /** The line is not JSON; it is one text, including its newline. */
  isText: boolean;
  isChanged: boolean;
  /** How many of its texts are not decided yet. */
  waits: number;
}

/** A text in a field of a frame. */
interface Place {
  entry: Entry;
  path: string;
  holder: Record<string, unknown>;
  name: string;
  text: string;
  /** Where it begins in the text of its group. */
  start: number;
}

/** The texts of one field in successive frames, as one text. */
interface Group {
  text: HeldText;
  /** The texts that are not decided yet. */
  places: Place[];
  /** Secrets that may overlap one of them. */
  found: FoundSecret[];
  length: number;
  /** How much of the text was written before it was decided. */
  written: number;
  /** Lines since a text was added. */
  age: number;
}

function newGroup(text: HeldText, before: string): Group {
  text.pass(before);
  return { text, places: [], found: [], length: before.length, written: before.length, age: 0 };
}

function placesOf(entry: Entry, from: string): Place[] {
  const places: Place[] = [];
  walkTexts(entry.frame, from + (entry.isText ? " text" : ""), (path, text, holder, name) => {
    places.push({ entry, path, holder, name, text, start: 0 });
  });
  return places;
}
