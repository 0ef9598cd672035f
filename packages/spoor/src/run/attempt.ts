import { setImmediate } from "node:timers/promises";
import type { HostNote } from "../agents/host.ts";
import { parseObject } from "../agents/kit/json-values.ts";
import type { Answer, Dialect, LaunchRequest, LiveDialect } from "../agents/machine.ts";
import type { Signal } from "../agents/signal.ts";
import { LastWords } from "../assemble/stderr-tail.ts";
import { frameText } from "../process/content-length.ts";
import { type ProcessEnd, type ProcessHandle, spawnProcess } from "../process/spawn.ts";
import { spawnAfter } from "../process/spawn-after.ts";
import { agentEnvironment, commandEnvironment, type EnvironmentChoice } from "./agent-environment.ts";
import { LongLines, lineLimits } from "./long-line.ts";
import type { RunObserver } from "./observer.ts";
import { Workspace } from "./workspace/workspace.ts";

export interface ProgramOptions extends EnvironmentChoice {
  dialect: Dialect & { live: LiveDialect };
  /** The program and what comes before its arguments, when it is not on the PATH under its own name. */
  command?: readonly string[];
  gracePeriodMs?: number;
}

export interface AttemptOptions extends ProgramOptions {
  runId: string;
  request: LaunchRequest;
  /** The process starts once this resolves. */
  before?: PromiseLike<unknown>;
  /** Never throws. */
  observer?: Pick<RunObserver, "onLine" | "room">;
  /** Takes what was read or written, as signals. */
  tell(signals: readonly Signal[], raw?: string): void;
  /** Awaited once the process is up, before anything is read. */
  ready(): Promise<void>;
  /** What to wait for before the next line; `undefined` is nothing. */
  room(): Promise<void> | undefined;
}

export interface AttemptEnd extends ProcessEnd {
  /** A fault of our own, which ended the process. */
  fault?: unknown;
}

/** For so long lines are worked at before the pipes are looked at again. */
const SLICE_MS = 2;

/**
 * One agent process under way: lines in, signals out; frames to it, each of them seen by the machine as a recording of
 * both directions would show it.
 */
export class Attempt {
  readonly ended: Promise<AttemptEnd>;
  readonly #options: AttemptOptions;
  readonly #process: ProcessHandle;
  readonly #driver: ReturnType<LiveDialect["createDriver"]>;
  readonly #machine: ReturnType<Dialect["createMachine"]>;
  readonly #workspace: Workspace;
  /** A frame as it goes on the wire. */
  readonly #frame: (text: string) => string;
  readonly #lastWords = new LastWords();

