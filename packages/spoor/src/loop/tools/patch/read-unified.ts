import { type Chunk, type FilePatch, PatchProblem } from "./file-patch.ts";

/** What the lines before the hunks of a file say. */
interface Head {
  /** Names of `diff --git`, if it can be split. */
  git?: [string, string];
  old?: string;
  next?: string;
  from?: string;
  to?: string;
  isNew?: boolean;
  isDeleted?: boolean;
  mode?: number;
}

/** Reads a unified diff, as `diff -u` and `git diff` write it. Text around it is skipped. */
export function readUnified(text: string): FilePatch[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    if (!isStart(lines, at)) {
      at += 1;
      continue;
    }
    const { head, next } = readHead(lines, at);
    const { chunks, end } = readHunks(lines, next);
    files.push(fileOf(head, chunks));
    at = end;
  }
  return files;
}

const isStart = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? "";
  return line.startsWith("diff --git ") || (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ "));
};

function readHead(lines: readonly string[], start: number): { head: Head; next: number } {
  const head: Head = {};
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").replace(/\r$/, "");
    if (line.startsWith("@@ ") || (at > start && line.startsWith("diff --git "))) break;
    // A second `---` begins another file.
    if (head.old !== undefined && head.next !== undefined) break;
    if (/^(GIT binary patch|Binary files )/.test(line)) throw new PatchProblem("Binary patches are not supported.");
    const found =
      /^(diff --git|---|\+\+\+|rename from|rename to|copy from|copy to|new file mode|deleted file mode|old mode|new mode) (.+)$/.exec(
        line,
      );
    if (found) take(head, found[1] ?? "", found[2] ?? "");
  }
  return { head, next: at };
}

function take(head: Head, key: string, value: string): void {
  if (key === "diff --git") Object.assign(head, gitNames(value));
  else if (key === "---") head.old = nameOf(value);
  else if (key === "+++") head.next = nameOf(value);
  else if (key === "rename from") head.from = nameOf(value);
  else if (key === "rename to") head.to = nameOf(value);
  else if (key.startsWith("copy")) throw new PatchProblem("Copies are not supported. Add the new file as a whole.");
  else {
    if (key === "new file mode") head.isNew = true;
    if (key === "deleted file mode") head.isDeleted = true;
    if (key !== "old mode" && key !== "deleted file mode") head.mode = Number.parseInt(value, 8);
  }
}

/** `a/x b/x`, where both names are the same or quoted. */
function gitNames(value: string): Pick<Head, "git"> {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(value);
  if (quoted) return { git: [nameOf(quoted[1] ?? ""), nameOf(quoted[2] ?? "")] };
  const half = (value.length - 1) / 2;
  const [a, b] = [value.slice(0, half), value.slice(half + 1)];
  return a.slice(1) === b.slice(1) ? { git: [a, b] } : {};
}

/** A tab ends a name; what follows it is a time. */
function nameOf(value: string): string {
  if (!value.startsWith('"')) return value.split("\t", 1)[0]?.trimEnd() ?? "";
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1] ?? "";
  const bytes: number[] = [];
  for (const [piece] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    const code = piece.charAt(1);
    if (!piece.startsWith("\\")) bytes.push(...Buffer.from(piece));
    else if (/[0-7]/.test(code)) bytes.push(Number.parseInt(piece.slice(1), 8) & 255);
    else bytes.push(escapes[code] ?? code.charCodeAt(0));
  }
  return Buffer.from(bytes).toString("utf8");
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
const NOWHERE = "/dev/null";

function fileOf(head: Head, chunks: Chunk[]): FilePatch {
  const [gitOld, gitNext] = head.git ?? [];
  const [old, next] = [head.old ?? gitOld ?? head.from, head.next ?? gitNext ?? head.to];
  if (old === undefined || next === undefined) throw new PatchProblem("A part of the patch names no file.");
  const isNew = head.isNew === true || old === NOWHERE;
  const isDeleted = head.isDeleted === true || next === NOWHERE;
  if (isNew && isDeleted) throw new PatchProblem("A part of the patch has /dev/null on both sides.");
  const [a, b] = stripped(old, next);
  const mode = head.mode === undefined ? {} : { mode: head.mode };
  if (isNew) return { operation: "add", path: b, chunks, ...mode };
  if (isDeleted) return { operation: "delete", path: a, chunks };
  const [path, target] = [head.from ?? a, head.to ?? b];
  if (path !== target && (head.from === undefined || head.to === undefined)) {
    throw new PatchProblem(`The patch names ${path} and ${target}. Both sides must name the same file.`);
  }
  if (chunks.length === 0 && path === target && head.mode === undefined) {
    throw new PatchProblem(`The patch has no hunks for ${path}.`);
  }
  return { operation: "update", path, chunks, ...(path !== target && { moveTo: target }), ...mode };
}

/** Removes `a/` and `b/`, if both sides have them. */
function stripped(old: string, next: string): [string, string] {
  const has = (name: string, prefix: string) => name === NOWHERE || name.startsWith(prefix);
  if (!has(old, "a/") || !has(next, "b/")) return [old, next];
  return [old === NOWHERE ? old : old.slice(2), next === NOWHERE ? next : next.slice(2)];
}

function readHunks(lines: readonly string[], start: number): { chunks: Chunk[]; end: number } {
  const chunks: Chunk[] = [];
  let at = start;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!head) {
      if (line.startsWith("@@"))
        throw new PatchProblem(`Line ${at + 1} of the patch is no valid hunk header: ${line.slice(0, 80)}`);
      // Lines of a hunk after its end mean that its header counts too few.
      if (chunks.length > 0 && /^[ +-]/.test(line) && !isStart(lines, at)) throw miscounted(chunks.length);
      return { chunks, end: at };
    }
    const [, oldStart = "0", oldCount = "1", , newCount = "1"] = head;
    const hunk = readHunk(lines, at + 1, [Number(oldCount), Number(newCount)], chunks.length + 1);
    // An empty side names the line before it.
    const line0 = Number(oldCount) === 0 ? Number(oldStart) : Number(oldStart) - 1;
    chunks.push({ lines: hunk.lines, place: { by: "line", line: line0 } });
    at = hunk.end;
  }
  return { chunks, end: at };
}

function readHunk(lines: readonly string[], start: number, [old, next]: [number, number], number: number) {
  const found: Chunk["lines"] = [];
  let [at, oldLeft, newLeft] = [start, old, next];
  while (oldLeft > 0 || newLeft > 0) {
    const line = lines[at];
    if (line === undefined) throw miscounted(number);
    at += 1;
    if (line.startsWith("\\")) {
      unend(found);
      continue;
    }
    const sign = line === "" || line === "\r" ? " " : line.charAt(0);
    if (sign !== " " && sign !== "-" && sign !== "+") throw miscounted(number);
    if (sign !== "+") oldLeft -= 1;
    if (sign !== "-") newLeft -= 1;
    if (oldLeft < 0 || newLeft < 0) throw miscounted(number);
    found.push({ sign, text: line === "\r" ? line : line.slice(1) });
  }
  if ((lines[at] ?? "").startsWith("\\")) {
    unend(found);
    at += 1;
  }
  return { lines: found, end: at };
}

function unend(lines: Chunk["lines"]): void {
  const line = lines.at(-1);
  if (line) line.isUnended = true;
}

const miscounted = (number: number): PatchProblem =>
  new PatchProblem(
    `Hunk ${number} has other numbers of lines than its \`@@\` line says. Count the lines with a space or \`-\` for the old side, and those with a space or \`+\` for the new side.`,
  );
