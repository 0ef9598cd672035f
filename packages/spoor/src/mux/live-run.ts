import type { AgentEvent } from "@spoor/protocol";
import { parseObject } from "../agents/json-machine.ts";
import type { Adapter, Answer, Dialect, LaunchRequest, LiveWire } from "../agents/machine.ts";
import type { Signal } from "../agents/signal.ts";
import { type Environment, scrubEnvironment } from "../process/environment.ts";
import { type ProcessHandle, spawnProcess } from "../process/spawn.ts";
import { createAssembler } from "./assembler/index.ts";
import type { EventHub } from "./event-hub.ts";
import { type Estimate, loadPrices } from "./prices.ts";

export interface LiveRunOptions {
  adapter: Adapter;
  dialect: Dialect & { live: LiveWire };
  request: LaunchRequest;
  hub: EventHub;
  runId: string;
  environment: Environment;
  /** The program and what comes before its arguments, when it is not on the PATH under its own name. */
  command?: readonly string[];
  /** Names of environment variables to let through besides those the agent is known to need. */
  passEnv?: readonly string[];
  stream: "auto" | true | false;
  debug: boolean;
  gracePeriodMs?: number;
  /** Sees every event before anybody else. */
  onEvent(event: AgentEvent): void;
  /** The agent waits for the next prompt. */
  onIdle(): void;
}

type Failure = Extract<Signal, { kind: "fail" }>["event"];

/**
 * One agent process under way: lines in, signals to the assembler, events to the hub; frames out, each of them seen by
 * the machine as a recording of both directions would show it.
 */
export class LiveRun {
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly #options: LiveRunOptions;
  readonly #process: ProcessHandle;
  readonly #driver: ReturnType<LiveWire["createDriver"]>;
  readonly #machine: ReturnType<Dialect["createMachine"]>;
  readonly #assembler: ReturnType<typeof createAssembler>;
  readonly #outgoing: AgentEvent[] = [];
  #isEmitting = false;
  #gate: PromiseWithResolvers<void> | undefined;
  #prices: Estimate | undefined;
  #failed: Failure | undefined;
  #stderr = "";

