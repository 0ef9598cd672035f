import { createHash } from "node:crypto";
import { McpRefusal } from "./refusal.ts";

/** Where the next page begins: numbers and ids, as one call of a tool needs them. */
export type Place = Readonly<Record<string, string | number>>;

/**
 * Makes the text by which an agent asks for the next page. It names its tool and the other arguments, so that it cannot be used
 * for another question. Nothing is stored here: it stays valid for as long as the log has what it points to.
 */
export function cursorOf(tool: string, input: object, place: Place): string {
  return Buffer.from(JSON.stringify([marksOf(tool, input), place])).toString("base64url");
}

/** Reads a cursor of the same tool and arguments. Undefined if none is given. */
export function placeOf(tool: string, input: object & { cursor?: string }): Place | undefined {
  const { cursor } = input;
  if (cursor === undefined) return undefined;
  const [marks, place] = parsed(cursor);
  if (marks !== marksOf(tool, input) || typeof place !== "object" || place === null || !isPlace(place)) {
    throw new McpRefusal(
      "invalid_cursor",
      `The cursor does not belong to this call of ${tool}. Repeat the arguments of the call that returned it, with its next_cursor as it is, or leave cursor out to begin again.`,
    );
  }
  return place;
}

/** Anybody can make a cursor, so a number in it may be anything. */
const isPlace = (place: object): place is Place =>
  Object.entries(place).every(([name, value]) =>
    typeof value === "string" ? !counts.has(name) : Number.isSafeInteger(value) && value >= (counts.has(name) ? 0 : -1),
  );

/** Places that count from the beginning. */
const counts: ReadonlySet<string> = new Set(["offset", "turns"]);

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** How many items a page has may change from page to page. */
function marksOf(tool: string, input: object): string {
  const asked = Object.entries(input)
    .filter(([name, value]) => name !== "cursor" && name !== "limit" && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([tool, asked]))
    .digest("base64url")
    .slice(0, 12);
}
