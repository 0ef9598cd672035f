import { stripVTControlCharacters } from "node:util";
import type { Io } from "../io.ts";
import { columnsOf } from "./columns.ts";
import { type Style, styleOf, type Terminal } from "./style.ts";
import { visible } from "./visible.ts";

type Stream = "stdout" | "stderr";

/**
 * Writes to standard output and standard error, and keeps some lines below everything else: what runs now, and the status
 * line. They are on standard error. They are taken away before something is printed, and at the end.
 *
 * While they are shown, the cursor stays where the next text goes and the lines are below it. So taking them away never erases
 * text, also if the terminal has moved lines because its size changed.
 */
export class Display {
  readonly out: Style;
  readonly err: Style;
  readonly #io: Pick<Io, Stream>;
  readonly #canDraw: boolean;
  readonly #isShared: boolean;
  #lines: (() => readonly string[]) | undefined;
  #waiting: [Stream, string][] = [];
  #timer: NodeJS.Timeout | undefined;
  #ticks: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  #isDrawn = false;
  #column = 0;
  #title: string | undefined;
  #isTouched = false;
  #endsLine = true;
  #isBlank = true;
  #isClosed = false;
  #isCursorShown = false;
  #answerLine: (() => string) | undefined;

  constructor(io: Pick<Io, Stream>) {
    this.#io = io;
    this.out = styleOf(io.stdout);
    this.err = styleOf(io.stderr);
    this.#canDraw = this.err.codes;
    this.#isShared = (io.stdout as Terminal).isTTY === true;
  }

  /** Whether lines can be kept below the text. */
  get canDraw(): boolean {
    return this.#canDraw;
  }

  /** Writes text. While lines are kept below it, it appears within a tenth of a second. */
  write(stream: Stream, text: string): void {
    if (text === "") return;
    // What goes to a file leaves no line on the terminal.
    if (stream === "stderr" || this.#isShared) {
      this.#isBlank = text === "\n" ? this.#endsLine : text.endsWith("\n\n");
      this.#endsLine = text.endsWith("\n");
    }
    if (!this.#lines || !this.#canDraw || this.#isClosed) {
      this.flush();
      this.#put(stream, text);
      return;
    }
    this.#waiting.push([stream, text]);
    this.#schedule();
  }

