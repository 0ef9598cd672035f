import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import xterm from "@xterm/headless";

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A program in a real pseudo-terminal, and the screen that a person sees. */
export interface OpenedTerminal {
  /** Everything that the terminal received. */
  raw(): string;
  /** The rows of the screen and those above it, without spaces at their ends. */
  rows(): string[];
  /** The rows as one text. */
  text(): string;
  /** The rows that the terminal made because a line was too long for it. */
  wrapped(): string[];
  /** Whether the cursor is shown, and whether long lines wrap. */
  modes(): { isCursorShown: boolean; wraps: boolean };
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the screen matches. */
  shows(pattern: RegExp, ms?: number): Promise<void>;
  /** The settings of the terminal, such as `echo`. */
  settings(): string;
  readonly exited: Promise<number>;
  close(): void;
}

/** Runs a command line of a shell in a pseudo-terminal. */
export async function openTerminal(line: string, options: TerminalOptions): Promise<OpenedTerminal> {
  const { columns = 80, rows = 24, cwd, env } = options;
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-terminal-"));
  const device = path.join(folder, "device");
  const status = path.join(folder, "status");
  // The shell stays, so that the settings of the terminal can be read when the program has ended.
  const script = `stty cols ${columns} rows ${rows}; tty > ${device}; ( ${line} ); echo $? > ${status}; stty -a > ${folder}/end; printf '\\033]777;end\\007'; read -r _`;
  const child = spawn("script", ["-qec", script, "/dev/null"], { cwd, env: { TERM: "xterm-256color", ...env } });
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    raw += chunk;
    screen.write(chunk);
  });
  const until = async (isDue: () => boolean, what: string, ms: number): Promise<void> => {
    for (const end = Date.now() + ms; !isDue(); await sleep(20))
      if (Date.now() > end) throw new Error(`${what} did not come. The screen is:\n${text()}`);
  };
  const rowsOf = (): string[] => {
    const { active } = screen.buffer;
    const all = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? "");
    while (all.at(-1) === "") all.pop();
    return all;
  };
  const text = () => rowsOf().join("\n");
  await until(() => existsSync(device), "The terminal", 10_000);
  const file = () => readFileSync(device, "utf8").trim();
  const exited = (async () => {
    // Everything that was printed before must be on the screen.
    await until(() => raw.includes(END), "The end of the program", 120_000);
    await new Promise<void>((resolve) => screen.write("", resolve));
    return Number(readFileSync(status, "utf8"));
  })();
  exited.catch(() => {});
  return {
    raw: () => raw.replace(END, ""),
    rows: rowsOf,
    text,
    wrapped() {
      const { active } = screen.buffer;
      const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y));
      return lines.flatMap((line) => (line?.isWrapped ? [line.translateToString(true)] : []));
    },
    modes: () => ({ isCursorShown: isShown(raw), wraps: screen.modes.wraparoundMode }),
    type: (typed) => child.stdin.write(typed),
    resize(cols, height) {
      screen.resize(cols, height);
      spawnSync("stty", ["-F", file(), "cols", String(cols), "rows", String(height)]);
    },
    shows: (pattern, ms = 60_000) => until(() => pattern.test(text()), String(pattern), ms),
    settings: () => readFileSync(path.join(folder, "end"), "utf8"),
    exited,
    close() {
      child.stdin.end("\n");
      child.kill("SIGKILL");
      void once(child, "exit").then(() => {
        screen.dispose();
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      });
    },
  };
}

/** Whether the last code about the cursor shows it. */
const isShown = (raw: string): boolean => raw.lastIndexOf("\u001b[?25h") >= raw.lastIndexOf("\u001b[?25l");

/** What the shell prints when the program has ended. A terminal shows nothing of it. */
const END = "\u001b]777;end\u0007";
