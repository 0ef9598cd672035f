import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";
import type { Display } from "../output/display.ts";

type Stdin = Readable & Partial<Pick<ReadStream, "setRawMode" | "isTTY">>;

/**
 * The keyboard of the person at the terminal. While a run is shown, keys are not echoed, because that would break the lines
 * at the end of the screen. What is typed while nobody asks is dropped; Ctrl-C, Ctrl-Z and Ctrl-\ do what they always do.
 */
export class Keyboard {
  readonly #stdin: Stdin;
  readonly #display: Display;
  readonly #decoder = new StringDecoder("utf8");
  #isRaw = false;
  #isListening = false;
  #listener: ((text: string | undefined) => void) | undefined;

  constructor(stdin: Readable, display: Display) {
    this.#stdin = stdin;
    this.#display = display;
  }

  /** Whether keys arrive one by one; otherwise whole lines do. */
  get isRaw(): boolean {
    return this.#isRaw;
  }

  get isEnded(): boolean {
    return this.#stdin.readableEnded;
  }

  /** Stops the echo, if this is a terminal on which lines are kept at the end of the screen. */
  start(): void {
    if (!this.#display.canDraw || this.#stdin.isTTY !== true || !this.#stdin.setRawMode) return;
    this.#display.guard();
    this.#setRaw(true);
    this.#attach();
    process.on("exit", this.#onExit);
    process.on("SIGCONT", this.#onContinue);
    process.on("SIGQUIT", this.#onQuit);
  }

  /** Gives what is typed to a listener, and undefined when the input ends. The returned function stops that. */
  listen(listener: (text: string | undefined) => void): () => void {
    this.#listener = listener;
    this.#attach();
    return () => {
      this.#listener = undefined;
      if (!this.#isRaw) this.#detach();
    };
  }

  stop(): void {
    this.#listener = undefined;
    process.off("exit", this.#onExit);
    process.off("SIGCONT", this.#onContinue);
    process.off("SIGQUIT", this.#onQuit);
    this.#setRaw(false);
    this.#detach();
  }

  #attach(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#stdin.on("data", this.#onData);
    this.#stdin.on("end", this.#onEnd);
    // When the window of a terminal is closed, reading fails. The SIGHUP that comes with it ends the run. That can happen at
    // any time, so this listener stays; it is added only once, however many questions are asked.
    this.#stdin.off("error", this.#onEnd);
    this.#stdin.on("error", this.#onEnd);
    this.#stdin.resume();
  }

  #detach(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    this.#stdin.off("data", this.#onData);
    this.#stdin.off("end", this.#onEnd);
    this.#stdin.pause();
  }

  #setRaw(isRaw: boolean): void {
    if (this.#isRaw === isRaw) return;
    this.#isRaw = isRaw;
    try {
      this.#stdin.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone.
    }
  }

  readonly #onExit = (): void => this.#setRaw(false);
  readonly #onEnd = (): void => this.#listener?.(undefined);
  /** SIGQUIT (Ctrl-\) ends the process at once, but not before the terminal is restored. */
  readonly #onQuit = (): void => {
    this.stop();
    this.#display.close();
    process.kill(process.pid, "SIGQUIT");
  };
  readonly #onContinue = (): void => {
    this.#isRaw = false;
    this.#setRaw(true);
  };

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    // Keys that were pressed quickly arrive together.
    const key = Object.keys(signals).find((each) => text.includes(each));
    const signal = this.#isRaw && key !== undefined ? signals[key] : undefined;
    if (signal === "SIGTSTP") this.#setRaw(false);
    if (signal !== undefined) process.kill(process.pid, signal);
    else if (text.includes(END_OF_INPUT)) this.#listener?.(undefined);
    else this.#listener?.(text);
  };
}

/** What these keys do in a terminal. */
const signals: Readonly<Record<string, NodeJS.Signals>> = {
  "\u0003": "SIGINT",
  "\u001a": "SIGTSTP",
  "\u001c": "SIGQUIT",
};
const END_OF_INPUT = "\u0004";
