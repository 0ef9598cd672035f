import { diffLinesOf } from "@spoor/protocol/write";
import { diffRoles } from "./diff-roles.ts";
import { layout, type Part } from "./line.ts";
import type { Style } from "./style.ts";
import { terminalSafe } from "./terminal-safe.ts";
import { cutLong } from "./visible.ts";

export interface DiffOptions {
  /** Whether each hunk gets its number. */
  numbered?: boolean;
  /** What stands above the diff of a file, instead of the lines that only Git needs. */
  headOf?(path: string): readonly Part[];
}

/** A diff for a person: with colours, and control characters are escaped. A pipe gets the exact bytes instead. */
export function diffText(diff: Buffer, style: Style, { numbered = false, headOf }: DiffOptions = {}): string {
  if (diff.length === 0) return "";
  const lines = [...diffLinesOf(diff.toString("utf8").replace(/\n$/, ""))];
  const isHeaded = headOf !== undefined;
  let [hunk, isBinary, out] = [0, false, ""];
  for (const [index, { sign, text }] of lines.entries()) {
    const isNew = text.startsWith("diff --git ");
    if (isNew) {
      [hunk, isBinary] = [0, false];
      if (isHeaded) out += `${out === "" ? "" : "\n"}${layout(headOf(pathIn(text)), style)}\n`;
    }
    if (isBinary || (isHeaded && (isNew || text.startsWith("index ")))) continue;
    isBinary = text === "GIT binary patch";
    const isMeta = sign === "#" || OF_GIT.test(text);
    const role = isMeta ? (isHeaded || isBinary ? "dim" : "strong") : diffRoles[sign];
    // A carriage return at the end of a line is part of the file.
    const shown = isBinary ? sizesOf(lines.slice(index)) : cutLong(terminalSafe(text));
    out += `${style.paint(role, numbered && sign === "@" ? `${shown} [hunk ${hunk++}]` : shown)}\n`;
  }
  return out;
}

/** Lines about files. Lines of files begin with a sign or a space, so that none of them looks like that. */
const OF_GIT = /^(diff |index |new file mode |deleted file mode |old mode |new mode |GIT binary patch|#)/;

/** How large a binary file is, and was. Its contents say nothing to a person. */
function sizesOf([, ...rest]: readonly { text: string }[]): string {
  const next = rest.findIndex(({ text }) => text.startsWith("diff --git "));
  const block = rest.slice(0, next === -1 ? undefined : next);
  const sizes = block.flatMap(({ text }) => /^literal (\d+)$/.exec(text)?.[1] ?? []);
  const [after = "0", before = "0"] = sizes.map((size) => Number(size).toLocaleString("en"));
  return `binary, ${before} bytes before, ${after} after`;
}

/** The path in the first line of a file's diff. Both names are the same. */
function pathIn(line: string): string {
  const quoted = / "b\/(.*)"$/.exec(line)?.[1];
  if (quoted !== undefined) return unquoted(quoted);
  const rest = line.slice("diff --git a/".length);
  return rest.slice(0, (rest.length - " b/".length) / 2);
}

/** Git quotes names with special characters as C does: bytes as octal numbers. */
function unquoted(name: string): string {
  const bytes = name.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    String.fromCharCode(code.length === 3 ? Number.parseInt(code, 8) : code.charCodeAt(0)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
