import { visible } from "../../visible.ts";
import { bytesOf, DATA_BYTES, ITEM_BYTES } from "./limits.ts";
import { shorten } from "./shorten.ts";

/** Items that fit into one result. */
export interface Filled<Item> {
  items: Item[];
  /** How many of the given ones that are. */
  count: number;
  /** Whether an item was shortened. */
  isCut: boolean;
}

/** Takes items from the beginning until the result is full; at least one. An item that is too long is shortened. */
export function fillPage<Item extends object>(given: readonly Item[], room: number = DATA_BYTES): Filled<Item> {
  const items: Item[] = [];
  let bytes = 0;
  let isCut = false;
  for (const each of given) {
    const { value, isCut: isShorter, bytes: size } = shorten(each, Math.min(ITEM_BYTES, room));
    const item = isShorter ? { ...value, truncated: true } : value;
    bytes += isShorter ? bytesOf(item) : size;
    if (bytes > room && items.length > 0) break;
    items.push(item);
    isCut ||= isShorter;
  }
  return { items, count: items.length, isCut };
}

/** A part of a text. */
export interface TextPart {
  text: string;
  /** The offset of the next part, in bytes of the whole; absent at the end. */
  next?: number;
}

/** The part of a text that begins at an offset and fits into one result. It ends at a line if there is one in its second half. */
export function textPart(whole: Buffer, offset: number, room: number = DATA_BYTES): TextPart {
  let size = Math.min(whole.length - offset, Math.floor(room / 2));
  for (;;) {
    const end = endOf(whole, offset, offset + size);
    const text = visible(whole.subarray(offset, end).toString("utf8"));
    if (bytesOf(text) <= room) return { text, ...(end < whole.length && { next: end }) };
    size = Math.floor(size / 2);
  }
}

/** Where a part ends: after a line, or at least not within a character. */
function endOf(whole: Buffer, start: number, end: number): number {
  if (end >= whole.length) return whole.length;
  const line = whole.lastIndexOf(NEWLINE, end - 1) + 1;
  if (line > start + (end - start) / 2) return line;
  let at = end;
  while (at > start + 1 && ((whole[at] as number) & 0xc0) === 0x80) at -= 1;
  // More bytes than a character has are no text, and the next part begins anywhere.
  return end - at < CHARACTER_BYTES ? at : end;
}

const NEWLINE = 10;
const CHARACTER_BYTES = 4;
