import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../testing/runtime/temporary-log.ts";
import { createClient } from "../client.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { recordRun } from "./record-run.ts";
import { Recorder, type RecorderOptions } from "./recorder/recorder.ts";
import { renormalize } from "./renormalize.ts";

const client = createClient({ adapters: [toy], configDir: "/no/configuration" });

async function recordLive(
  prompt: string,
  options: RecorderOptions,
  act: (handle: ReturnType<typeof client.run>) => void = () => {},
) {
  const recorder = new Recorder(options);
  const handle = client.run({ agent: "toy", prompt }, recorder);
  act(handle);
  return recordRun(handle, recorder);
}

describe("a live run that is recorded", () => {
  it("can be renormalized from its tape without a difference", async () => {
    const { log } = temporaryLog();
    const { run_ids, failure } = await recordLive("say hello there", { log });
    expect(failure).toBeUndefined();
    const [run_id] = run_ids as [string];
    expect(await log.run(run_id)).toMatchObject({ status: "completed", title: "say hello there", has_tape: true });
    const sources = new Set<string>();
    for await (const { from } of log.tapes.read(run_id)) sources.add(from);
    expect(sources).toEqual(new Set(["stdin", "stdout", "exit"]));
    const again = await renormalize(log, run_id, { adapters: [toy] });
    expect(again).toMatchObject({ types: [] });
    expect(await findingsOf(log, [run_id, again.run_id])).toEqual([]);
  });

  it("contains further prompts, answers and interventions", async () => {
    const { log } = temporaryLog();
    const { run_ids } = await recordLive("question", { log }, (handle) => {
      handle.on("input_required", ({ interactionId }) => handle.interaction.respond(interactionId, { text: "blue" }));
      handle.queue("say more");
    });
    const userMessages = (await envelopesOf(log, run_ids[0] as string)).filter(({ type }) => type === "user.message");
    expect(userMessages.map(({ data }) => [data.via, data.text])).toEqual([
      ["prompt", "question"],
      ["answer", "blue"],
      ["queue", "say more"],
    ]);
    expect(await findingsOf(log, run_ids)).toEqual([]);
  });

  it("that is aborted is cancelled, also after renormalizing", async () => {
    const { log } = temporaryLog();
    const { run_ids } = await recordLive("hang", { log }, (handle) => handle.on("session_start", () => handle.abort()));
    const [run_id] = run_ids as [string];
    expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
    const again = await renormalize(log, run_id, { adapters: [toy] });
    expect(await log.run(again.run_id)).toMatchObject({ status: "cancelled" });
    expect(await findingsOf(log, [run_id, again.run_id])).toEqual([]);
  });

  it.each(["crashes 2", "crashes 9", "limited 1 5", "doubts 1", "hangs 1", "crash 3"])(
    "that is retried is the same after renormalizing: %s",
    async (prompt) => {
      const { log, directory } = temporaryLog();
      const recorder = new Recorder({ log });
      const env = { TOY_STATE: join(directory, "starts") };
      const options = { agent: "toy", prompt, env, retryPolicy: { maxAttempts: 2, baseDelayMs: 1 } };
      const { run_ids } = await recordRun(client.run({ ...options, timeout: 1500 }, recorder), recorder);
      const [run_id] = run_ids as [string];
      expect((await envelopesOf(log, run_id)).map(({ type }) => type)).toContain("limit.retry_scheduled");
      const again = await renormalize(log, run_id, { adapters: [toy] });
      expect(again).toEqual({ run_id: again.run_id, types: [] });
      expect(await findingsOf(log, [run_id, again.run_id])).toEqual([]);
    },
  );

  it("that is aborted while it waits for a retry is the same after renormalizing", async () => {
    const { log } = temporaryLog();
    const recorder = new Recorder({ log });
    const handle = client.run({ agent: "toy", prompt: "crash 3", retryPolicy: {} }, recorder);
    handle.on("retry", () => handle.abort());
    const { run_ids } = await recordRun(handle, recorder);
    const [run_id] = run_ids as [string];
    expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
    const again = await renormalize(log, run_id, { adapters: [toy] });
    expect(again).toEqual({ run_id: again.run_id, types: [] });
  });

  it("is aborted when the log refuses a write, and reports why", async () => {
    const { log } = temporaryLog();
    const append = async () => {
      throw new LogError("disk_full", "The disk is full.");
    };
    const full = Object.assign(Object.create(log), { append }) as Log;
    const { failure } = await recordLive("hang", { log: full });
    expect(failure).toMatchObject({ code: "disk_full" });
  });
});

describe("reading a tape again", () => {
  it("reports what is missing", async () => {
    const { log } = temporaryLog();
    await expect(renormalize(log, "run_01K9ZC0000SP00R00000000000")).rejects.toMatchObject({ code: "run_not_found" });
    const { run_ids } = await recordLive("say x", { log, record_tape: false });
    await expect(renormalize(log, run_ids[0] as string)).rejects.toThrow("has no tape");
    const taped = await recordLive("say x", { log });
    await expect(renormalize(log, taped.run_ids[0] as string)).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  });
});
