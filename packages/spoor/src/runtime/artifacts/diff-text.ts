import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { type Hunk, hunksBetween } from "./hunks.ts";
import { isBinary } from "./lines.ts";

/** A file before and after a change. `undefined`: there is no such file. */
export interface FileChange {
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
  /** File type and permissions, such as 0o100644. */
  beforeMode?: number | undefined;
  afterMode?: number | undefined;
}

/** The change as `git diff --binary` shows it, so that `git apply` takes it. Empty if nothing changed. */
export function diffOf(change: FileChange, hunks: readonly Hunk[] = hunksBetween(change.before, change.after)): Buffer {
  const { before, after } = change;
  const [oldMode, newMode] = [gitMode(change.beforeMode), gitMode(change.afterMode)];
  if (hunks.length === 0 && Boolean(before) === Boolean(after) && oldMode === newMode) return Buffer.alloc(0);
  const head = [`diff --git ${quoted(`a/${change.path}`)} ${quoted(`b/${change.path}`)}`];
  if (!before) head.push(`new file mode ${newMode}`);
  else if (!after) head.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) head.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  const text = (lines: readonly string[]) => Buffer.from(`${lines.join("\n")}\n`, "utf8");
  if (hunks.length === 0) return text(before && after ? head : [...head, indexLine(change)]);
  head.push(indexLine(change) + (before && after && oldMode === newMode ? ` ${newMode}` : ""));
  if (isBinary(before ?? EMPTY) || isBinary(after ?? EMPTY)) return text([...head, ...binaryPatch(change)]);
  head.push(`--- ${before ? name(`a/${change.path}`) : "/dev/null"}`);
  head.push(`+++ ${after ? name(`b/${change.path}`) : "/dev/null"}`);
  return Buffer.concat([text(head), ...hunks.map(hunkText)]);
}

/** One hunk with its line numbers. */
export function hunkText({ oldStart, newStart, oldLines, newLines, signed }: Hunk): Buffer {
  const range = (start: number, count: number) => `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
  const lines = signed.map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`));
  const head = `@@ -${range(oldStart, oldLines.length)} +${range(newStart, newLines.length)} @@\n`;
  return Buffer.from(head + lines.join(""), "latin1");
}

const EMPTY = Buffer.alloc(0);

/** Git knows two modes of files, and those of links. */
function gitMode(mode = 0o100644): string {
  if ((mode & 0o170000) === 0o120000) return "120000";
  return mode & 0o111 ? "100755" : "100644";
}

const indexLine = ({ before, after }: FileChange): string => `index ${blobId(before)}..${blobId(after)}`;

/** The id of the content in Git's object store. */
function blobId(bytes: Buffer | undefined): string {
  if (!bytes) return "0".repeat(40);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Git quotes names with special characters as C does. */
function quoted(name: string): string {
  const bytes = Buffer.from(name, "utf8");
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c)) return name;
  const escaped = (byte: number): string => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  };
  return `"${[...bytes].map(escaped).join("")}"`;
}

/** A tab ends a name that has a space in it. */
const name = (path: string): string => {
  const text = quoted(path);
  return text === path && path.includes(" ") ? `${path}\t` : text;
};

/** Both directions as whole contents: `git apply` needs one, `git apply -R` the other. */
const binaryPatch = ({ before = EMPTY, after = EMPTY }: FileChange): string[] => [
  "GIT binary patch",
  ...literal(after),
  "",
  ...literal(before),
  "",
];

function literal(bytes: Buffer): string[] {
  const packed = deflateSync(bytes);
  const lines = [`literal ${bytes.length}`];
  for (let at = 0; at < packed.length; at += 52) {
    const piece = packed.subarray(at, at + 52);
    const length = String.fromCharCode(piece.length <= 26 ? 64 + piece.length : 96 + piece.length - 26);
    lines.push(length + base85(piece));
  }
  return lines;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

function base85(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let offset = 0; offset < 4; offset++) value = value * 256 + (bytes[at + offset] ?? 0);
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = DIGITS.charAt(value % 85) + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
