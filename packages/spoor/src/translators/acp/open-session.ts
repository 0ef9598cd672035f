import type { ContentBlock, McpServer, PromptResponse } from "@agentclientprotocol/sdk";
import type { StoredRun } from "../../log/records.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { TaskError } from "../../runtime/tasks/index.ts";
import { type Choices, DEFAULT_MODEL } from "./choices.ts";
import type { Editor } from "./editor.ts";
import { serversFor } from "./mcp-servers.ts";
import { EVENT_META } from "./messages.ts";
import type { OfferedAgent } from "./offered-agents.ts";
import type { Outcome } from "./outcome.ts";
import { promptText } from "./prompt-text.ts";
import { RunPlayer } from "./run-player.ts";

/** What a session begins with. */
export interface SessionStart {
  id: string;
  choices: Choices;
  /** Where its runs work, as a specification says it. */
  workspace: Readonly<Record<string, unknown>>;
  mcpServers: readonly McpServer[];
  offered: readonly OfferedAgent[];
  /** Fields of every run's specification. */
  defaults: Readonly<Record<string, unknown>>;
}

/** A prompt that was not answered yet. */
interface Prompt {
  isCancelled: boolean;
  /** Whether its run is being made or goes on. Before that, it waits for other runs of the session. */
  isStarted: boolean;
  cancelled: PromiseWithResolvers<void>;
  run_id?: string;
}

/** A session that an editor has open. Its prompts are answered one after the other. */
export class OpenSession {
  readonly start: SessionStart;
  choices: Choices;
  readonly #editor: Editor;
  readonly #prompts = new Set<Prompt>();
  /** A run that was started elsewhere, or before the editor was restarted. */
  #watched: string | undefined;
  /** Whether stored runs are being shown. */
  #isHeld = false;
  /** Resolves when nothing is being answered. */
  #idle: Promise<unknown> = Promise.resolve();
  readonly #stopWatching: () => void;
  readonly #closed = new AbortController();

