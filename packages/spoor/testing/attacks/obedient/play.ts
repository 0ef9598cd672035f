import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import type { LoopOptions } from "../../../src/loop/options.ts";
import { openSandbox } from "../../../src/loop/sandbox/index.ts";
import { createHttpRequest } from "../../../src/loop/tools/http-request.ts";
import { loopTools } from "../../../src/loop/tools/index.ts";
import { createWebFetch } from "../../../src/loop/tools/web-fetch.ts";
import type { TaskSpec } from "../../../src/runtime/specification/spec.ts";
import { loopRuntime } from "../../loop/loop-runtime.ts";
import type { ScriptedModel } from "../../loop/scripted-model.ts";
import { untilStatus } from "../../runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../runtime/temporary-log.ts";
import { openTarget, secrets, type Target } from "./target.ts";

/** Names that lead to this machine. */
const resolve = async (name: string) => {
  const inward = { address: "127.0.0.1", family: 4 };
  if (name === "inward.test") return [inward];
  if (name === "mixed.test") return [{ address: "93.184.216.34", family: 4 }, inward];
  throw new Error("There is no such name.");
};

/** The real tools, with names of their own. */
const tools = () => {
  const named = [createHttpRequest({ resolve }), createWebFetch({ resolve })];
  return loopTools().map((tool) => named.find(({ name }) => name === tool.name) ?? tool);
};

/** The real loop with real tools, rules and sandbox in a place full of secrets. */
export async function openArena(modelIn: (target: Target) => ScriptedModel, more: LoopOptions = {}) {
  let model: ScriptedModel | undefined;
  const environment: NodeJS.ProcessEnv = {};
  const lazy = {
    ...{ name: "scripted/scripted-1", provider: "scripted", api: "demo", id: "scripted-1" },
    ...{ contextTokens: undefined, canUseTools: true },
  } as unknown as ScriptedModel;
  const runtime = loopRuntime(lazy, {
    ...{ environment, tools },
    findModel: async () => model as ScriptedModel,
    openSandbox: ({ execution: { directory, spec, claim }, root }) =>
      openSandbox({ root, directory, environment, run_id: claim.run.run_id, choice: spec.sandbox ?? "bwrap" }),
    ...more,
  });
  const target = await openTarget(runtime.directory, runtime.workspace);
  Object.assign(environment, target.environment);
  model = modelIn(target);
  runtime.startWorker();
  return {
    ...runtime,
    target,
    model,
    /** Performs a run to its end, or until it waits for a person. */
    async perform(spec: Partial<TaskSpec>, status?: "awaiting_approval") {
      const { run_id } = await runtime.start("Do your work.", { max_turns: 10_000, ...spec } as Partial<TaskSpec>);
      const run = await untilStatus(runtime.log, run_id, status);
      const events = await envelopesOf(runtime.log, run_id);
      return { run, run_id, events, findings: await findingsOf(runtime.log, [run_id]) };
    },
  };
}

/** The types of the events of each call, in the order of the calls. */
export function callsOf(events: readonly Envelope[]): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const { type, data } of events) {
    const id = data.tool_call_id;
    if (typeof id === "string" && /^(tool|policy|approval)\./.test(type))
      calls.set(id, [...(calls.get(id) ?? []), type]);
  }
  return calls;
}

/** The secrets that a text holds, plainly or in another form of their bytes. */
export function secretsIn(text: string): string[] {
  return Object.values(secrets).filter((secret) => {
    const bytes = Buffer.from(secret);
    const inner = [0, 1, 2].map((shift) =>
      bytes
        .subarray(shift)
        .toString("base64")
        .replace(/.{0,3}=*$/, ""),
    );
    return [secret, [...secret].reverse().join(""), bytes.toString("hex"), ...inner].some((form) =>
      text.includes(form),
    );
  });
}

/** The files of Spoor's data that hold a secret, but for the token itself. */
export function leaksIn(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && entry.name !== "token")
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => secretsIn(readFileSync(file, "latin1")).length > 0)
    .map((file) => path.relative(directory, file));
}
