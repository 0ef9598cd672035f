import { stripVTControlCharacters } from "node:util";
import { columnsOf, cutStart } from "../output/columns.ts";
import type { Display } from "../output/display.ts";
import type { Line } from "../output/line.ts";
import { layout } from "../output/line.ts";
import type { Screen } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import type { Keyboard } from "./keyboard.ts";

/** Where a person is asked. */
export interface Desk {
  display: Display;
  /** The screen of standard error, where questions are. */
  screen: Screen;
  keyboard: Keyboard;
  /** Shows what led to a question. */
  showTrail?(): void;
}

/** The input ended without an answer. */
export const ENDED: unique symbol = Symbol("ended");

export type Given = { approve: true } | { deny: true; reason?: string };

/** Asks for a decision by one key. Resolves to undefined when somebody else decided, and to ENDED when the input ends. */
export async function askDecision(desk: Desk, signal: AbortSignal): Promise<Given | typeof ENDED | undefined> {
  for (let drawnAt = Date.now(); ; drawnAt = Date.now()) {
    prompt(desk, keys(desk.showTrail !== undefined));
    let key = await readKey(desk, signal, drawnAt);
    while (key === UNCLEAR) {
      prompt(desk, keys(desk.showTrail !== undefined));
      key = await readKey(desk, signal, drawnAt);
    }
    if (key === undefined || key === ENDED) return key;
    answer(desk, key);
    if (key === "y") return { approve: true };
    if (key === "n") return { deny: true };
    if (key === "v") desk.showTrail?.();
    else {
      const reason = await readText(desk, signal, [{ text: "Why not?", role: "strong" }, "›"], true);
      if (reason === undefined || reason === ENDED) return reason;
      if (reason !== ESCAPED) return { deny: true, ...(reason.trim() !== "" && { reason: reason.trim() }) };
    }
  }
}

/** Asks for a line of text. */
export function askText(desk: Desk, signal: AbortSignal): Promise<string | typeof ENDED | undefined> {
  return readText(desk, signal, ["›"], false);
}

const keys = (hasTrail: boolean): Line => [
  { text: "y", role: "strong" },
  "allow",
  { text: "n", role: "strong", join: "  " },
  "deny",
  { text: "r", role: "strong", join: "  ", leaves: 1 },
  { text: "deny with a reason", leaves: 1 },
  ...(hasTrail
    ? [
        { text: "v", role: "strong" as const, join: "  ", leaves: 2 },
        { text: "what led here", leaves: 2 },
      ]
    : []),
  "›",
];

/** Writes the end of a question; the cursor stays behind it, and behind what is typed. */
function prompt({ display, screen }: Desk, line: Line, typed: () => string = () => ""): void {
  const { style } = screen;
  screen.endLine();
  display.answerLine(() => {
    const asked = `${layout(line, style, style.columns - 1)} `;
    const room = style.columns - columnsOf(stripVTControlCharacters(asked));
    return `${asked}${style.plain(cutStart(visible(typed()), room - (style.isAscii ? 2 : 0)))}`;
  });
}

function answer({ display, screen }: Desk, key: keyof typeof words): void {
  display.answerLine(undefined);
  display.write("stderr", `${screen.style.plain(words[key])}\n`);
}

const words = { y: "allowed", n: "denied", r: "deny with a reason", v: "what led here" } as const;

/** Keys count from half a second after the question was drawn: before that, they were meant for something else. */
function readKey(
  desk: Desk,
  signal: AbortSignal,
  drawnAt: number,
): Promise<keyof typeof words | typeof UNCLEAR | typeof ENDED | undefined> {
  return read(desk, signal, (text, done) => {
    if (text === undefined) return done(ENDED);
    const isEarly = Date.now() - drawnAt < UNREAD_MS;
    // A longer text was pasted, or meant for something else.
    const typed = text.trim().toLowerCase();
    const key = typed === "yes" ? "y" : typed === "no" ? "n" : typed;
    if (!isEarly && (key === "y" || key === "n" || key === "r" || (key === "v" && desk.showTrail))) done(key);
    // A key does nothing then. But a whole line has moved the cursor away from the question, so it is asked again.
    else if (!desk.keyboard.isRaw) done(UNCLEAR);
  });
}

/** Reads a line. In raw mode, this shows what is typed; Escape gives up. */
function readText(
  desk: Desk,
  signal: AbortSignal,
  line: Line,
  canEscape: boolean,
): Promise<string | typeof ENDED | undefined> {
  const { display, keyboard } = desk;
  let typed = "";
  const endLine = () => {
    display.renewAnswer();
    display.answerLine(undefined);
    display.write("stderr", "\n");
  };
  prompt(desk, line, () => typed);
  return read(desk, signal, (text, done) => {
    if (text === undefined) return done(ENDED);
    if (!keyboard.isRaw) {
      typed += text;
      if (typed.includes("\n")) done(typed.slice(0, typed.indexOf("\n")).replace(/\r$/, ""));
      return;
    }
    if (text === "\u001b" && canEscape) {
      endLine();
      return done(ESCAPED);
    }
    for (const character of text.replaceAll(SPECIAL_KEYS, "")) {
      if (character === "\r" || character === "\n") {
        endLine();
        return done(typed);
      }
      if (character === "\u007f" || character === "\b") typed = typed.replace(/\P{M}\p{M}*$/u, "");
      else if (character >= " ") typed += character;
    }
    display.renewAnswer();
  });
}

/** Listens to the keyboard until `take` is done, or until the signal says that nothing is asked any more. */
function read<T>(
  { keyboard, display }: Desk,
  signal: AbortSignal,
  take: (text: string | undefined, done: (value: T) => void) => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const finish = (value: T | undefined) => {
      stop();
      signal.removeEventListener("abort", onAbort);
      display.answerLine(undefined);
      resolve(value);
    };
    const onAbort = () => {
      display.dropAnswer();
      finish(undefined);
    };
    const stop = keyboard.listen((text) => take(text, finish));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) finish(undefined);
    else if (keyboard.isEnded) take(undefined, finish);
  });
}

/** The line that was typed is no answer. */
const UNCLEAR = "unclear";
/** The person gave up writing. It cannot be typed. */
const ESCAPED = "\u001b";
const UNREAD_MS = 500;
/** Arrows and other special keys do nothing here. */
const SPECIAL_KEYS = new RegExp(`${ESCAPED}(\\[[0-9;]*[ -/]*[@-~]|O.|.)?`, "gu");
