// Records a run at a pseudo-terminal, at which a person answers its question, and draws it as docs/screens/terminal.svg:
//
//   npm run screens:terminal
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { IBufferCell, Terminal } from "@xterm/headless";
import { terminalSteps } from "./runs/showcase-steps.ts";

const [COLUMNS, ROWS] = [100, 34];
const program = fileURLToPath(new URL("../../spoor/bin/spoor.js", import.meta.url));
const target = path.resolve(import.meta.dirname, "../../../docs/screens/terminal.svg");

const PROMPT = "Fix add() and create a test";

/** Runs an agent that plays a script, in a pseudo-terminal, and returns the terminal when it is over. */
async function record(): Promise<Terminal> {
  const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as typeof import("@xterm/headless");
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 5_000, allowProposedApi: true });
  for (const folder of [path.join(home, "data"), path.join(home, "project")]) mkdirSync(folder, { mode: 0o700 });
  const steps = path.join(home, "steps.json");
  writeFileSync(steps, JSON.stringify(terminalSteps));
  const agent = fileURLToPath(new URL("./runs/asking-claude.mjs", import.meta.url));
  const command = [process.execPath, agent, steps].map((word) => `"${word}"`).join(" ");
  const words = [process.execPath, "--conditions=spoor-source", program, "run", "claude", PROMPT, "--command", command];
  const line = `stty cols ${COLUMNS} rows ${ROWS}; exec ${words.map((word) => `'${word}'`).join(" ")} --approve ask`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: path.join(home, "project"),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      SPOOR_HOME: path.join(home, "data"),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      COLORTERM: "truecolor",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  terminal.write(`\u001b[1m$ npx spoor run claude "${PROMPT}"\u001b[0m\r\n`);
  child.stdout.setEncoding("utf8").on("data", (text: string) => terminal.write(withoutPlaces(text)));
  // A key counts from half a second after the question was drawn, and is pressed again until the run is over.
  const pressing = setInterval(() => /› *$/m.test(screenOf(terminal)) && child.stdin.write("y"), 700);
  await once(child, "exit");
  clearInterval(pressing);
  await new Promise<void>((resolve) => terminal.write("", resolve));
  return terminal;
}

const screenOf = ({ buffer: { active } }: Terminal): string =>
  Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "").join("\n");

const colours = ["#1d1b19", "#ff9087", "#7fd39b", "#efc06f", "#93b4ff", "#dca6e6", "#74ccd0", "#e4e1dc"];
const [GROUND, INK, DIM] = ["#1d1b19", "#e4e1dc", "#a09a91"];
const [WIDTH, HEIGHT, LEFT, TOP] = [8.4, 19, 20, 52];

/** Draws all lines of a terminal. */
function drawing(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const used = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
  const last = used.findLastIndex((text) => text !== "");
  const rows = last + 1;
  const lines = Array.from({ length: rows }, (_, row) => lineOf(terminal, row));
  const [width, height] = [COLUMNS * WIDTH + 2 * LEFT, rows * HEIGHT + TOP + 20];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>A run in a terminal: the agent fixes a function, asks before it removes a file, and says what it changed</title>
<rect width="${width}" height="${height}" rx="10" fill="${GROUND}"/>
<g fill="#4c4740"><circle cx="22" cy="22" r="6"/><circle cx="42" cy="22" r="6"/><circle cx="62" cy="22" r="6"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${INK}" xml:space="preserve">
${lines.map((spans, row) => spans.map((span) => span.replaceAll("ROW", String(TOP + (row + 0.75) * HEIGHT))).join("")).join("\n")}
</g>
</svg>
`;
}

/** The spans of equal style of a row, as elements whose place is `ROW`. */
function lineOf(terminal: Terminal, row: number): string[] {
  const line = terminal.buffer.active.getLine(row);
  const spans: { at: number; style: string; text: string }[] = [];
  for (let column = 0; line && column < COLUMNS; column += 1) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const [style, text] = [styleOf(cell), cell.getChars() || " "];
    const previous = spans.at(-1);
    if (previous?.style === style) previous.text += text;
    else spans.push({ at: column, style, text });
  }
  return spans
    .filter(({ text }) => text.trim() !== "")
    .map(({ at: start, style, text: whole }) => {
      const text = whole.trim();
      const at = start + whole.indexOf(text);
      const width = ([...text].length * WIDTH).toFixed(1);
      const place = `x="${(LEFT + at * WIDTH).toFixed(1)}" y="ROW" textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
      return `<text ${place}${style}>${escaped(text)}</text>`;
    });
}

function styleOf(cell: IBufferCell): string {
  const bold = cell.isBold() ? ' font-weight="650"' : "";
  const colour = cell.isFgDefault() ? (cell.isDim() ? DIM : undefined) : colourOf(cell);
  return `${colour ? ` fill="${colour}"` : ""}${bold}`;
}

function colourOf(cell: IBufferCell): string | undefined {
  const number = cell.getFgColor();
  if (cell.isFgRGB()) return `#${number.toString(16).padStart(6, "0")}`;
  if (number === 8) return DIM;
  return number < 16 ? colours[number % 8] : undefined;
}

/** The names of folders of this machine tell nothing to others. */
const withoutPlaces = (text: string): string =>
  text.replaceAll(home, "~").replaceAll(`${process.execPath} ${program}`, "spoor");

/** Spaces that do not break are kept, wherever the picture is shown. */
const escaped = (text: string): string =>
  text.replaceAll(" ", "\u00a0").replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const home = mkdtempSync(path.join(tmpdir(), "spoor-terminal-"));
try {
  writeFileSync(target, drawing(await record()));
  console.log(path.relative(process.cwd(), target));
} finally {
  rmSync(home, { recursive: true, force: true });
}
