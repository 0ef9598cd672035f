import { setImmediate } from "node:timers/promises";
import type { HostNote } from "../agents/host.ts";
import type { Answer, Driver, LaunchRequest } from "../agents/machine.ts";
import type { ProcessExit, WireEntry } from "../assemble/wire-line.ts";
import { frameText } from "../process/content-length.ts";
import type { OutputLine } from "../process/process-output.ts";
import { type ProcessHandle, spawnProcess } from "../process/spawn.ts";
import { spawnAfter } from "../process/spawn-after.ts";
import { agentEnvironment, commandEnvironment } from "./agent-environment.ts";
import { lineLimits, piecesOf } from "./line-pieces.ts";
import type { PauseGate } from "./pause-gate.ts";
import type { ProgramSetup } from "./run-setup.ts";
import { Workspace } from "./workspace/workspace.ts";

/** An event of the process: `opened` when its first frames are written and reading begins, or a wire entry. */
export type AgentProcessEvent = { from: "opened" } | Exclude<WireEntry, { from: "exit" }>;

export interface AgentProcessOptions extends ProgramSetup {
  runId: string;
  request: LaunchRequest;
  /** The process starts once this resolves. */
  before?: PromiseLike<unknown>;
  /** Nothing is read while it is closed. */
  gate: PauseGate;
}

/** The next line is not read before the returned promise resolves. */
export type OnAgentProcessEvent = (event: AgentProcessEvent) => Promise<unknown> | undefined;

/** After handling lines for this many milliseconds, the pipes are read again, so that the agent does not block on them. */
const SLICE_MS = 2;

/** One OS process of an agent, with the driver that writes to it, the framing of its messages and its workspace. */
export class AgentProcess {
  readonly #process: ProcessHandle;
  readonly #driver: Driver;
  readonly #workspace: Workspace;
  readonly #gate: PauseGate;
  readonly #on: OnAgentProcessEvent;
  readonly #frame: (text: string) => string;
  /** Sources whose current line is too long and comes in pieces. */
  readonly #longLines = new Set<OutputLine["source"]>();

  /** Starts the process; `run` does the rest. */
  constructor(options: AgentProcessOptions, on: OnAgentProcessEvent) {
    const { dialect, request, runId, gate } = options;
    const launch = dialect.live.launch(request);
    const [command = dialect.live.command, ...first] = options.command ?? [];
    const env = agentEnvironment(options, launch);
    this.#gate = gate;
    this.#on = on;
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
      mark: runId,
      ...lineLimits,
      dropsOnBackpressure: launch.dropsOnBackpressure,
    };
    this.#process = options.before ? spawnAfter(options.before, program) : spawnProcess(program);
    this.#workspace = new Workspace({
      runId,
      cwd: request.cwd,
      approve: request.approve,
      environmentOf: (set) => commandEnvironment(options, set),
      note: (note) => this.#note(note),
      write: (frames) => this.#write(frames),
    });
  }

  /**
   * Writes the driver's first frames and reads the process to its end. Resolves when the process and everything that ran
   * for it in the workspace is gone.
   */
  async run(): Promise<ProcessExit> {
    let failed = {};
    try {
      await this.#read();
    } catch (fault) {
      // A bug in Spoor must not leave a running process or a run without an end.
      this.#process.kill();
      failed = { fault };
    }
    const { code, signal, error } = await this.#process.exited;
    await this.#workspace.close();
    return { code, signal, ...(error && { error: error.message }), ...failed };
  }

  answer(nativeId: string, answer: Answer): void {
    if (!this.#workspace.answer(nativeId, answer)) this.#write(this.#driver.answer?.(nativeId, answer) ?? []);
  }

  /** Denies a question of the workspace that was closed without an answer. */
  withdraw(nativeId: string): void {
    this.#workspace.answer(nativeId, { granted: false });
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

  /**
   * Asks the agent to stop: with frames if its dialect has them, otherwise with SIGINT. A process that has not started yet
   * is not started.
   */
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

  setPaused(paused: boolean): void {
    this.#workspace.setPaused(paused);
    if (paused) this.#process.pause();
    else this.#process.resume();
  }

  async #read(): Promise<void> {
    this.#write(this.#driver.open());
    await this.#on({ from: "opened" });
    let wait: Promise<unknown> | undefined;
    let since = performance.now();
    for await (const line of this.#process.output) {
      if (wait) await wait;
      if (this.#gate.opened) await this.#gate.opened;
      wait = this.#receive(line);
      if (performance.now() - since > SLICE_MS) {
        await setImmediate();
        since = performance.now();
      }
    }
  }

  #receive(output: OutputLine): Promise<unknown> | undefined {
    const { source, line, continues } = output;
    if (continues || this.#longLines.has(source)) return this.#receivePart(output);
    if (source === "stderr") return this.#on({ from: "stderr", text: line });
    // The driver must see a question before anybody can answer it.
    const replies = this.#driver.receive?.(line) ?? [];
    const wait = this.#on({ from: "stdout", text: line });
    this.#write(replies);
    for (const request of this.#driver.requests?.() ?? []) this.#workspace.accept(request);
    if (this.#driver.hasGivenUp) this.endInput();
    return wait;
  }

  #receivePart({ source, line, continues }: OutputLine): Promise<unknown> | undefined {
    if (continues) this.#longLines.add(source);
    else this.#longLines.delete(source);
    let wait: Promise<unknown> | undefined;
    for (const { text, isLast } of piecesOf(line)) {
      wait = this.#on({ from: source, text, piece: continues || !isLast ? "more" : "last" });
    }
    return wait;
  }

  #note(note: HostNote): Promise<unknown> | undefined {
    const wait = this.#on({ from: "host", note });
    return this.#gate.opened ?? wait;
  }

  #write(frames: readonly string[]): void {
    for (const text of frames) {
      // A process that has closed its input ends soon; its exit gives a better reason than the failed write.
      void this.#process.write(this.#frame(text));
      void this.#on({ from: "stdin", text });
    }
  }
}
