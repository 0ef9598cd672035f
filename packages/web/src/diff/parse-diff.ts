/** One line of a hunk. Lines that a diff does not number have no numbers. */
export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
  readonly old?: number;
  readonly new?: number;
  /** The line ends the file, and no line break follows it. */
  readonly noNewline?: true;
}

/** One place where a file changes. */
export interface DiffHunk {
  /** Counted from 0 within the file, as the artifacts API counts them. */
  readonly index: number;
  /** `-1,5 +1,5`; empty if the diff has no numbers. */
  readonly range: string;
  /** What Git prints behind the second `@@`: the function around the change. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

/** The changes of one file. */
export interface DiffFile {
  /** Empty if the diff does not name it. */
  readonly path: string;
  /** The old name of a file that was renamed or copied. */
  readonly from?: string;
  readonly change: "edit" | "create" | "delete" | "rename" | "copy";
  readonly isBinary: boolean;
  /** Set if the permissions changed, such as `100644 → 100755`. */
  readonly mode?: string;
  readonly hunks: readonly DiffHunk[];
  readonly additions: number;
  readonly deletions: number;
  /** The last hunk has fewer lines than its head says. */
  readonly isCut: boolean;
  /** All lines end with a carriage return. They are left out of the texts. */
  readonly isCrlf: boolean;
}

/**
 * Reads a unified diff, with or without the heads of Git, of one file or of many. Agents write such text, so anything is
 * possible: what cannot be understood is left out, and a diff that was cut is read up to its end. Never throws.
 */
export function parseDiff(text: string): DiffFile[] {
  const reader = new Reader();
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) reader.read(line);
  return reader.end();
}

/** The number of added and removed lines. */
export const changedLines = (files: readonly DiffFile[]): number =>
  files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type OpenHunk = Writable<Omit<DiffHunk, "lines">> & { lines: Writable<DiffLine>[] };
type OpenFile = Writable<Omit<DiffFile, "hunks">> & { hunks: OpenHunk[]; hasHead: boolean };

class Reader {
  readonly #files: OpenFile[] = [];
  #file: OpenFile | undefined;
  #hunk: OpenHunk | undefined;
  /** Lines that the head of the hunk promises and that did not come yet. Unknown without a head. */
  #left = { old: 0, new: 0 };
  #at = { old: 0, new: 0 };
  #oldMode = "";

  read(line: string): void {
    const head = this.#hunk && this.#isInside(line) ? "line" : HUNK.exec(line);
    if (head === "line") this.#readLine(line);
    else if (head) this.#openHunk(head);
    else if (line.startsWith("\\")) this.#markEnd();
    else if (!this.#readHead(line.replace(/\r$/, "")) && /^[+-]/.test(line) && !this.#file?.hasHead) {
      // Some agents send signed lines without any head.
      this.#openHunk(undefined);
      this.#readLine(line);
    }
  }

  end(): DiffFile[] {
    this.#closeHunk();
    return this.#files.map(({ hasHead: _, ...file }) => withoutReturns(file));
  }

  /** Whether the line belongs to the open hunk. Its head says how many lines follow, so `--- a` may be a removed line. */
  #isInside(line: string): boolean {
    if (line.startsWith("\\")) return false;
    if (this.#hunk?.range === "") return /^[ +-]/.test(line) || line === "";
    const { old, new: next } = this.#left;
    if (line.startsWith("+")) return next > 0;
    if (line.startsWith("-")) return old > 0;
    // Editors and agents strip the single space of an empty line, or leave only a carriage return.
    return (line.startsWith(" ") || line === "" || line === "\r") && old > 0 && next > 0;
  }

