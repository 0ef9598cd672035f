import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";
import { isOver, type StoredRun } from "../../src/log/records.ts";
import type { LoopOptions } from "../../src/loop/executor.ts";
import type { LoopModel } from "../../src/loop/providers/provider.ts";
import { resolveApproval } from "../../src/runtime/approvals/resolve.ts";
import { openingOf } from "../../src/runtime/queue/opening.ts";
import { recover } from "../../src/runtime/recovery/recover.ts";
import type { TaskSpec } from "../../src/runtime/specification/spec.ts";
import { specOf } from "../../src/runtime/specification/spec-of.ts";
import type { TaskContext } from "../../src/runtime/tasks/context.ts";
import { createAndStart } from "../../src/runtime/tasks/start.ts";
import { scriptedExecutor } from "./loop-runtime.ts";
import { type Script, scriptedModel } from "./scripted-model.ts";

/** A run as it should be, made of what the model does and what people do. */
export interface GoldenRun {
  /** Made anew for every process. */
  script(): Script;
  spec?: Partial<TaskSpec>;
  model?: Partial<LoopModel>;
  options?: LoopOptions;
  /** Whether git finds the changes. Otherwise a scan does, because many processes of git make many cuts slow. */
  git?: boolean;
  /**
   * What people do beside allowing calls. It is called after every commit, and whenever a process looks for work, so it must
   * look at what is stored in order to do nothing twice.
   */
  people?(context: TaskContext): Promise<void>;
}

/** The machine as it was right after a commit. */
interface Moment {
  directory: string;
  workspace: string;
}

/** The end of a process that went on from some moment. */
export interface Ended {
  log: Log;
  /** The requests to the model. */
  requests: readonly string[];
}

/**
 * Performs a golden run and copies the machine, which is the data directory and the workspace, after every commit, whoever made
 * it. The run is performed once; `resume` puts a copy in its place and performs the rest, as after the death of every process.
 */
export async function cutRun(golden: GoldenRun) {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-cuts-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const now: Moment = { directory: path.join(place, "data"), workspace: path.join(place, "work") };
  mkdirSync(now.workspace);
  writeFileSync(path.join(now.workspace, "a.txt"), "A");
  writeFileSync(path.join(now.workspace, "AGENTS.md"), "Use tabs.");
  if (!golden.git) vi.stubEnv("PATH", folderOf(place, "sh"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const moments: Moment[] = [];
  const whole = await live(golden, now, {
    async begin(context) {
      const { spec, model } = golden;
      await createAndStart(context, {
        ...{ kind: "agent_loop", prompt: "Do it.", model: model?.name ?? "scripted/scripted-1" },
        ...{ workspace: { path: now.workspace }, ...spec },
      });
    },
    onCommit() {
      const name = path.join(place, String(moments.length));
      const moment = { directory: path.join(name, "data"), workspace: path.join(name, "work") };
      copy(now, moment);
      moments.push(moment);
    },
  });
  await whole.log.close();
  return {
    requests: whole.requests,
    cuts: moments.length,
    /** `before` sees the log as the dead processes left it. */
    async resume(cut: number, before: (log: Log) => Promise<void>): Promise<Ended> {
      copy(moments[cut] as Moment, now);
      return live(golden, now, {
        async begin({ log }) {
          await before(log);
          await recover(log, { isGone: () => true });
        },
      });
    },
  };
}

/** Makes a folder that holds only this program. */
function folderOf(place: string, program: string): string {
  const folder = path.join(place, "programs");
  mkdirSync(folder);
  symlinkSync(`/bin/${program}`, path.join(folder, program));
  return folder;
}

/** The index of a SQLite log in memory is made anew when the log is opened, and what git writes may vanish meanwhile. */
const isFleeting = (name: string): boolean => /-shm$|\.lock$|\/tmp_obj_\w+$/.test(name);

function copy(from: Moment, to: Moment): void {
  rmSync(to.directory, { recursive: true, force: true });
  cpSync(from.directory, to.directory, { recursive: true, filter: (name) => !isFleeting(name) });
  rmSync(to.workspace, { recursive: true, force: true });
  cpSync(from.workspace, to.workspace, { recursive: true, preserveTimestamps: true });
}

interface Life {
  begin(context: TaskContext): Promise<void>;
  /** Called after every commit, before anybody learns that it is done. */
  onCommit?(): void;
}

/** Lives in a place until every run in it is over: performs the runs, and does what people do. */
async function live(golden: GoldenRun, place: Moment, { begin, onCommit }: Life): Promise<Ended> {
  const stored = openLogSync({ directory: place.directory, durability: "process" });
  onTestFinished(() => stored.close());
  let isBusy = false;
  const { log, idle } = watched(stored, async () => {
    onCommit?.();
    if (isBusy) return;
    isBusy = true;
    await golden.people?.(context);
    isBusy = false;
  });
  const { directory } = place;
  const context: TaskContext = { log, directory, canExecute: () => true, by: "ann" };
  const model = scriptedModel(golden.script(), golden.model, idle);
  const executor = scriptedExecutor(model, golden.options);
  await begin(context);
  for (let isStuck = false; (await activeRuns(log)).length > 0; ) {
    await golden.people?.(context);
    const { rows } = await log.rows.list("approvals", { where: { status: "pending" } });
    for (const { approval_id } of rows) await resolveApproval(log, { approval_id, decision: "approve", by: "ann" });
    const claim = await log.queue.claim("worker", ["agent_loop"], 30_000, (run, lease) =>
      openingOf(run, lease, "worker", directory),
    );
    if (claim) {
      const spec = (await specOf(log, claim.run)) as TaskSpec;
      const { signal } = new AbortController();
      await executor.execute({ log, directory, claim, spec, signal, controls() {}, mayAct: () => true });
    } else if (isStuck) throw new Error("No run can go on, and none is over.");
    isStuck = claim === undefined;
    await golden.people?.(context);
  }
  return { log: stored, requests: model.requests };
}

export const activeRuns = async (log: Log): Promise<StoredRun[]> =>
  (await log.runs()).runs.filter((run) => !isOver(run));

/** A log that calls a function after every commit. Commits follow one another, so that none is under way meanwhile. */
function watched(whole: Log, onCommit: () => Promise<void>): { log: Log; idle(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  async function commit<T>(write: () => Promise<T>): Promise<T> {
    const written = last.then(write);
    last = written.catch(() => {});
    const result = await written;
    await onCommit();
    return result;
  }
  const queue = bound(whole.queue, {
    claim: (...given: Parameters<Log["queue"]["claim"]>) => commit(() => whole.queue.claim(...given)),
  });
  const log = bound(whole, {
    append: (batch: Parameters<Log["append"]>[0]) => commit(() => whole.append(batch)),
    queue,
  });
  return {
    log,
    async idle() {
      // The recorder writes what was added in the same tick.
      await new Promise((resolve) => setImmediate(resolve));
      await last;
    },
  };
}

function bound<T extends object>(whole: T, replaced: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      if (name in replaced) return replaced[name as keyof T];
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
