import { proposedDiff } from "../agents/kit/proposed-diff.ts";

export interface Evidence {
  input?: unknown;
  diff?: string;
  truncated?: true;
}

/** Limits in characters. The event of the tool call has the whole input. */
const MAX_INPUT = 32 * 1024;
const MAX_DIFF = 64 * 1024;
/** Each value adds this many characters to the size, besides its text. */
const EACH = 8;
const MAX_DEPTH = 32;

/**
 * Returns what a person needs to see before allowing an action: the tool's input and the diff of a change, both cut to a
 * size limit.
 */
export function evidenceOf(input: unknown, shownDiff: string | undefined): Evidence {
  const cutter = createCutter(MAX_INPUT);
  const cutInput = input === undefined || input === null ? undefined : cutter.cut(input, 0);
  const diff = shownDiff ?? proposedDiff(input);
  const cutDiff = diff === undefined ? undefined : cutText(diff, MAX_DIFF);
  return {
    ...(cutInput !== undefined && { input: cutInput }),
    ...(cutDiff !== undefined && { diff: cutDiff }),
    ...((cutter.isCut || cutDiff !== diff) && { truncated: true }),
  };
}

/** Copies a value from its start until the size limit is reached. */
function createCutter(maxLength: number) {
  let left = maxLength;
  const cutter = {
    isCut: false,
    cut(value: unknown, depth: number): unknown {
      left -= EACH;
      if (typeof value === "string") {
        const text = cutText(value, Math.max(0, left));
        cutter.isCut ||= text !== value;
        left -= text.length;
        return text;
      }
      if (typeof value !== "object" || value === null) return value;
      if (depth === MAX_DEPTH) return cutter.leaveOut("…");
      if (Array.isArray(value)) return [...cutter.items(value, depth)];
      return Object.fromEntries(cutter.entries(value, depth));
    },
    *items(values: readonly unknown[], depth: number): Iterable<unknown> {
      for (const value of values) {
        if (left <= 0) return cutter.leaveOut(undefined);
        yield cutter.cut(value, depth + 1);
      }
    },
    *entries(value: object, depth: number): Iterable<[string, unknown]> {
      for (const [name, field] of Object.entries(value)) {
        left -= name.length;
        if (left <= 0) return cutter.leaveOut(undefined);
        yield [name, cutter.cut(field, depth + 1)];
      }
    },
    leaveOut<T>(instead: T): T {
      cutter.isCut = true;
      return instead;
    },
  };
  return cutter;
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}
