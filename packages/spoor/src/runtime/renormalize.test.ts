import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { describe, expect, it, vi } from "vitest";
import { recordingsOf } from "../../testing/run/recordings.ts";
import { findingsOf, temporaryLog } from "../../testing/runtime/temporary-log.ts";
import type { Adapter } from "../agents/machine.ts";
import { adapters } from "../agents/registry.ts";
import { chooseDialect } from "../assemble/parse.ts";
import { readLines } from "../log/envelopes.ts";
import { LogError } from "../log/errors.ts";
import type { Log, TapeLine } from "../log/log.ts";
import { Recorder, type RecorderOptions } from "./recorder/recorder.ts";
import { renormalize } from "./renormalize.ts";
import { createReplay } from "./tape/replay.ts";

const agents = ["claude", "codex", "gemini", "pi", "qwen", "acp"];

describe.each(agents)("the tapes of %s", (agent) => {
  const adapter = adapters.find(({ name }) => name === agent) as Adapter;

  it.each([
    { record_thinking: false, record_tool_input: false },
    { record_thinking: true, record_tool_input: true },
  ])("give the same events when they are read again, %o", { timeout: 240_000 }, async (parts) => {
    const { log } = temporaryLog();
    for (const recording of recordingsOf(agent)) {
      const { run_id, thoughts } = await recordLive(adapter, recording, { log, ...parts });
      const stored = await storedOf(log, run_id);
      for (const thought of thoughts)
        expect(stored.includes(thought), `${recording} ${thought}`).toBe(parts.record_thinking);
      const { run_id: made, types, first } = await renormalize(log, run_id);
      expect(types, recording).toEqual([]);
      expect(first, recording).toBeUndefined();
      expect(await findingsOf(log, [run_id, made]), recording).toEqual([]);
      expect(await log.run(made)).toMatchObject({ renormalized_from_run_id: run_id, title: "Do it" });
    }
  });
});

it("ends the new run when the tape cannot be read to its end", async () => {
  const { log } = temporaryLog();
  const claude = adapters.find(({ name }) => name === "claude") as Adapter;
  const { run_id } = await recordLive(claude, recordingsOf("claude")[0] as string, { log });
  const whole = log.tapes.read(run_id);
  vi.spyOn(log.tapes, "read").mockImplementation(async function* () {
    let left = 3;
    for await (const line of whole) {
      if (left-- === 0) throw new LogError("damaged", "The raw lines are damaged.");
      yield line;
    }
  });
  await expect(renormalize(log, run_id)).rejects.toMatchObject({ code: "damaged" });
  expect((await log.runs()).runs.map(({ status, error_code }) => error_code ?? status)).toContain("incomplete");
});

it("reports that the tape is not written yet while the run is active, and a missing tape after its end", async () => {
  const { log } = temporaryLog();
  const run_id = `run_${newUlid()}`;
  const create = { agent: "claude", kind: "agent" };
  await log.append([{ run_id, create, drafts: [], facts: { status: "running" } }]);
  await expect(renormalize(log, run_id)).rejects.toThrow(`${run_id} is still running`);
  await log.append([{ run_id, drafts: [], facts: { status: "completed", ended_at: 1 } }]);
  await expect(renormalize(log, run_id)).rejects.toThrow(`${run_id} has no tape`);
});

/** Records the lines of a recording as a live run would. */
async function recordLive(
  adapter: Adapter,
  recording: string,
  options: RecorderOptions,
): Promise<{ run_id: string; thoughts: string[] }> {
  const lines = linesOf(recording);
  const dialect = chooseDialect(adapter, readRecording(recording).slice(0, 40)).name;
  const recorder = new Recorder({ ...options, now: () => time });
  const runId = newUlid();
  let time = 1_700_000_000_000;
  const request = { prompt: "Do it", cwd: "/home/user/project", approve: "ask" as const };
  void recorder.onStart({ runId, agent: adapter.name, dialect, stream: "auto", request });
  const header = {
    agent: adapter.name,
    dialect,
    stream: "auto",
    approve: "ask",
    can_ask: true,
    cwd: request.cwd,
  } as const;
  const rest = { no_session: false, resumed: false, record_thinking: true, record_tool_input: true };
  const replay = await createReplay(adapter, { ...header, ...rest }, runId);
  const thoughts: string[] = [];
  const add = (event: AgentEvent) => {
    recorder.add(event);
    if (event.type === "thinking_stop" && event.runId === runId) thoughts.push(JSON.stringify(event.thinking));
  };
  for (const line of lines) {
    time += 1;
    recorder.onLine(line);
    replay.line({ ...line, at: time }).forEach(add);
  }
  replay.finish().forEach(add);
  await recorder.close();
  return { run_id: `run_${runId}`, thoughts };
}

/** All stored data of a run: events and tape. */
async function storedOf(log: Log, run_id: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of readLines(log, { run_id })) lines.push(line);
  for await (const { text } of log.tapes.read(run_id)) lines.push(text);
  return lines.join("\n");
}

function linesOf(recording: string): Omit<TapeLine, "at">[] {
  const lines = readRecording(recording).map((line): Omit<TapeLine, "at"> => {
    if (!line.startsWith('{"dir":')) return { from: "stdout", text: line };
    const { dir, msg, raw, line: text } = JSON.parse(line);
    const value = msg ?? raw ?? text ?? "";
    return { from: dir === "in" ? "stdin" : "stdout", text: typeof value === "string" ? value : JSON.stringify(value) };
  });
  return [...lines, { from: "exit", text: '{"code":0,"signal":null}' }];
}

function readRecording(recording: string): string[] {
  const path = fileURLToPath(new URL(`../../fixtures/${recording}`, import.meta.url));
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const newUlid = createUlidSource();
