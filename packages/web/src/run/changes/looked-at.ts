import { stored } from "../../ui/stored.ts";

/** Which files the reader has looked at, for each run: the path and the revision that was seen. */
type LookedAt = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Kept in this browser. The oldest runs are forgotten. */
export const lookedAt = stored<LookedAt>("looked-at", parse, (value) => JSON.stringify(value));

const MOST_RUNS = 100;

export const isLookedAt = (value: LookedAt, runId: string, { path, revision }: Seen): boolean => {
  const files = Object.hasOwn(value, runId) ? value[runId] : undefined;
  return files !== undefined && Object.hasOwn(files, path) && files[path] === shortOf(revision);
};

interface Seen {
  readonly path: string;
  readonly revision: string;
}

/** Marks a file as looked at, or takes the mark away. */
export function withLookedAt(value: LookedAt, runId: string, { path, revision }: Seen, isOn: boolean): LookedAt {
  const { [runId]: before = {}, ...others } = value;
  const { [path]: _, ...files } = before;
  const own = isOn ? { ...files, [path]: shortOf(revision) } : files;
  const kept = Object.entries(others).slice(-MOST_RUNS + 1);
  return Object.fromEntries(Object.keys(own).length === 0 ? kept : [...kept, [runId, own]]);
}

/** Whatever the storage holds, the result is a map of maps of texts. */
function parse(text: string | null): LookedAt {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (!isObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([run, files]) =>
        isObject(files)
          ? [[run, Object.fromEntries(Object.entries(files).filter(([, seen]) => typeof seen === "string"))]]
          : [],
      ),
    ) as LookedAt;
  } catch {
    return {};
  }
}

// A function, because the value is read while this file is loaded.
function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A revision names every change of a file; its hash is enough to see that another one came. */
function shortOf(revision: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < revision.length; at++) {
    const unit = revision.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  return `${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}
