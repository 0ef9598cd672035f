import { visible, visibleIn } from "../../visible.ts";
import { bytesOf } from "./limits.ts";

/** A value that fits, and whether something was left out for that. */
export interface Shortened<T> {
  value: T;
  isCut: boolean;
  /** What the value takes in a result. */
  bytes: number;
}

/**
 * Makes a recorded value ready for a result: invisible characters become codes, and it takes at most this many bytes. Long
 * texts lose their end, long lists their last items, deep values their depth; what is missing is said in its place.
 */
export function shorten<T>(value: T, maxBytes: number): Shortened<T> {
  // Texts of many megabytes are not even looked at.
  if (sizeOf(value, maxBytes) <= maxBytes) {
    const whole = visibleIn(value) as T;
    const bytes = bytesOf(whole);
    if (bytes <= maxBytes) return { value: whole, isCut: false, bytes };
  }
  for (const limits of steps) {
    const shorter = cut(value, limits, 0) as T;
    const bytes = bytesOf(shorter);
    if (bytes <= maxBytes) return { value: shorter, isCut: true, bytes };
  }
  const least = onlyShortFields(value) as T;
  return { value: least, isCut: true, bytes: bytesOf(least) };
}

/** The number of characters in a value, or any number above `most` if it has more, or is deeper than a program can follow. */
function sizeOf(value: unknown, most: number, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (depth > MAX_DEPTH) return most + 1;
  let size = 0;
  for (const [name, each] of Object.entries(value)) {
    size += name.length + sizeOf(each, most - size, depth + 1);
    if (size > most) break;
  }
  return size;
}

/** A value that is deeper is shortened. Clients give up on far less than what a log can hold. */
const MAX_DEPTH = 200;

interface Limits {
  /** Characters of a text. */
  text: number;
  /** Items of a list, and fields of an object. */
  items: number;
  depth: number;
}

const steps: readonly Limits[] = [
  { text: 4_000, items: 200, depth: 12 },
  { text: 2_000, items: 100, depth: 10 },
  { text: 1_000, items: 50, depth: 8 },
  { text: 400, items: 40, depth: 6 },
  { text: 160, items: 40, depth: 5 },
  { text: 80, items: 30, depth: 4 },
  { text: 40, items: 10, depth: 3 },
];

function cut(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === "string") return cutText(value, limits.text);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (depth >= limits.depth) return value.length === 0 ? [] : [`… ${value.length} items`];
    const kept = value.slice(0, limits.items).map((each) => cut(each, limits, depth + 1));
    return value.length > kept.length ? [...kept, `… ${value.length - kept.length} more items`] : kept;
  }
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  if (depth >= limits.depth) return fields.length === 0 ? {} : { "…": `${fields.length} fields` };
  // The fields of the item itself are ours, and part of a schema.
  const kept = depth === 0 ? fields : fields.filter(([name]) => name.length <= MAX_NAME).slice(0, limits.items);
  const shorter = kept.map(([name, each]): [string, unknown] => [visible(name), cut(each, limits, depth + 1)]);
  if (fields.length > kept.length) shorter.push(["…", `${fields.length - kept.length} more fields`]);
  return Object.fromEntries(shorter);
}

const MAX_NAME = 120;

/** The last resort: numbers, flags and short texts, such as ids. */
function onlyShortFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return cut(value, { text: 40, items: 0, depth: 1 }, 0);
  const isShort = (each: unknown) => (typeof each === "string" ? each.length <= 40 : typeof each !== "object");
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => isShort(each))
      .slice(0, 20)
      .map(([name, each]) => [visible(name), typeof each === "string" ? visible(each) : each]),
  );
}

/** The beginning of a text without invisible characters, and how much is missing. Never cuts a character in two. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return visible(text);
  const kept = text.slice(0, isHigh(text.charCodeAt(length - 1)) ? length - 1 : length);
  return `${visible(kept)}… [${(text.length - kept.length).toLocaleString("en")} more characters]`;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
