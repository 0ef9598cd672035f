import type { HostAction, HostNote, HostOutcome, HostRequest } from "../../agents/host.ts";
import type { Answer, LaunchRequest } from "../../agents/machine.ts";
import type { Environment } from "../../process/environment.ts";
import { withMark } from "../../process/run-mark.ts";
import { Questions } from "./questions.ts";
import { Terminal } from "./terminal.ts";
import { failureOf, WorkspaceError } from "./workspace-error.ts";

export interface WorkspaceOptions {
  runId: string;
  cwd: string;
  approve: LaunchRequest["approve"];
  /** The environment of a command for which the agent sets these variables. */
  environmentOf(set: Environment): Environment;
  /** Receives a note of each action that was carried out. The next note of a command waits for the returned promise. */
  note(note: HostNote): Promise<unknown> | undefined;
  write(frames: readonly string[]): void;
}

/** Carries out the agent's requests to its host: reads and writes files and runs commands, with permission. */
export class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #questions: Questions;
  readonly #terminals = new Map<string, Terminal>();
  /** Terminals that were released and still run. */
  readonly #leaving = new Set<Terminal>();
  #started = 0;
  #writes: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#questions = new Questions(options);
  }

  accept(request: HostRequest): void {
    void this.#outcome(request).then((outcome) => {
      if (!this.#isClosed) this.#options.write(request.reply(outcome));
    });
  }

  /** Returns whether the question was one of the workspace. */
  answer(id: string, answer: Answer): boolean {
    return this.#questions.answer(id, answer);
  }

  /** Call this when the agent is asked to stop. Cancels open questions, and those asked before the next prompt. */
  interrupt(): void {
    this.#questions.cancel();
  }

  prompted(): void {
    this.#questions.isCancelled = false;
  }

  setPaused(paused: boolean): void {
    for (const terminal of this.#terminals.values()) terminal.setPaused(paused);
  }

  /** Kills everything that runs for the agent, and resolves when it is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#questions.cancel();
    const terminals = [...this.#terminals.values(), ...this.#leaving];
    for (const terminal of terminals) terminal.kill();
    await Promise.all(terminals.map(({ exited }) => exited));
  }

  async #outcome(request: HostRequest): Promise<HostOutcome> {
    try {
      return await this.#serve(request);
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  async #serve({ action, isPermitted }: HostRequest): Promise<HostOutcome> {
    const { cwd } = this.#options;
    switch (action.do) {
      case "read":
        return { content: await (await files()).readText(cwd, action.path, action) };
      case "write":
        return this.#permitAndWrite(action, isPermitted);
      case "run":
        return { terminal: await this.#run(action, isPermitted) };
      default:
        return this.#control(action);
    }
  }

  /** Checks the path first: nobody is asked about a write that is refused anyway. */
  async #permitAndWrite(action: Extract<HostAction, { do: "write" }>, isPermitted: boolean): Promise<HostOutcome> {
    const { cwd, note } = this.#options;
    const { diffOfWrite, resolveInside, protectionOf, writeText } = await files();
    const { path, content } = action;
    const permitted = await resolveInside(cwd, path);
    const protection = await protectionOf(cwd, permitted);
    await this.#questions.permit(action, isPermitted, { protection, diff: () => diffOfWrite(cwd, path, content) });
    this.#writes = this.#writes
      .catch(() => {})
      .then(async () => {
        if (this.#isClosed) throw ended();
        const { existed, before } = await writeText(cwd, path, content, permitted);
        void note({ hosted: { kind: "wrote", path, existed, ...(before !== undefined && { before }) } });
      });
    await this.#writes;
    return {};
  }

  async #run(action: Extract<HostAction, { do: "run" }>, isPermitted: boolean): Promise<string> {
    const { runId, cwd, environmentOf, note } = this.#options;
    const where = await (await files()).resolveInside(cwd, action.cwd ?? cwd);
    await this.#questions.permit(action, isPermitted);
    if (this.#isClosed) throw ended();
    const id = `terminal-${++this.#started}`;
    const { command, args, byteLimit } = action;
    const terminal = await Terminal.start({
      ...{ command, args, byteLimit, cwd: where, env: withMark(environmentOf(action.env), runId) },
      mark: `${runId}-${id}`,
      onPrint: (stream, text) => note({ hosted: { kind: "printed", terminal: id, stream, text } }),
    });
    this.#terminals.set(id, terminal);
    if (this.#isClosed) terminal.kill();
    void terminal.exited.then(({ code }) => note({ hosted: { kind: "exited", terminal: id, exitCode: code ?? -1 } }));
    return id;
  }

  async #control(action: Extract<HostAction, { terminal: string }>): Promise<HostOutcome> {
    const terminal = this.#terminals.get(action.terminal);
    if (!terminal) throw new WorkspaceError("missing", `There is no terminal ${action.terminal}.`);
    if (action.do === "output") return { ...terminal.output, ...(terminal.exit && { exit: terminal.exit }) };
    if (action.do === "wait") return { exit: await terminal.exited };
    terminal.terminate();
    if (action.do === "release") {
      this.#terminals.delete(action.terminal);
      this.#leaving.add(terminal);
      await terminal.exited;
      this.#leaving.delete(terminal);
    }
    return {};
  }
}

/** Loaded on demand, because most agents never ask for files. */
const files = () => import("./workspace-files.ts");

const ended = (): WorkspaceError => new WorkspaceError("cancelled", "The run has ended.");
