import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import type { Signal } from "../../src/agents/signal.ts";
import type { Log } from "../../src/log/log.ts";
import { openSandbox } from "../../src/loop/sandbox/index.ts";
import { probeBubblewrap } from "../../src/loop/sandbox/probe.ts";
import type { SandboxChoice } from "../../src/loop/sandbox/sandbox.ts";
import { gitExec } from "../../src/loop/tools/git-exec.ts";
import { shellExec } from "../../src/loop/tools/shell-exec.ts";
import type { ToolContext, ToolResult } from "../../src/loop/tools/tool.ts";
import { loadPolicy } from "../../src/runtime/policy/index.ts";
import type { ProcessControls } from "../../src/runtime/queue/executor.ts";

/**
 * Skips the tests of a file, with the reason, where bubblewrap does not work. Where SPOOR_TEST_BUBBLEWRAP is `required`, as in
 * CI, they fail.
 */
export function needsBubblewrap(): void {
  beforeEach(async ({ skip }) => {
    const found = await probeBubblewrap(process.env, "/nowhere");
    if (!("reason" in found)) return;
    const message = `bubblewrap is needed. ${found.reason}`;
    if (process.env.SPOOR_TEST_BUBBLEWRAP === "required") throw new Error(message);
    if (!isWarned) console.warn(`Tests are skipped: ${message}`);
    isWarned = true;
    skip(message);
  });
}

let isWarned = false;

export const SECRET = "the-secret-of-the-user";

export interface HeldOptions {
  choice?: SandboxChoice;
  environment?: NodeJS.ProcessEnv;
  /** The workspace, if it is not a new folder. */
  root?(place: string): string;
}

/** What a call did. */
export interface HeldCall {
  result: ToolResult;
  /** What the model reads. */
  text: string;
  signals: Signal[];
  fields: Record<string, object>;
}

/** A workspace with a home folder and a data directory full of secrets, in which the loop's commands run. */
export function openHeld(options: HeldOptions = {}) {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-held-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const inPlace = (name: string): string => path.join(place, name);
  const [home, directory] = [inPlace("home"), inPlace("data")];
  for (const folder of ["home/.ssh", "home/.aws", "data", "work", "outside"])
    mkdirSync(inPlace(folder), { recursive: true });
  for (const file of ["home/.ssh/id_ed25519", "home/.aws/credentials", "home/.netrc", "data/token", "outside/notes"])
    writeFileSync(inPlace(file), `${SECRET}\n`);
  const root = options.root?.(place) ?? inPlace("work");
  const environment: NodeJS.ProcessEnv = {
    ...{ PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ANTHROPIC_API_KEY: SECRET, SPOOR_TOKEN: SECRET },
    ...options.environment,
  };
  const choice = options.choice ?? "bwrap";
  let opened: ReturnType<typeof openSandbox> | undefined;
  const sandbox = () => {
    opened ??= openSandbox({ choice, root, directory, run_id: "run_1", environment });
    return opened;
  };
  onTestFinished(async () => (await opened?.catch(() => undefined))?.close());

  async function call(tool: typeof shellExec, input: object, more: CallOptions = {}): Promise<HeldCall> {
    const signals: Signal[] = [];
    const fields: Record<string, object> = {};
    const policy = await loadPolicy({ directory, cwd: root, home });
    const context: ToolContext = {
      ...{ root, directory, environment, callId: "call-1", run_id: "run_1", task_id: "task_1" },
      signal: more.signal ?? new AbortController().signal,
      // No command writes the log itself.
      log: undefined as unknown as Log,
      decide: (action) => policy.decide(action),
      sandbox,
      controls: (processes) => more.onStart?.(processes),
      tell(told) {
        signals.push(...(told.signals ?? []));
        Object.assign(fields, told.fields);
        for (const signal of told.signals ?? []) if (signal.kind === "output") more.onOutput?.(signal.text);
      },
      keep: async () => undefined,
    };
    const result = await tool.run(input as never, context);
    return { result, signals, fields, text: [result.error, result.output].filter(Boolean).join("\n") };
  }

  return {
    ...{ place, root, home, directory, environment, sandbox, inPlace },
    at: (name: string): string => path.join(root, name),
    shell: (command: string, input: object = {}, more?: CallOptions) => call(shellExec, { command, ...input }, more),
    git: (args: readonly string[], input: object = {}, more?: CallOptions) => call(gitExec, { args, ...input }, more),
  };
}

export interface CallOptions {
  signal?: AbortSignal;
  onStart?(processes: ProcessControls): void;
  onOutput?(text: string): void;
}

/** The processes whose command line holds this text. */
export function processesNamed(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").includes(text);
    } catch {
      // It is gone.
      return false;
    }
  });
}
