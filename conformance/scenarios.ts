import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../packages/protocol/src/index.ts";
import type { RunOptions } from "../packages/spoor/src/mux/client.ts";
import type { RunHandle } from "../packages/spoor/src/mux/run-handle.ts";
import type { RunResult } from "../packages/spoor/src/mux/run-result.ts";
import type { Block, Script } from "./model-server/script.ts";
import type { Tools } from "./tools.ts";

/** What came of a scenario. */
export interface Outcome {
  events: readonly AgentEvent[];
  result: RunResult;
  cwd: string;
}

/** One thing every agent should do the same, whatever its wire: the model's part, ours, and what must come of it. */
export interface Scenario {
  name: string;
  script(tools: Tools, cwd: string): Script;
  approve?: "ask" | "auto" | "deny";
  /** What else is asked of the run. */
  options?: Partial<RunOptions>;
  /** Left out for agents without such a tool. */
  needs?: keyof Tools;
  /** A run that comes before, whose session this one goes on with, or with a copy of. */
  after?: "resume" | "fork";
  /** Our part while it runs. */
  act?(handle: RunHandle): void;
  before?(cwd: string): void;
  /** What is wrong with the outcome, in words; empty when nothing is. */
  problems(outcome: Outcome): string[];
}

const text = (words: string, deltas = 3): Block => ({ type: "text", text: words, deltas });
const answer = (...blocks: Block[]): Script[number] => ({ blocks });

/** Words that differ: some agents stop a model that repeats itself. */
const manyWords = Array.from({ length: 3000 }, (_, n) => `w${n}`).join(" ");

const notesServer = { name: "notes", command: process.execPath, args: [join(import.meta.dirname, "notes-server.ts")] };

