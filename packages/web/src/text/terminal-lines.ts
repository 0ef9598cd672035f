import type { OutputPiece } from "@spoor/protocol";

/** A line of a command's output. */
export interface TerminalLine {
  readonly stream: OutputPiece["stream"];
  readonly runs: readonly TerminalRun[];
}

/** Text of one style. The style is a list of class names of the terminal block. */
export interface TerminalRun {
  readonly text: string;
  readonly style: string;
}

/**
 * Lays the output of a command out as lines. It understands colours, bold, dim, underline, carriage return and erasing of
 * a line. All other escape sequences stay in the text, and the screen shows them as codes.
 */
export function terminalLines(pieces: readonly OutputPiece[]): TerminalLine[] {
  const lines: TerminalLine[] = [];
  let line = newLine("stdout");
  let style = plainStyle;
  let isStarted = false;
  const finish = () => {
    lines.push({ stream: line.stream, runs: runsOf(line) });
    isStarted = false;
  };
  for (const { stream, text } of pieces) {
    for (const [part, sgr, erase] of text.matchAll(PARTS)) {
      if (!isStarted) {
        line = newLine(stream);
        isStarted = true;
      }
      if (part === "\n") finish();
      else if (part === "\r") line.at = 0;
      else if (sgr !== undefined) style = nextStyle(style, sgr);
      else if (erase !== undefined) eraseLine(line, erase);
      else write(line, part, classOf(style));
    }
  }
  if (isStarted) finish();
  return lines;
}

/** The pieces of the last lines, cut off at a number of characters. A line that is still growing counts. */
export function lastPieces(pieces: readonly OutputPiece[], lines: number, characters: number): OutputPiece[] {
  const kept: OutputPiece[] = [];
  let left = characters;
  let breaks = 0;
  for (let index = pieces.length - 1; index >= 0 && left > 0; index -= 1) {
    const piece = pieces[index];
    if (!piece) continue;
    let start = piece.text.length;
    while (start > 0 && left > 0) {
      const isEnd = kept.length === 0 && start === piece.text.length;
      if (piece.text[start - 1] === "\n" && !isEnd) {
        breaks += 1;
        if (breaks === lines) break;
      }
      start -= 1;
      left -= 1;
    }
    kept.unshift({ stream: piece.stream, text: piece.text.slice(start) });
    if (breaks === lines) break;
  }
  return kept;
}

/** A run of text, a line break, a carriage return, a style (1), or an erasure (2). A break may be written as CR LF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a terminal acts on
const PARTS = /\r(?=\n)|\n|\r|\u001b\[([\d;:]*)m|\u001b\[([012]?)K|\u001b|[^\r\n\u001b]+/g;

interface OpenLine {
  stream: OutputPiece["stream"];
  cells: string[];
  styles: string[];
  at: number;
}

const newLine = (stream: OutputPiece["stream"]): OpenLine => ({ stream, cells: [], styles: [], at: 0 });

function write(line: OpenLine, text: string, style: string): void {
  for (const character of text) {
    line.cells[line.at] = character;
    line.styles[line.at] = style;
    line.at += 1;
  }
}

function eraseLine(line: OpenLine, how: string): void {
  if (how === "" || how === "0") {
    line.cells.length = Math.min(line.cells.length, line.at);
    line.styles.length = line.cells.length;
  } else if (how === "1") {
    for (let at = 0; at <= Math.min(line.at, line.cells.length - 1); at += 1) line.cells[at] = " ";
  } else {
    line.cells = Array.from({ length: line.at }, () => " ");
    line.styles = Array.from({ length: line.at }, () => "");
  }
}

function runsOf({ cells, styles }: OpenLine): TerminalRun[] {
  const runs: TerminalRun[] = [];
  for (let from = 0; from < cells.length; ) {
    let to = from + 1;
    while (to < cells.length && styles[to] === styles[from]) to += 1;
    runs.push({ text: cells.slice(from, to).join(""), style: styles[from] ?? "" });
    from = to;
  }
  return runs;
}

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
}

const plainStyle: Style = { colour: "", bold: false, dim: false, underline: false };

const classOf = ({ colour, bold, dim, underline }: Style): string =>
  [colour, bold && "bold", dim && "d", underline && "under"].filter(Boolean).join(" ");

/** The colours 30 to 37. Black would not be seen on the dark ground, so it is dim. */
const colours = ["d", "r", "g", "y", "b", "m", "c", ""] as const;

function nextStyle(style: Style, codes: string): Style {
  const list = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < list.length; index += 1) {
    const code = list[index] ?? 0;
    if (code === 0) next = plainStyle;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code === 39) next = { ...next, colour: "" };
    else if (code >= 30 && code <= 37) next = { ...next, colour: colours[code - 30] ?? "" };
    else if (code >= 90 && code <= 97) next = { ...next, colour: colours[code - 90] ?? "" };
    else if (code === 38 || code === 48) {
      const isIndexed = list[index + 1] === 5;
      const values = list.slice(index + 2, index + (isIndexed ? 3 : 5));
      if (code === 38) next = { ...next, colour: isIndexed ? indexed(values[0] ?? 7) : nearest(values) };
      index += isIndexed ? 2 : 4;
    }
  }
  return next;
}

/** One of 256 colours: 16 named ones, a cube of 216, and greys. */
function indexed(value: number): string {
  if (value < 16) return colours[value % 8] ?? "";
  if (value >= 232) return value < 244 ? "d" : "";
  const at = value - 16;
  return nearest([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => level * 51));
}

/** The named colour that is nearest in hue, so that no agent can write in the colour of the ground. */
function nearest([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return high < 110 ? "d" : "";
  const middle = (high + low) / 2;
  const name = `${red > middle ? "r" : ""}${green > middle ? "g" : ""}${blue > middle ? "b" : ""}`;
  return { r: "r", g: "g", b: "b", rg: "y", rb: "m", gb: "c" }[name] ?? "";
}
