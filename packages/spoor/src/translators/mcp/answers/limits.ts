/** No result of this server is longer than this, in bytes of JSON. Agents read results into their context. */
export const MAX_RESULT_BYTES = 64 * 1024;

/** What the data of a result may take of that: the rest is for our own words, the boundary and a cursor. */
export const DATA_BYTES: number = MAX_RESULT_BYTES - 4 * 1024;

/** What one item of a list may take. A longer one is shortened, and says so. */
export const ITEM_BYTES: number = 12 * 1024;

/**
 * The bytes that a value takes in a result. It is there twice: as structured content, and as text, which is JSON once more
 * within a string. A comma follows each.
 */
export function bytesOf(value: unknown): number {
  const json = JSON.stringify(value) ?? "";
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json));
}
