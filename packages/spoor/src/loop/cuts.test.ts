import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { activeRuns, cutRun, type GoldenRun } from "../../testing/loop/cut-run.ts";
import type { ScriptedTurn } from "../../testing/loop/scripted-model.ts";
import { startHttpServer } from "../../testing/mcp/http-server.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import type { Log } from "../log/log.ts";
import { sendCommand } from "../runtime/commands/send.ts";
import { type FollowUp, followUp } from "../runtime/tasks/start.ts";

const write = (n: number) => ({ name: "write", input: { path: `${n}.txt`, content: `${n}` } });
const read = (path: string) => ({ name: "read", input: { path } });
const shell = (command: string) => ({ name: "shell", input: { command } });
const done: ScriptedTurn = { text: "Done." };
const all = { approve: "auto" } as const;

/** What Anthropic's models think: the signature comes last, and some thoughts are only data. */
const anthropicThoughts: LanguageModelV4StreamPart[] = [
  { type: "reasoning-start", id: "0" },
  { type: "reasoning-delta", id: "0", delta: "Look " },
  { type: "reasoning-delta", id: "0", delta: "first." },
  { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "c2lnbmVk" } } },
  { type: "reasoning-end", id: "0" },
  { type: "reasoning-start", id: "1", providerMetadata: { anthropic: { redactedData: "ZW5jcnlwdGVk" } } },
  { type: "reasoning-end", id: "1" },
];

/** One run follows the other. */
const followed = (how: FollowUp, given: { prompt?: string; turn?: number } = {}): GoldenRun => ({
  script: () => [{ thinking: "Look.", calls: [read("a.txt")] }, done, { text: "More." }],
  spec: all,
  async people(context) {
    const { runs } = await context.log.runs();
    if (runs.length === 1 && runs[0]?.status === "completed") await followUp(context, how, runs[0].run_id, given);
  },
});

/** Somebody sends a command while the model's first call is judged. */
const commanded = (kind: "send" | "pause", text?: string): GoldenRun => ({
  script: () => [{ text: "I write.", calls: [write(1)] }, { calls: [read("a.txt")] }, done],
  spec: all,
  async people({ log }) {
    const [run] = await activeRuns(log);
    if (!run) return;
    const { run_id } = run;
    if (run.paused) await sendCommand(log, { run_id, kind: "unpause", by: "ann" });
    const { rows } = await log.rows.list("commands", { where: { run_id } });
    const hasBegun = (await envelopesOf(log, run_id)).some(({ type }) => type === "run.checkpoint_saved");
    if (hasBegun && rows.length === 0 && run.status === "running")
      await sendCommand(log, { run_id, kind, by: "ann", body: { text } });
  },
});

const golden: Readonly<Record<string, GoldenRun | (() => Promise<GoldenRun>)>> = {
  "an answer": { script: () => [{ thinking: "Hm.", text: "Hello there." }] },
  "a read, a failed call and an unknown tool": {
    script: () => [
      {
        thinking: "Look first.",
        text: "I look.",
        calls: [read("a.txt"), read("missing.txt"), { name: "fly", input: {} }],
      },
      { text: "Now I write.", calls: [write(1)] },
      done,
    ],
    spec: all,
  },
  "a command in a folder that git looks at": {
    script: () => [{ text: "I run.", calls: [shell("echo 1 >> done.txt; echo hi")] }, done],
    spec: all,
    git: true,
  },
  "a change of the instructions that it was given": {
    script: () => [{ calls: [{ name: "write", input: { path: "AGENTS.md", content: "Use spaces." } }] }, done],
    spec: all,
  },
  "calls that a person allows": {
    script: () => [{ thinking: "May I?", calls: [read("a.txt"), write(1), write(2)] }, done],
  },
  "two calls, one of which is asked about": {
    script: () => [{ thinking: "May I?", calls: [write(1), write(2)] }, done],
    spec: { policy: ["allow write 1.txt"] },
  },
  "a call that a rule blocks": {
    script: () => [{ calls: [shell("rm -rf x")] }, { text: "Then not." }],
    spec: { policy: ["block shell rm **"] },
  },
  "thoughts as Anthropic's models have them": {
    script: () => [{ parts: anthropicThoughts, text: "I look.", calls: [read("a.txt"), write(1)] }, done],
  },
  "a model call that fails and is repeated": {
    script() {
      let failures = 1;
      const script = [{ calls: [write(1)] }, done];
      return ({ prompt }: LanguageModelV4CallOptions) => {
        const answers = prompt.filter(({ role }) => role === "assistant").length;
        if (answers === 1 && failures-- > 0) return { text: "Half an", error: new Error("overloaded") };
        return script[answers] as ScriptedTurn;
      };
    },
    spec: all,
    options: {
      failureOf: () => ({ kind: "overloaded", code: "RATE_LIMITED", message: "Busy.", status: 529, retriable: true }),
    },
  },
  "a conversation that is shortened": {
    script:
      () =>
      ({ prompt }) => {
        const last = JSON.stringify(prompt.at(-1));
        if (last.includes("Sum up this conversation")) return { text: "A long text was read." };
        return last.includes("A long text was read.")
          ? done
          : { thinking: "Read.", text: "x".repeat(8_000), calls: [read("a.txt")] };
      },
    model: { contextTokens: 2_500 },
  },
  "a pause": commanded("pause"),
  "a further prompt": commanded("send", "Also write tests."),
  "a run that continues it": followed("continue", { prompt: "And now?" }),
  "a run that resumes it": followed("resume"),
  "a fork": followed("fork", { prompt: "Another way?" }),
  "a retry from its second turn": followed("retry-from-turn", { turn: 2 }),
  "calls of an MCP server": async () => {
    const { url } = await startHttpServer();
    return {
      script: () => [{ calls: [{ name: "mcp__docs__echo", input: { text: "hi" } }, write(1)] }, done],
      spec: { ...all, mcp_servers: [{ name: "docs", transport: "streamable-http", url }] },
    };
  },
  "a subagent": {
    script:
      () =>
      ({ prompt }) => {
        const answers = prompt.filter(({ role }) => role === "assistant").length;
        const isChild = JSON.stringify(prompt[1]).includes("A part of it.");
        const input = { name: "helper", prompt: "A part of it." };
        const script = isChild
          ? [{ thinking: "Hm.", calls: [write(1)] }, { text: "I did it." }]
          : [{ thinking: "Share it.", calls: [{ name: "subagent", input }] }, done];
        return script[answers] as ScriptedTurn;
      },
    spec: all,
  },
};

