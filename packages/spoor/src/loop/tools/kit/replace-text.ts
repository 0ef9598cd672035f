import { ToolProblem } from "./define-tool.ts";
import { isCrlf, withLineEnds } from "./line-ends.ts";

/** One replacement in a file. */
export interface Replacement {
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

/**
 * Replaces text in the bytes of a file. The old text must occur exactly once, unless all places are to be replaced. All other
 * bytes stay as they are, also those that are no valid UTF-8. In a file whose lines all end with CRLF, so do the new ones.
 */
export function replaceText(file: string, bytes: Buffer, { old_string, new_string, replace_all }: Replacement): Buffer {
  const crlf = isCrlf(bytes);
  const [old, next] = [withLineEnds(old_string, crlf), withLineEnds(new_string, crlf)];
  if (old.equals(next)) throw new ToolProblem(`${file}: old_string and new_string are the same, so nothing changes.`);
  const places = placesOf(bytes, old, replace_all === true);
  if (places.length === 0) throw new ToolProblem(missing(file, bytes, old_string));
  if (places.length > 1 && !replace_all) {
    const lines = places.slice(0, 5).map((at) => lineAt(bytes, at));
    throw new ToolProblem(
      `${file}: old_string occurs ${places.length}${places.length === MANY ? " or more" : ""} times (lines ${lines.join(", ")}${places.length > 5 ? ", …" : ""}). Add lines around it until it occurs once, or set replace_all.`,
    );
  }
  const pieces: Buffer[] = [];
  let from = 0;
  for (const at of places) {
    pieces.push(bytes.subarray(from, at), next);
    from = at + old.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** Places are not counted beyond this, because a repetitive text in a repetitive file has very many. */
const MANY = 100;

/** Where the text occurs. Places that overlap all count, unless each is to be replaced. */
function placesOf(bytes: Buffer, old: Buffer, isReplaced: boolean): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(old); at !== -1; at = bytes.indexOf(old, at + (isReplaced ? old.length : 1))) {
    places.push(at);
    if (!isReplaced && places.length === MANY) break;
  }
  return places;
}

const lineAt = (bytes: Buffer, at: number): number => {
  let line = 1;
  for (let next = bytes.indexOf(10); next !== -1 && next < at; next = bytes.indexOf(10, next + 1)) line += 1;
  return line;
};

function missing(file: string, bytes: Buffer, old: string): string {
  const wanted = old.split(/\r?\n/).map((line) => line.trim());
  const lines = bytes.toString("utf8").split(/\r?\n/);
  const first = wanted.find((line) => line !== "");
  const near = first === undefined ? -1 : lines.findIndex((line) => line.trim() === first);
  const hint =
    near === -1
      ? "It may have changed: read it again."
      : `Line ${near + 1} is similar; white space and the lines around it must be exactly as in the file. Read it again.`;
  return `${file}: old_string does not occur in the file. ${hint}`;
}