  constructor(options: AttemptOptions) {
    const { dialect, request } = options;
    this.#options = options;
    this.#machine = dialect.createMachine();
    const launch = dialect.live.launch(request);
    const [command = dialect.live.command, ...first] = options.command ?? [];
    const env = agentEnvironment(options, launch);
    this.#driver = dialect.live.createDriver({ ...request, environment: env });
    this.#frame = launch.framing === "content-length" ? frameText : (text) => `${text}\n`;
    const program = {
      command,
      args: [...first, ...launch.args],
      cwd: request.cwd,
      stdin: launch.stdin,
      framing: launch.framing,
      env,
      gracePeriodMs: options.gracePeriodMs,
      mark: options.runId,
      ...lineLimits,
      dropsOnBackpressure: launch.dropsOnBackpressure,
    };
    this.#process = options.before ? spawnAfter(options.before, program) : spawnProcess(program);
    this.#workspace = new Workspace({
      runId: options.runId,
      cwd: request.cwd,
      approve: request.approve,
      environmentOf: (set) => commandEnvironment(options, set),
      tell: (signals) => {
        this.#note({ told: signals });
        options.tell(signals);
      },
      did: (fact) => {
        this.#note({ hosted: fact });
        options.tell(this.#machine.hosted?.(fact) ?? []);
      },
      write: (frames) => this.#write(frames),
      room: () => options.room(),
    });
    this.ended = this.#run().finally(() => this.#workspace.close());
  }

  answer(nativeId: string, answer: Answer): void {
    if (!this.#workspace.answer(nativeId, answer)) this.#write(this.#driver.answer?.(nativeId, answer) ?? []);
  }

  get canFollow(): boolean {
    return this.#driver.follow !== undefined;
  }

  follow(prompt: string): void {
    this.#workspace.prompted();
    this.#write(this.#driver.follow?.(prompt) ?? []);
  }

  endInput(): void {
    if (this.#driver.endsWithInput) this.#process.endInput();
    else this.#process.terminate();
  }

  /** Asks the agent to stop: in its own words where it has some, else by a signal. One that has not started never does. */
  interrupt(): void {
    if (this.#process.pid === undefined) {
      this.#process.interrupt();
      return;
    }
    this.#workspace.interrupt();
    const frames = this.#driver.interrupt?.();
    if (frames && frames.length > 0) this.#write(frames);
    else this.#process.interrupt();
  }

  terminate(): void {
    this.#process.terminate();
  }

  /** A question was closed without an answer: nobody can give one any more. */
  withdraw(nativeId: string): void {
    this.#workspace.answer(nativeId, { granted: false });
  }

  setPaused(paused: boolean): void {
    this.#workspace.setPaused(paused);
    if (paused) this.#process.pause();
    else this.#process.resume();
  }

  /** What the end of the process tells. */
  exit({ code, signal }: AttemptEnd): Signal[] {
    return this.#lastWords.giveTo(this.#machine.exit(code, signal));
  }

  async #run(): Promise<AttemptEnd> {
    let failed = {};
    try {
      await this.#read();
    } catch (fault) {
      // A fault of our own must not leave a process behind, nor a run without an end.
      this.#process.kill();
      failed = { fault };
    }
    const end = await this.#process.exited;
    this.#options.observer?.onLine?.({ from: "exit", text: JSON.stringify({ code: end.code, signal: end.signal }) });
    return { ...end, ...failed };
  }

  async #read(): Promise<void> {
    const { tell, ready, room, observer } = this.#options;
    this.#write(this.#driver.open());
    await ready();
    const long = new LongLines((piece) => observer?.onLine?.(piece));
    let since = performance.now();
    for await (const entry of this.#process.output) {
      const wait = room() ?? observer?.room?.();
      if (wait) await wait;
      if (long.take(entry, tell)) continue;
      const { source, line } = entry;
      observer?.onLine?.({ from: source, text: line });
      if (source === "stderr") {
        this.#lastWords.add(line);
        tell(this.#machine.stderr?.(line) ?? [{ kind: "log", source, line }]);
      } else {
        // The driver sees a question before anybody can answer it.
        const replies = this.#driver.receive?.(line) ?? [];
        tell(this.#machine.line(line), line);
        this.#write(replies);
        for (const request of this.#driver.requests?.() ?? []) this.#workspace.accept(request);
        if (this.#driver.hasGivenUp) this.endInput();
      }
      // Reading goes before working: an agent must not stand before a full pipe while we work at what is here.
      if (performance.now() - since > SLICE_MS) {
        await setImmediate();
        since = performance.now();
      }
    }
  }

  /** What the workspace does stands on no line, so that observers get one for it, as a frame no agent knows. */
  #note(work: HostNote): void {
    this.#options.observer?.onLine?.({ from: "stdin", text: JSON.stringify({ spoor_host: work }) });
  }

  #write(frames: readonly string[]): void {
    for (const frame of frames) {
      // A process that has closed its input ends by itself soon; its exit tells more than the failed write.
      void this.#process.write(this.#frame(frame));
      this.#options.observer?.onLine?.({ from: "stdin", text: frame });
      const value = parseObject(frame);
      if (value) this.#options.tell(this.#machine.sent?.(value) ?? []);
    }
  }
}