  constructor(editor: Editor, start: SessionStart) {
    this.start = start;
    this.choices = start.choices;
    // For what is shown, a closed session is like an editor that is gone.
    this.#editor = { ...editor, gone: AbortSignal.any([editor.gone, this.#closed.signal]) };
    this.#stopWatching = editor.log.watchRows((table, key) => {
      if (table === "tasks" && key === start.id) void this.#lookForRuns();
    });
  }

  get id(): string {
    return this.start.id;
  }

  /** The runs that answer prompts of this session now. */
  get activeRuns(): string[] {
    const own = [...this.#prompts].flatMap(({ run_id }) => run_id ?? []);
    return this.#watched === undefined ? own : [...own, this.#watched];
  }

  get isAnswering(): boolean {
    return this.#prompts.size > 0;
  }

  /** Answers a prompt when those before it are answered. `aborted` aborts when the editor withdraws this one request. */
  async prompt(blocks: readonly ContentBlock[], aborted: AbortSignal): Promise<PromptResult> {
    const text = promptText(blocks);
    if (this.#prompts.size >= MAX_PROMPTS) {
      const message = `${MAX_PROMPTS} prompts of this session wait already. Wait for them, or cancel them.`;
      throw new TaskError("run_active", message);
    }
    const prompt: Prompt = { isCancelled: false, isStarted: false, cancelled: Promise.withResolvers() };
    this.#prompts.add(prompt);
    const onAbort = () => {
      if (!this.#editor.gone.aborted) this.#cancelPrompt(prompt);
    };
    aborted.addEventListener("abort", onAbort);
    const before = this.#idle;
    const answered = before.then(() => this.#answer(prompt, text)).finally(() => this.#prompts.delete(prompt));
    this.#idle = answered.catch(() => {});
    try {
      // A prompt that is cancelled while it waits for others does not wait any longer, nor one that cannot be cancelled.
      return await Promise.race([answered, prompt.cancelled.promise.then(() => CANCELLED)]);
    } finally {
      aborted.removeEventListener("abort", onAbort);
    }
  }

  /** Cancels all that goes on in the session. */
  cancel(): void {
    this.cancelPrompts();
    if (this.#watched !== undefined) void this.#cancelRun(this.#watched, (error) => this.#editor.note(error.message));
  }

  /** Cancels the prompts of this connection. */
  cancelPrompts(): void {
    for (const prompt of this.#prompts) this.#cancelPrompt(prompt);
  }

  /**
   * Lets prompts and runs of others wait while the stored runs are shown. Call what is returned when they are, with the run
   * that goes on, if there is one.
   */
  hold(): (active?: RunPlayer) => void {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#isHeld = true;
    this.#idle = this.#idle.then(() => promise);
    return (active) => {
      this.#isHeld = false;
      resolve(active && this.#watch(active));
      if (!active) void this.#lookForRuns();
    };
  }

  playerOf(run: Pick<StoredRun, "run_id" | "agent" | "model">, isOwn: boolean): RunPlayer {
    const models = this.start.offered.find(({ name }) => name === run.agent)?.models;
    return new RunPlayer(this.#editor, {
      run_id: run.run_id,
      isOwn,
      contextSizeOf: (model) => models?.find(({ id }) => id === model || id === run.model)?.contextSize,
      // The turn is over for the editor. A run that was started elsewhere keeps its question.
      onCancelled: () => (isOwn ? this.cancel() : undefined),
    });
  }

  /** Shows nothing more. Runs go on. */
  close(): void {
    this.#stopWatching();
    this.#closed.abort();
  }

  async #answer(prompt: Prompt, text: string): Promise<PromptResult> {
    const run = await this.#begin(prompt, text);
    if (!run) return CANCELLED;
    prompt.run_id = run.run_id;
    // Asked for while the run was being made.
    if (prompt.isCancelled) void this.#cancelRun(run.run_id, prompt.cancelled.reject);
    const outcome = await this.playerOf(run, true).follow();
    if (prompt.isCancelled || !outcome) return { ...CANCELLED, _meta: runMeta(run) };
    return "stopReason" in outcome ? { ...outcome, _meta: runMeta(run) } : outcome;
  }

  /** Starts the run of a prompt. While a run that was started elsewhere is active, it is shown, and the prompt waits. */
  async #begin(prompt: Prompt, text: string): Promise<StoredRun | undefined> {
    const { conversations, log } = this.#editor;
    for (;;) {
      if (prompt.isCancelled) return undefined;
      const { id } = this;
      const task = await log.task(id);
      const { spec, leftOut } = this.#spec();
      prompt.isStarted = true;
      try {
        const run = await conversations.ask({ text, ...(task ? { task_id: id } : { new_task_id: id }), spec });
        if (leftOut.length > 0) await this.#tellLeftOut(run, leftOut);
        return run;
      } catch (error) {
        const active = error instanceof TaskError && error.code === "run_active" ? error.conflict?.run_id : undefined;
        const other = typeof active === "string" ? await log.run(active) : undefined;
        if (!other) throw error;
        prompt.isStarted = false;
        if (prompt.isCancelled) return undefined;
        await this.#follow(this.playerOf(other, false));
      }
    }
  }

  #spec() {
    const { agent, model, mode } = this.choices;
    const { offered, workspace, mcpServers, defaults } = this.start;
    const chosen = offered.find(({ name }) => name === agent);
    const { servers, leftOut } = chosen ? serversFor(chosen, mcpServers) : { servers: [], leftOut: [] };
    const spec = {
      ...defaults,
      agent,
      model: model === DEFAULT_MODEL ? undefined : model,
      approve: mode,
      // As with every agent in an editor: who refuses one action still talks to the agent.
      on_reject: "continue",
      workspace,
      mcp_servers: servers.length > 0 ? servers : undefined,
    };
    return { spec, leftOut };
  }

  async #tellLeftOut({ run_id }: StoredRun, leftOut: readonly string[]): Promise<void> {
    const text = `These MCP servers are left out:\n${leftOut.map((line) => `- ${line}\n`).join("")}\n`;
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } as const;
    const _meta = { [EVENT_META]: { runId: run_id, sequence: 0 } };
    await this.#editor.client.notify("session/update", { sessionId: this.id, update, _meta });
  }

  async #watch(player: RunPlayer): Promise<void> {
    await this.#follow(player).catch((error: Error) => this.#editor.gone.aborted || this.#editor.note(error.message));
  }

  async #follow(player: RunPlayer): Promise<Outcome | undefined> {
    this.#watched = player.run_id;
    try {
      return await player.follow();
    } finally {
      this.#watched = undefined;
    }
  }

  /** Shows a run of the session that somebody else has started. */
  async #lookForRuns(): Promise<void> {
    const { log, gone, note } = this.#editor;
    const isBusy = () => this.isAnswering || this.#isHeld || this.#watched !== undefined;
    try {
      const run_id = isBusy() ? undefined : await this.#activeRun();
      const run = run_id === undefined ? undefined : await log.run(run_id);
      if (!run || gone.aborted || isBusy()) return;
      this.#watched = run.run_id;
      this.#idle = this.#idle.then(() => this.#watch(this.playerOf(run, false)));
    } catch (error) {
      if (!gone.aborted) note((error as Error).message);
    }
  }

  async #activeRun(): Promise<string | undefined> {
    return (await this.#editor.log.task(this.id))?.active_run_id;
  }

  #cancelPrompt(prompt: Prompt): void {
    if (prompt.isCancelled) return;
    prompt.isCancelled = true;
    if (!prompt.isStarted) prompt.cancelled.resolve();
    else if (prompt.run_id !== undefined) void this.#cancelRun(prompt.run_id, prompt.cancelled.reject);
  }

  /** Calls `onFailure` if the run cannot be told, for example because the disk is full. */
  async #cancelRun(run_id: string, onFailure: (error: Error) => void): Promise<void> {
    const { conversations, gone } = this.#editor;
    try {
      await conversations.tell(run_id, "cancel", { reason: "Cancelled in the editor." });
    } catch (error) {
      // It ended by itself.
      if (!(error instanceof CommandError) && !gone.aborted) onFailure(error as Error);
    }
  }
}

/** How a prompt ended: as a response, or as an error. */
export type PromptResult = PromptResponse | Exclude<Outcome, { stopReason: unknown }>;

const CANCELLED = { stopReason: "cancelled" } as const;
const runMeta = ({ run_id }: StoredRun) => ({ "spoor/run": { runId: run_id } });

const MAX_PROMPTS = 16;