/**
 * A cut is a moment right after a commit. There is nothing between two commits: a commit stores the whole batch or nothing,
 * which the suite of every log shows. What a process did after its last commit is either in the workspace, where nobody repeats
 * it, or lost.
 */
describe.each(Object.entries(golden))("a run with %s, cut after every commit", (_, given) => {
  it("asks the model the same after it was taken up again", { timeout: 120_000 }, async () => {
    const run = await cutRun(typeof given === "function" ? await given() : given);
    const reference = new Map<string, string>();
    for (const request of run.requests) {
      const stage = stageOf(request);
      expect(request).toBe(reference.get(stage) ?? request);
      reference.set(stage, request);
    }
    for (let cut = 0; cut < run.cuts; cut += 1) {
      const lost = new Map<string, Map<string, string>>();
      const { log, requests } = await run.resume(cut, async (left) => {
        for (const { run_id, status } of await activeRuns(left)) {
          const events = await envelopesOf(left, run_id);
          if (status === "running") lost.set(promptOf(events), interrupted(events));
        }
      });
      const [next] = requests;
      const same = next === undefined ? undefined : expectedRequest(reference.get(stageOf(next)) ?? "", lost);
      expect({ cut, next, ...(await endOf(log)) }).toEqual({ cut, next: same, statuses: ["completed"], findings: [] });
      await expectProjectionsRebuilt(log);
      await log.close();
    }
  });
});

/** A subagent whose parent was interrupted is cancelled, unless it was done before its parent went on. */
async function endOf(log: Log) {
  const { runs } = await log.runs();
  const ids = runs.map(({ run_id }) => run_id);
  const counted = runs.filter(({ parent_run_id, status }) => parent_run_id === undefined || status !== "cancelled");
  return { statuses: [...new Set(counted.map(({ status }) => status))], findings: await findingsOf(log, ids) };
}

interface Prompt {
  prompt: { role: string; content: { text?: string; toolCallId?: string; output?: unknown }[] }[];
}

/** Which request of the golden run this is: of which run it is, and how far the conversation has come. */
function stageOf(request: string): string {
  const { prompt } = JSON.parse(request) as Prompt;
  return [firstText(prompt), ...prompt.map(({ role }) => role)].join();
}

const firstText = (prompt: Prompt["prompt"]): string => prompt[1]?.content[0]?.text ?? "";

const promptOf = (events: readonly Envelope[]): string =>
  String(events.find(({ type }) => type === "user.message")?.data.text);

/** What the model reads about calls of the last turn that had not ended when the process died. */
function interrupted(events: readonly Envelope[]): Map<string, string> {
  const results = new Map<string, string>();
  for (const { type, data } of events) {
    const id = String(data.tool_call_id);
    if (type === "assistant.tool_call_proposed") {
      results.set(id, "Interrupted before it began. Propose it again if it is still needed.");
    }
    if (type === "tool.started") results.set(id, "Interrupted; it may or may not have happened.");
    if (/^tool\.(completed|failed|cancelled|timed_out)$|^policy\.tool_blocked$/.test(type)) results.delete(id);
  }
  return results;
}

/** The request of the whole run, with the results that calls have after the cut. */
function expectedRequest(request: string, lost: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  const value = JSON.parse(request) as Prompt;
  const results = lost.get(firstText(value.prompt));
  for (const { content } of value.prompt.filter(({ role }) => role === "tool")) {
    for (const result of content) {
      const text = results?.get(result.toolCallId ?? "");
      if (text !== undefined) result.output = { type: "error-text", value: text };
    }
  }
  return JSON.stringify(value);
}
