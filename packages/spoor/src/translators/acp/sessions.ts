import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListSessionsResponse, McpServer, SessionInfo } from "@agentclientprotocol/sdk";
import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import type { Log } from "../../log/log.ts";
import { isOver, type StoredRun, type StoredTask } from "../../log/records.ts";
import { specOf } from "../../runtime/specification/spec-of.ts";
import { deleteTask, TaskError } from "../../runtime/tasks/index.ts";
import { type Choices, choose, DEFAULT_MODEL, fitting } from "./choices.ts";
import type { Editor } from "./editor.ts";
import type { Mode, OfferedAgent } from "./offered-agents.ts";
import { OpenSession } from "./open-session.ts";
import type { RunPlayer } from "./run-player.ts";
import type { SavedSessions } from "./saved-choices.ts";

/** What the sessions of a connection need. */
export interface SessionsOptions {
  saved: SavedSessions;
  /** The agents that are installed. */
  offered: readonly OfferedAgent[];
  /** What a new session begins with. */
  choices: Choices;
  /** Fields of every run's specification. */
  defaults: Readonly<Record<string, unknown>>;
}

/** The folder of a session is wrong. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/** The sessions of one editor. A session is a task; one without a prompt is only a file. */
export class Sessions {
  readonly open = new Map<string, OpenSession>();
  readonly #editor: () => Editor;
  readonly #options: SessionsOptions;
  /** The searches that go on, by session. Several requests may name a session that is not open yet. */
  readonly #searches = new Map<string, Promise<unknown>>();
  /** Resolves when every choice so far is saved. */
  #saved: Promise<unknown> = Promise.resolve();

  constructor(editor: () => Editor, options: SessionsOptions) {
    this.#editor = editor;
    this.#options = options;
  }

