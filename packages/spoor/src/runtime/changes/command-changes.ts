import type { Effect } from "../../log/effects.ts";
import type { Log } from "../../log/log.ts";
import { type ArtifactDraft, createLimits } from "../artifacts/index.ts";
import { GitGuard } from "../workspace/git-guard.ts";
import { type OpenTrackerOptions, openTracker, realPath } from "./open-tracker.ts";
import { settingsDrafts } from "./settings-drafts.ts";
import { noteDraft, storeChanges } from "./store-changes.ts";

export interface CommandChangesOptions extends OpenTrackerOptions {
  log: Pick<Log, "rows">;
  run: { run_id: string; task_id: string };
  call: { tool_call_id: string; tool_name: string };
  /** Whether other runs may change files of the workspace at the same time. */
  isShared: boolean;
  redact(text: string): string;
}

/** What to write in the same commit as the end of the command. */
export interface CommandDrafts {
  drafts: readonly ArtifactDraft[];
  effects: readonly Effect[];
}

/** Finds out which files one command changes. Its methods never throw: the command runs without it. */
export interface CommandChanges {
  /** Looks at the workspace. Start the command when this has resolved. */
  before(): Promise<void>;
  /** What changed since then. `isHurried`: somebody waits for the end of the run. */
  after(options: { isHurried: boolean }): Promise<CommandDrafts>;
  /** Ends everything that still runs. */
  close(): Promise<void>;
}

export function openCommandChanges(options: CommandChangesOptions): CommandChanges {
  const { directory, log, run, call, isShared, redact } = options;
  const tracker = openTracker(options);
  let guard: GitGuard | undefined;
  const base = { runId: run.run_id, agent: call.tool_name, timestamp: 0 };
  const named = { toolCallId: call.tool_call_id, toolName: call.tool_name, toolKind: "shell" as const };

  async function store(): Promise<CommandDrafts | undefined> {
    const result = { ...base, ...named, type: "tool_result", output: "", durationMs: 0 } as const;
    const found = await tracker?.look(result, () => []);
    if (!found) return undefined;
    const place = { run_id: run.run_id, task_id: run.task_id, redact, at: Date.now() };
    const changes = found.changes.map((change) => ({ ...change, ...(isShared && { attribution: "shared" as const }) }));
    return storeChanges(directory, { ...found, changes }, place, { told: new Set(), limits: createLimits(log) });
  }

  return {
    async before() {
      guard = tracker && new GitGuard(realPath(options.cwd));
      tracker?.start();
      await tracker?.idle();
      await tracker?.look({ ...base, ...named, type: "tool_call_ready", input: {} }, () => []);
    },
    async after({ isHurried }) {
      if (isHurried) tracker?.hurry();
      try {
        const { drafts, effects } = (await store()) ?? { drafts: [], effects: [] };
        return { drafts: [...drafts, ...settingsDrafts(guard)], effects };
      } catch (error) {
        const note = noteDraft(`The changes of the command could not be kept: ${(error as Error).message}`);
        return { drafts: [note], effects: [] };
      }
    },
    close: async () => tracker?.close(),
  };
}