  constructor(options: LiveRunOptions) {
    const { adapter, dialect, request } = options;
    this.#options = options;
    this.#machine = dialect.createMachine();
    this.#driver = dialect.live.createDriver(request);
    this.#assembler = createAssembler({
      agent: adapter.name,
      runId: options.runId,
      cwd: request.cwd,
      stream: options.stream,
      streams: dialect.streams,
      canAsk: dialect.canAsk && request.approve === "ask",
      debug: options.debug,
      ...(request.noSession && { noSession: true }),
      ...(dialect.tokensOnly && { estimate: () => this.#prices }),
      ...(request.resume !== undefined && { resumed: true }),
      ...(request.fork !== undefined && { forkedFrom: request.fork }),
    });
    const launch = dialect.live.launch(request);
    const [command = dialect.live.command, ...first] = options.command ?? [];
    const allow = [...(launch.allow ?? []), ...(options.passEnv ?? [])];
    this.#process = spawnProcess({
      command,
      args: [...first, ...launch.args],
      cwd: request.cwd,
      stdin: launch.stdin,
      env: scrubEnvironment(options.environment, { allow, set: launch.set }),
      gracePeriodMs: options.gracePeriodMs,
    });
    this.ended = this.#run();
  }

  /** The id by which the agent knows a question of ours. */
  nativeId(interactionId: string): string | undefined {
    return this.#assembler.nativeId(interactionId);
  }

  answer(nativeId: string, answer: Answer): void {
    this.#write(this.#driver.answer?.(nativeId, answer) ?? []);
  }

  /** Whether the wire takes another prompt. */
  follow(prompt: string): boolean {
    if (!this.#driver.follow) return false;
    this.#write(this.#driver.follow(prompt));
    return true;
  }

  endInput(): void {
    if (this.#driver.endsWithInput) this.#process.endInput();
    else this.#process.terminate();
  }

  /** Asks the agent to stop: in its own words where it has some, else by a signal. */
  interrupt(): void {
    this.#failed ??= { type: "interrupted" };
    const frames = this.#driver.interrupt?.();
    if (frames && frames.length > 0) this.#write(frames);
    else this.#process.interrupt();
  }

  /** Ends the process tree, for this reason. */
  stop(reason: Failure): void {
    this.#failed ??= reason;
    this.#gate?.resolve();
    this.#process.terminate();
  }

  setPaused(paused: boolean): void {
    this.#tell([{ kind: "pause", paused }]);
    if (paused) {
      this.#process.pause();
      // What it had written before it stopped waits in the pipe.
      this.#gate = Promise.withResolvers();
    } else {
      this.#process.resume();
      this.#gate?.resolve();
      this.#gate = undefined;
    }
  }

  /** A word of ours about the run. */
  warn(message: string): void {
    this.#tell([{ kind: "note", level: "warn", message }]);
  }

  async #run(): Promise<{ code: number | null; signal: string | null }> {
    try {
      await this.#read();
    } catch (error) {
      // A fault of our own must not leave a process behind, nor a run without an end.
      this.#failed ??= { type: "error", code: "INTERNAL", message: String(error), recoverable: false };
      this.#process.kill();
    }
    const { code, signal, error } = await this.#process.exited;
    if (error) this.#tell([{ kind: "fail", event: { type: "crash", exitCode: -1, stderr: error.message } }]);
    // What we did to the agent is the cause of how it ended, whatever its last words were.
    else if (this.#failed && !this.#assembler.isEnded) this.#tell([{ kind: "fail", event: this.#failed }]);
    if (!error) this.#tell(this.#machine.exit(code, signal).map((told) => this.#withLastWords(told)));
    this.#emit(this.#assembler.finish());
    this.#options.hub.end();
    return { code, signal };
  }

  async #read(): Promise<void> {
    const { request, dialect } = this.#options;
    if (request.approve === "ask" && dialect.live.unasked !== undefined) this.warn(dialect.live.unasked);
    this.#write(this.#driver.open());
    // Here long before the model has answered.
    if (dialect.tokensOnly) this.#prices = await loadPrices();
    const carried = { stdout: "", stderr: "" };
    for await (const { source, line: piece, continues } of this.#process.output) {
      await this.#gate?.promise;
      // A line of hundreds of megabytes comes in pieces; it is one line all the same.
      const line = carried[source] + piece;
      carried[source] = continues ? line : "";
      if (continues) continue;
      if (source === "stderr") {
        this.#stderr = `${this.#stderr}${line}\n`.slice(-4_000);
        this.#tell(this.#machine.stderr?.(line) ?? [{ kind: "log", source, line }]);
      } else {
        // The driver sees a question before anybody can answer it.
        const replies = this.#driver.receive?.(line) ?? [];
        this.#tell(this.#machine.line(line), line);
        this.#write(replies);
      }
      await this.#options.hub.drained();
    }
  }

  /** A crash carries what the process last wrote to standard error, also where its wire has no eye for it. */
  #withLastWords(signal: Signal): Signal {
    if (signal.kind !== "fail" || signal.event.type !== "crash" || signal.event.stderr !== "") return signal;
    return { ...signal, event: { ...signal.event, stderr: this.#stderr } };
  }

  #write(frames: readonly string[]): void {
    for (const frame of frames) {
      // A process that has closed its input ends by itself soon; its exit tells more than the failed write.
      void this.#process.write(`${frame}\n`);
      const value = parseObject(frame);
      if (value) this.#tell(this.#machine.sent?.(value) ?? []);
    }
  }

  #tell(signals: readonly Signal[], raw?: string): void {
    if (signals.length === 0) return;
    this.#emit(this.#assembler.accept(signals, raw));
    if (signals.some(({ kind, child }) => kind === "promptDone" && child === undefined)) this.#options.onIdle();
  }

  /** A listener may answer at once, which makes further events: they come after those that are out already. */
  #emit(events: readonly AgentEvent[]): void {
    this.#outgoing.push(...events);
    if (this.#isEmitting) return;
    this.#isEmitting = true;
    for (let event = this.#outgoing.shift(); event; event = this.#outgoing.shift()) {
      this.#options.onEvent(event);
      this.#options.hub.push(event);
    }
    this.#isEmitting = false;
  }
}