  /** Leaves a line free, unless the line before is free. */
  blank(stream: Stream): void {
    if (!this.#isBlank) this.write(stream, "\n");
  }

  /** Keeps these lines below the text from now on; they are asked for again and again. Undefined takes them away. */
  keep(lines: (() => readonly string[]) | undefined): void {
    if (!this.#canDraw || this.#isClosed) return;
    if (lines) this.guard();
    this.#lines = lines;
    clearInterval(this.#ticks);
    this.#ticks = lines && setInterval(() => this.refresh(), TICK_MS).unref();
    if (lines) this.refresh();
    else this.flush();
  }

  /** Draws the lines again soon, because they have changed. */
  refresh(): void {
    if (this.#lines) this.#schedule();
  }

  /** Writes everything that waits, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#erase();
    // Text goes above the line in which a person answers.
    const answerLine = waiting.length > 0 ? this.#answerLine : undefined;
    if (answerLine) this.#clearLine();
    let joined: [Stream, string] | undefined;
    for (const [stream, text] of waiting) {
      if (joined?.[0] === stream) joined[1] += text;
      else {
        if (joined) this.#put(...joined);
        joined = [stream, text];
      }
    }
    if (joined) this.#put(...joined);
    if (answerLine) this.#put("stderr", `${this.#column > 0 ? "\n" : ""}${answerLine()}`);
    this.#draw();
  }

  /**
   * Shows the line in which a person answers. It is written again when it changes and when the window does; the cursor stays
   * behind it. Undefined ends that: what is written next continues the line.
   */
  answerLine(line: (() => string) | undefined): void {
    this.flush();
    this.#answerLine = line;
    this.#isCursorShown = line !== undefined;
    if (line && !this.#canDraw) this.write("stderr", line());
    else if (line) this.renewAnswer();
    else this.flush();
  }

  /** Writes the line of the answer again, because it has changed. */
  renewAnswer(): void {
    if (!this.#answerLine || !this.#canDraw || this.#isClosed) return;
    this.#waiting.push(["stderr", ""]);
    this.flush();
  }

  /** Takes away the line of an answer that nobody waits for any more. */
  dropAnswer(): void {
    if (!this.#answerLine) return;
    this.flush();
    this.#erase();
    if (this.#canDraw) this.#clearLine();
    else this.#put("stderr", "\n");
    this.#answerLine = undefined;
    this.answerLine(undefined);
  }

  /** Sets the title of the terminal. The one before is restored at the end. */
  title(text: string): void {
    const title = visible(text).slice(0, LONGEST_TITLE).toWellFormed();
    if (!this.#canDraw || this.#isClosed || title === this.#title) return;
    this.guard();
    const save = this.#title === undefined ? "\u001b[22;2t" : "";
    this.#title = title;
    this.#io.stderr.write(`${save}\u001b]2;${title}\u0007`);
  }

  /** Leaves the terminal to the shell while the process is stopped (Ctrl-Z). */
  #suspend(): void {
    const lines = this.#lines;
    this.#lines = undefined;
    this.flush();
    this.#io.stderr.write(RESTORE);
    this.#lines = lines;
    clearInterval(this.#ticks);
  }

  /** Draws the lines again after that. The shell has left the cursor at the beginning of a line. */
  #resume(): void {
    this.#column = 0;
    this.keep(this.#lines);
    this.renewAnswer();
  }

  /** Takes away what only helps while a command runs, and restores the terminal. Text can still be written. */
  close(): void {
    if (this.#isClosed) return;
    this.#lines = undefined;
    clearInterval(this.#ticks);
    this.flush();
    this.#isClosed = true;
    if (!this.#isTouched) return;
    process.off("exit", this.#onExit);
    process.off("SIGWINCH", this.#onResize);
    process.off("SIGTSTP", this.#onStop);
    process.off("SIGCONT", this.#onContinue);
    for (const signal of ends) process.off(signal, this.#onSignal);
    this.#io.stderr.write(`${RESTORE}${this.#title === undefined ? "" : "\u001b[23;2t"}`);
  }

  /** From now on the terminal must be restored, however the process ends. */
  guard(): void {
    if (this.#isTouched) return;
    this.#isTouched = true;
    process.on("exit", this.#onExit);
    process.on("SIGWINCH", this.#onResize);
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#onContinue);
    for (const signal of ends) process.on(signal, this.#onSignal);
  }

  readonly #onExit = (): void => this.close();
  readonly #onResize = (): void => (this.#answerLine ? this.renewAnswer() : this.refresh());
  /** Without a listener, the signal stops the process. */
  readonly #onStop = (): void => {
    this.#suspend();
    process.off("SIGTSTP", this.#onStop);
    process.kill(process.pid, "SIGTSTP");
  };
  readonly #onContinue = (): void => {
    process.off("SIGTSTP", this.#onStop);
    process.on("SIGTSTP", this.#onStop);
    this.#resume();
  };
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    // Somebody else ends the command in its own way.
    if (process.listenerCount(signal) > 1) return;
    this.close();
    process.kill(process.pid, signal);
  };

  #schedule(): void {
    if (this.#timer) return;
    const wait = this.#drawnAt + LEAST_BETWEEN_MS - Date.now();
    if (wait <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), wait);
  }

  #put(stream: Stream, text: string): void {
    this.#io[stream].write(text);
    if (stream === "stdout" && !this.#isShared) return;
    const end = text.lastIndexOf("\n");
    const rest = columnsOf(stripVTControlCharacters(text.slice(end + 1)));
    this.#column = end === -1 ? this.#column + rest : rest;
  }

  #clearLine(): void {
    this.#io.stderr.write("\r\u001b[J");
    this.#column = 0;
  }

  #erase(): void {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    this.#io.stderr.write(`\u001b[${this.#column + 1}G\u001b[J`);
  }

  #draw(): void {
    const lines = this.#lines && this.err.rows >= LEAST_ROWS ? this.#lines() : [];
    this.#drawnAt = Date.now();
    const cursor = this.#isCursorShown || !this.#lines ? "\u001b[?25h" : "\u001b[?25l";
    if (lines.length === 0) {
      if (this.#isTouched) this.#io.stderr.write(cursor);
      return;
    }
    const below = this.#column > 0 ? "\n" : "";
    const up = lines.length - 1 + below.length;
    const back = `${up > 0 ? `\u001b[${up}A` : ""}\u001b[${this.#column + 1}G`;
    this.#isDrawn = true;
    // Without wrapping, a line that a smaller window cannot hold does not become two.
    this.#io.stderr.write(`\u001b[?25l\u001b[?7l${below}${lines.join("\n")}\u001b[?7h${back}${cursor}`);
  }
}

const ends = ["SIGTERM", "SIGHUP", "SIGQUIT"] as const;
/** The cursor is shown, long lines wrap, and text has no colour. */
const RESTORE = "\u001b[?25h\u001b[?7h\u001b[0m";
const LEAST_ROWS = 10;
const LEAST_BETWEEN_MS = 100;
const TICK_MS = 250;
const LONGEST_TITLE = 60;