export const scenarios: readonly Scenario[] = [
  {
    name: "text",
    script: () => [answer(text("Hello from the script."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "Hello from the script.")],
  },
  {
    name: "long answer",
    script: () => [answer(text(manyWords, 3000))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, manyWords)],
  },
  {
    name: "shell",
    approve: "auto",
    script: (tools) => [answer(text("I run it."), tools.shell("echo out; echo more")), answer(text("It ran."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "shell_exit", ({ exitCode }) => exitCode === 0, "a command that exits with 0"),
      ...expectEvent(outcome, "shell_stdout_delta", ({ delta }) => delta.includes("out"), "the command's output"),
      ...expectTurns(outcome, 2),
    ],
  },
  {
    name: "shell that fails",
    approve: "auto",
    script: (tools) => [answer(tools.shell("echo broken; exit 3")), answer(text("It failed."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "shell_exit", ({ exitCode }) => exitCode === 3, "a command that exits with 3"),
    ],
  },
  {
    name: "new file",
    approve: "auto",
    script: (tools, cwd) => [answer(tools.create(join(cwd, "new.txt"), "one\ntwo")), answer(text("Written."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(existsSync(join(outcome.cwd, "new.txt")) ? [] : ["The file was not written."]),
      ...(outcome.events.some(({ type }) => ["file_create", "file_write", "file_patch"].includes(type))
        ? []
        : ["No file event tells of the new file."]),
    ],
  },
  {
    name: "file read",
    approve: "auto",
    before: (cwd) => writeFileSync(join(cwd, "note.txt"), "remember the milk\n"),
    script: (tools, cwd) => [answer(tools.read(join(cwd, "note.txt"))), answer(text("Milk."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(JSON.stringify(outcome.events).includes("remember the milk") ? [] : ["What was read is in no event."]),
    ],
  },
  {
    name: "two calls at once",
    approve: "auto",
    script: (tools) => [answer(tools.shell("echo first"), tools.shell("echo second")), answer(text("Both ran."))],
    problems: (outcome) => [...completed(outcome), ...expectCount(outcome, "tool_result", 2)],
  },
  {
    name: "permission given",
    approve: "ask",
    act: (handle) => handle.interaction.onPending(({ id }) => handle.approve(id)),
    script: (tools) => [answer(tools.shell("touch asked.txt")), answer(text("Done."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectCount(outcome, "approval_granted", 1),
      ...(existsSync(join(outcome.cwd, "asked.txt")) ? [] : ["The permitted command did not run."]),
    ],
  },
  {
    name: "permission refused",
    approve: "ask",
    act: (handle) => handle.interaction.onPending(({ id }) => handle.deny(id, "Not today.")),
    script: (tools) => [answer(tools.shell("touch refused.txt")), answer(text("Then not."))],
    problems: (outcome) => [
      ...expectCount(outcome, "approval_denied", 1),
      ...expectCount(outcome, "shell_start", 0),
      ...(existsSync(join(outcome.cwd, "refused.txt")) ? ["The refused command ran."] : []),
    ],
  },
  {
    name: "nothing without permission",
    approve: "deny",
    script: (tools) => [answer(tools.shell("touch denied.txt")), answer(text("Then not."))],
    problems: (outcome) => (existsSync(join(outcome.cwd, "denied.txt")) ? ["The command ran."] : []),
  },
  {
    name: "not allowed in",
    script: () => Array.from({ length: 12 }, () => ({ status: 401, message: "invalid api key" })),
    problems: (outcome) => expectEvent(outcome, "auth_error", () => true, "an auth_error"),
  },
  {
    name: "asked to slow down, then answered",
    script: () => [{ status: 429, message: "slow down", headers: { "retry-after": "1" } }, answer(text("At last."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "At last.")],
  },
  {
    name: "overloaded, then answered",
    script: () => [{ status: 503, message: "overloaded" }, answer(text("At last."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "At last.")],
  },
  {
    name: "thinking",
    script: () => [answer({ type: "thinking", text: "Let me see.", deltas: 3 }, text("I see."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "thinking_stop", ({ thinking }) => thinking.includes("Let me see."), "the thought"),
    ],
  },
  {
    name: "MCP tool",
    options: { mcpServers: [notesServer] },
    needs: "mcp",
    script: (tools) => [
      answer(...(tools.mcp ? [tools.mcp("recall", { key: "milk" })] : [])),
      answer(...(tools.mcp ? [tools.mcp("fail", {})] : [])),
      answer(text("Done.")),
    ],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "mcp_tool_result", ({ server }) => server === "notes", "a result of the MCP tool"),
      ...expectEvent(outcome, "mcp_tool_error", ({ error }) => error.includes("broken"), "the MCP tool's own error"),
    ],
  },
  {
    name: "resumed",
    after: "resume",
    script: () => [answer(text("Noted.")), answer(text("I remember."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...said(outcome, "I remember."),
      ...expectEvent(outcome, "session_start", ({ resumed }) => resumed, "a session that is resumed"),
    ],
  },
  {
    name: "out of turns",
    options: { maxTurns: 2 },
    script: (tools) => Array.from({ length: 6 }, (_, n) => answer(tools.shell(`echo ${n}`))),
    problems: (outcome) => [
      ...(outcome.result.exitReason === "turn_limit" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "turn_limit", () => true, "a turn_limit"),
    ],
  },
  {
    name: "interrupted in a command",
    script: (tools) => [answer(tools.shell("tail -f /dev/null")), answer(text("Done."))],
    act: interruptLater,
    problems: (outcome) => [
      ...(outcome.result.exitReason === "interrupted" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectCount(outcome, "tool_error", 1),
    ],
  },
  {
    name: "interrupted in mid-text",
    script: () => [{ blocks: [text("word ".repeat(400), 400)], pauseMs: 20 }],
    act: (handle) => void handle.once("text_delta", () => handle.interrupt()),
    problems: (outcome) => [
      ...(outcome.result.exitReason === "interrupted" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "interrupted", () => true, "an interrupted event"),
    ],
  },
];

/** Once the command runs, unless the run has ended by then. */
function interruptLater(handle: RunHandle): void {
  const interrupt = () => handle.state !== "ended" && handle.interrupt();
  handle.once("tool_call_ready", () => setTimeout(interrupt, 1500));
}

function completed({ result }: Outcome): string[] {
  return result.exitReason === "completed"
    ? []
    : [`It ended as ${result.exitReason}: ${result.error?.message ?? "no reason"}`];
}

function said({ result }: Outcome, words: string): string[] {
  return result.text.includes(words) ? [] : [`It said ${JSON.stringify(result.text.slice(0, 80))}.`];
}

function expectTurns({ result }: Outcome, turns: number): string[] {
  return result.turnCount === turns ? [] : [`It took ${result.turnCount} turns, not ${turns}.`];
}

function expectEvent<T extends AgentEvent["type"]>(
  { events }: Outcome,
  type: T,
  test: (event: Extract<AgentEvent, { type: T }>) => boolean,
  what: string,
): string[] {
  const found = events.some((event) => event.type === type && test(event as Extract<AgentEvent, { type: T }>));
  return found ? [] : [`There is not ${what}.`];
}

function expectCount({ events }: Outcome, type: AgentEvent["type"], count: number): string[] {
  const found = events.filter((event) => event.type === type).length;
  return found === count ? [] : [`There are ${found} ${type}, not ${count}.`];
}