  async create(cwd: string, mcpServers: readonly McpServer[]): Promise<OpenSession> {
    requireFolder(cwd);
    const id = prefixed("task", newUlid());
    const { offered } = this.#options;
    const choices = fitting(offered, this.#options.choices);
    await this.#options.saved.write(id, { cwd, choices });
    return this.#add({ id, choices, workspace: { path: cwd, share: true }, mcpServers, offered });
  }

  /** Finds a session; undefined if there is none. One that is open stays as it is, unless `mcpServers` are given. */
  async find(id: string, mcpServers?: readonly McpServer[]): Promise<OpenSession | undefined> {
    const open = this.open.get(id);
    const before = this.#searches.get(id);
    // At once, so that a cancel that follows a prompt finds the prompt.
    if (open && !mcpServers && !before) return open;
    const found = Promise.resolve(before)
      .catch(() => {})
      .then(() => this.#search(id, mcpServers));
    this.#searches.set(id, found);
    try {
      return await found;
    } finally {
      if (this.#searches.get(id) === found) this.#searches.delete(id);
    }
  }

  async #search(id: string, mcpServers?: readonly McpServer[]): Promise<OpenSession | undefined> {
    const open = this.open.get(id);
    if (open && !mcpServers) return open;
    const { log } = this.#editor();
    const [task, saved] = [await log.task(id), await this.#options.saved.read(id)];
    const run = task?.latest_run_id === undefined ? undefined : await log.run(task.latest_run_id);
    if (!run && !saved) return undefined;
    const spec = run && (await specOf(log, run));
    const { offered } = this.#options;
    const used: Choices | undefined = run && {
      agent: run.kind === "agent_loop" ? "loop" : run.agent,
      model: spec?.model ?? DEFAULT_MODEL,
      mode: (spec?.approve ?? "ask") as Mode,
    };
    const choices = fitting(offered, saved?.choices ?? used ?? this.#options.choices);
    const cwd = run?.workspace_path ?? saved?.cwd ?? "/";
    const mode = spec?.workspace?.mode ?? "in_place";
    const workspace = mode === "in_place" ? { path: cwd, share: true } : { ...spec?.workspace };
    this.open.get(id)?.close();
    return this.#add({ id, choices, workspace, mcpServers: mcpServers ?? [], offered });
  }

  /** Shows everything that was said in a session. Returns what must be called once the editor has its answer. */
  async replay(session: OpenSession, { isShown }: { isShown: boolean }): Promise<() => void> {
    const goOn = session.hold();
    try {
      let active: RunPlayer | undefined;
      for (const run of await runsOf(this.#editor().log, session.id)) {
        const isActive = !isOver(run);
        if (!isShown && !isActive) continue;
        const player = session.playerOf(run, false);
        await player.replay({ isShown });
        if (isActive) active = player;
      }
      return () => goOn(active);
    } catch (error) {
      goOn();
      throw error;
    }
  }

  /** Changes an option of a session. If it cannot be saved, nothing is changed. */
  async choose(session: OpenSession, id: string, value: string): Promise<void> {
    const { start } = session;
    const chosen = this.#saved
      .catch(() => {})
      .then(async () => {
        const choices = choose(start.offered, session.choices, id, value);
        await this.#options.saved.write(session.id, { cwd: String(start.workspace.path ?? "/"), choices });
        session.choices = choices;
      });
    this.#saved = chosen;
    await chosen;
  }

  /** The sessions that have a prompt, the newest first; those of a folder if one is given. */
  async list(cwd: string | undefined, cursor: string | undefined): Promise<ListSessionsResponse> {
    const { log } = this.#editor();
    const sessions: SessionInfo[] = [];
    let before = cursor;
    const folder = cwd === undefined ? undefined : realFolder(cwd);
    for (;;) {
      const query = {
        limit: 100,
        ...(folder !== undefined && { path: folder }),
        ...(before !== undefined && { before }),
      };
      const { runs, more } = await log.runs(query);
      for (const run of runs) {
        before = run.run_id;
        const session = await sessionOf(log, run, folder);
        // The editor knows the folder by the name that it gave.
        const named = session && { ...session, cwd: cwd ?? session.cwd };
        if (named && sessions.push(named) === PAGE) return { sessions, nextCursor: before };
      }
      if (!more) return { sessions };
    }
  }

  /** Cancels all that goes on in a session. */
  async cancel(id: string): Promise<void> {
    const search = this.#searches.get(id);
    // The prompts that came before this wait for the same search.
    if (search) await Promise.allSettled([search]).then(() => nextTurn());
    this.open.get(id)?.cancel();
  }

  /** Ends the prompts of a session and forgets what is open of it. */
  close(id: string): void {
    const session = this.open.get(id);
    session?.cancelPrompts();
    session?.close();
    this.open.delete(id);
  }

  /** Cancels what goes on and deletes the task. Its runs and their events stay in the log. */
  async delete(id: string): Promise<void> {
    const { log, conversations } = this.#editor();
    this.close(id);
    await this.#options.saved.remove(id);
    for (;;) {
      try {
        return await deleteTask({ log }, id);
      } catch (error) {
        if (!(error instanceof TaskError)) throw error;
        if (error.code === "task_not_found") return;
        if (error.code !== "run_active") throw error;
        await conversations
          .tell(String(error.conflict?.run_id), "cancel", { reason: "Its session was deleted." })
          .catch(() => {});
      }
    }
  }

  closeAll(): void {
    for (const session of this.open.values()) session.close();
  }

  #add(start: Omit<ConstructorParameters<typeof OpenSession>[1], "defaults">): OpenSession {
    const session = new OpenSession(this.#editor(), { ...start, defaults: this.#options.defaults });
    this.open.set(start.id, session);
    return session;
  }
}

/** @throws {FolderError} */
export function requireFolder(cwd: string): void {
  if (!path.isAbsolute(cwd)) throw new FolderError(`cwd must be an absolute path, not ${cwd}.`);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new FolderError(`There is no folder ${cwd}.`);
}

/** The name by which runs know a folder, which editors may name by a link to it or with a slash at the end. */
function realFolder(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return path.resolve(cwd);
  }
}

/** The runs of a session, the oldest first. */
async function runsOf(log: Log, task_id: string): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for (let before: string | undefined, more = true; more; before = found.at(-1)?.run_id) {
    const page = await log.runs({ task_id, limit: 500, ...(before !== undefined && { before }) });
    found.push(...page.runs);
    more = page.more;
  }
  return found.filter(isPrompt).reverse();
}

/** Runs of subagents, and those that were made by reading raw lines again, answer no prompt. */
const isPrompt = ({ parent_run_id, renormalized_from_run_id, kind }: StoredRun): boolean =>
  parent_run_id === undefined && renormalized_from_run_id === undefined && (kind === "agent" || kind === "agent_loop");

/** A session is listed at its latest run. */
async function sessionOf(log: Log, run: StoredRun, cwd: string | undefined): Promise<SessionInfo | undefined> {
  if (!isPrompt(run) || (cwd !== undefined && run.workspace_path !== cwd)) return undefined;
  const task: StoredTask | undefined = await log.task(run.task_id);
  if (task?.latest_run_id !== run.run_id) return undefined;
  return {
    sessionId: run.task_id,
    cwd: run.workspace_path ?? "/",
    title: task.title ?? run.title ?? null,
    updatedAt: new Date(run.updated_at).toISOString(),
  };
}

const PAGE = 50;
const newUlid = createUlidSource();