  #readLine(line: string): void {
    const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
    const read: Writable<DiffLine> = { sign, text: /^[ +-]/.test(line) ? line.slice(1) : line };
    const isNumbered = this.#hunk?.range !== "";
    for (const side of ["old", "new"] as const) {
      if (sign === (side === "old" ? "+" : "-")) continue;
      if (isNumbered) read[side] = this.#at[side];
      this.#at[side] += 1;
      this.#left[side] -= 1;
    }
    this.#hunk?.lines.push(read);
    const file = this.#file as OpenFile;
    if (sign === "+") file.additions += 1;
    if (sign === "-") file.deletions += 1;
  }

  #openHunk(head: RegExpExecArray | undefined): void {
    this.#closeHunk();
    const file = this.#file ?? this.#openFile(false);
    const [, oldStart = "", oldCount = "1", newStart = "", newCount = "1", heading = ""] = head ?? [];
    const isNumbered = oldStart !== "";
    this.#at = { old: Number(oldStart || 1), new: Number(newStart || 1) };
    this.#left = { old: Number(oldCount), new: Number(newCount) };
    const range = isNumbered
      ? `−${oldStart}${head?.[2] ? `,${oldCount}` : ""} +${newStart}${head?.[4] ? `,${newCount}` : ""}`
      : "";
    this.#hunk = { index: file.hunks.length, range, heading: heading.trim(), lines: [] };
    file.hunks.push(this.#hunk);
  }

  #closeHunk(): void {
    const isCut = this.#hunk && this.#hunk.range !== "" && (this.#left.old > 0 || this.#left.new > 0);
    if (isCut && this.#file) this.#file.isCut = true;
    this.#hunk = undefined;
  }

  #markEnd(): void {
    const last = this.#hunk?.lines.at(-1);
    if (last) last.noNewline = true;
  }

  #openFile(hasHead: boolean): OpenFile {
    this.#closeHunk();
    this.#oldMode = "";
    this.#file = {
      ...{ path: "", change: "edit", isBinary: false, hunks: [], additions: 0, deletions: 0, isCut: false },
      ...{ isCrlf: false, hasHead },
    };
    this.#files.push(this.#file);
    return this.#file;
  }

  /** Reads a line above the hunks. Returns false if it is none. */
  #readHead(line: string): boolean {
    if (line.startsWith("diff --git ")) {
      const file = this.#openFile(true);
      file.path = pathOfGitHead(line.slice("diff --git ".length));
      return true;
    }
    const isOldName = /^--- \S/.test(line);
    if (isOldName && (!this.#file?.hasHead || this.#file.hunks.length > 0)) this.#openFile(true);
    const file = this.#file;
    if (!file || file.hunks.length > 0) return false;
    const found = heads.find(([start]) => line.startsWith(start));
    if (!found) return false;
    const [start, act] = found;
    const value = line.slice(start.length);
    if (start === "old mode ") this.#oldMode = value;
    else if (start === "new mode ") file.mode = `${this.#oldMode} → ${value}`;
    else act(file, value);
    return true;
  }
}

/** Carriage returns say something only where some lines have them and some have not. */
function withoutReturns<T extends Omit<OpenFile, "hasHead">>(file: T): T {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0 || !lines.every(({ text, noNewline }) => text.endsWith("\r") || noNewline)) return file;
  for (const line of lines) line.text = line.text.replace(/\r$/, "");
  return { ...file, isCrlf: true };
}

const HUNK = /^@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@+(.*)$/s;

/** The lines that stand above the hunks of a file, and what each says. */
const heads: readonly [start: string, act: (file: OpenFile, value: string) => void][] = [
  ["--- ", (file, value) => setName(file, value, "create")],
  ["+++ ", (file, value) => setName(file, value, "delete")],
  ["new file mode ", (file) => setChange(file, "create")],
  ["deleted file mode ", (file) => setChange(file, "delete")],
  ["rename from ", (file, value) => setFrom(file, value, "rename")],
  ["rename to ", (file, value) => setPath(file, unquoted(value))],
  ["copy from ", (file, value) => setFrom(file, value, "copy")],
  ["copy to ", (file, value) => setPath(file, unquoted(value))],
  ["Binary files ", (file) => setBinary(file)],
  ["GIT binary patch", (file) => setBinary(file)],
  ["old mode ", () => {}],
  ["new mode ", () => {}],
];

function setName(file: OpenFile, value: string, whenMissing: "create" | "delete"): void {
  const name = unquoted(value.split("\t")[0]?.trimEnd() ?? "");
  if (name === "/dev/null") file.change = whenMissing;
  else if (whenMissing === "delete" || file.path === "") file.path = name.replace(/^[abciow]\//, "");
}

function setChange(file: OpenFile, change: DiffFile["change"]): void {
  file.change = change;
}

function setFrom(file: OpenFile, value: string, change: "rename" | "copy"): void {
  file.from = unquoted(value);
  file.change = change;
}

function setPath(file: OpenFile, path: string): void {
  file.path = path;
}

function setBinary(file: OpenFile): void {
  file.isBinary = true;
}

/** `a/x b/x`: both names are the same, so the second one begins in the middle, also if there are spaces in them. */
function pathOfGitHead(names: string): string {
  const quoted = /^"(?:[^"\\]|\\.)*" ("(?:[^"\\]|\\.)*")$/.exec(names);
  if (quoted?.[1]) return unquoted(quoted[1]).replace(/^b\//, "");
  const middle = (names.length - 1) / 2;
  const [old, next] = [names.slice(0, middle), names.slice(middle + 1)];
  const isSame = Number.isInteger(middle) && old.slice(2) === next.slice(2);
  return (isSame ? next : (names.split(" b/").at(-1) ?? "")).replace(/^b\//, "");
}

/** Git quotes names with special characters as C does, and their bytes above 127 in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  for (const [whole, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else bytes.push(...new TextEncoder().encode(letter === undefined ? whole : (letters[letter] ?? letter)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
