import type { AgentEvent } from "@spoor/protocol";
import type { Limits } from "../artifacts/index.ts";
import { type ChangeDrafts, type ChangePlace, type ChangeSource, isToldChange } from "../recorder/change-source.ts";
import { GitGuard } from "../workspace/git-guard.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import type { FoundChanges } from "./found-changes.ts";
import { settingsDrafts } from "./settings-drafts.ts";

export interface RunChangesOptions {
  /** Spoor's data directory. */
  directory: string;
  /** The workspace: an absolute, real path. */
  folder: string;
  limits?: () => Promise<Limits>;
}

/** Turns what a tracker finds into stored patches and the events that tell of them. */
export class RunChanges implements ChangeSource {
  readonly kind: string;
  readonly #tracker: ChangeTracker;
  readonly #options: RunChangesOptions;
  #guard: GitGuard | undefined;

  constructor(tracker: ChangeTracker, options: RunChangesOptions) {
    this.#tracker = tracker;
    this.#options = options;
    this.kind = tracker.kind;
  }

  start(): void {
    this.#guard = new GitGuard(this.#options.folder);
    this.#tracker.start();
  }

  look(
    event: AgentEvent,
    waiting: () => readonly AgentEvent[],
    place: () => ChangePlace,
  ): Promise<ChangeDrafts | undefined> | undefined {
    const call = (event as { toolCallId?: string }).toolCallId;
    const told = () => toldFiles(waiting(), event.runId, call);
    return this.#tracker.look(event, told)?.then((found) => this.#store(found, place(), told()));
  }

  async beforeCall(runId: string, toolCallId: string): Promise<void> {
    await this.#tracker.beforeCall(runId, toolCallId).catch(() => {});
  }

  async rest(place: () => ChangePlace): Promise<ChangeDrafts | undefined> {
    const rest = await this.#store(await this.#tracker.rest(), place(), []);
    const settings = settingsDrafts(this.#guard);
    if (settings.length === 0) return rest;
    return { effects: [], patchOf: () => undefined, ...rest, drafts: [...(rest?.drafts ?? []), ...settings] };
  }

  hurry(): void {
    this.#tracker.hurry();
  }

  close(): Promise<void> {
    return this.#tracker.close();
  }

  async #store(
    found: FoundChanges | undefined,
    place: ChangePlace,
    toldPaths: readonly string[],
  ): Promise<ChangeDrafts | undefined> {
    if (!found) return undefined;
    const told = new Set(toldPaths.flatMap((path) => this.#tracker.pathOf(path) ?? []));
    try {
      const { storeChanges } = await import("./store-changes.ts");
      const limits = await this.#options.limits?.();
      const stored = await storeChanges(this.#options.directory, found, place, { told, limits });
      return {
        ...stored,
        patchOf: ({ path }) => {
          const patch = stored.told.get(this.#tracker.pathOf(path) ?? "");
          const { multi_edit } = stored;
          return patch && { ...patch, ...(multi_edit && { patch_artifact_ids: multi_edit }) };
        },
      };
    } catch (error) {
      const message = `The changes of a call could not be kept: ${(error as Error).message}`;
      const drafts = [{ type: "debug.message", data: { level: "warn", message } }];
      return { drafts, effects: [], patchOf: () => undefined };
    }
  }
}

/** The files that an agent says a call changed. Some agents do not name the call. */
function toldFiles(waiting: readonly AgentEvent[], runId: string, call: string | undefined): string[] {
  return waiting.flatMap((event) => {
    if (!isToldChange(event) || event.runId !== runId) return [];
    return event.toolCallId === undefined || event.toolCallId === call ? [event.path] : [];
  });
}
