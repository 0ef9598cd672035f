import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { loopRuntime, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { ValidationError } from "../failures/errors.ts";
import { sendCommand } from "../runtime/commands/send.ts";

const write = (file: string, id: string) => ({ name: "write", id, input: { path: file, content: file } });

test("two calls of one answer with the same id are two calls, each with its own result", async () => {
  const model = scriptedModel([
    { calls: [write("a.txt", "same"), write("b.txt", "same")] },
    { calls: [write("c.txt", "same")] },
    { text: "Done." },
  ]);
  const { log, start, startWorker, workspace } = loopRuntime(model);
  startWorker();
  const { run_id } = await start("Do it.", { approve: "yolo" });
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", files_changed: 3 });
  const envelopes = await envelopesOf(log, run_id);
  const ids = (type: string) =>
    envelopes.filter((each) => each.type === type).map(({ data }) => data.tool_call_id as string);
  expect(ids("tool.invoked")).toEqual(["same", "same-2", "same-3"]);
  expect(ids("tool.completed").toSorted()).toEqual(["same", "same-2", "same-3"]);
  for (const file of ["a.txt", "b.txt", "c.txt"]) expect(readFileSync(path.join(workspace, file), "utf8")).toBe(file);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  await expectProjectionsRebuilt(log);
});

test("an answer that reached the output limit counts, and the user is warned that it may be incomplete", async () => {
  const { log, start, startWorker } = loopRuntime(scriptedModel([{ text: "The first half", finish: "length" }]));
  startWorker();
  const { run_id } = await start("Do it.");
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
  const envelopes = await envelopesOf(log, run_id);
  const message = expect.stringContaining("its answer may be incomplete");
  expect(envelopes.find(({ type }) => type === "debug.message")?.data).toMatchObject({ level: "warn", message });
  expect(envelopes.find(({ type }) => type === "turn.completed")?.data).toMatchObject({ stop_reason: "length" });
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

test("a run whose model cannot be found says so, with a session that ends", async () => {
  const { log, start, startWorker } = loopRuntime(scriptedModel([]), {
    findModel: () => Promise.reject(new ValidationError([{ field: "model", message: "There is no such model." }])),
  });
  startWorker();
  const { run_id } = await start("Do it.");
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed", error_code: "validation_error" });
  const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(["session.started", "session.ended", "run.failed"]));
  expect(await findingsOf(log, [run_id])).toEqual([]);
  await expectProjectionsRebuilt(log);
});

test("a run that cannot begin receives no more commands", async () => {
  const { log, start, startWorker } = loopRuntime(scriptedModel([]), {
    tools() {
      throw new Error("No tools.");
    },
  });
  const stops: ReturnType<typeof vi.fn>[] = [];
  const watch = log.watchCommands.bind(log);
  vi.spyOn(log, "watchCommands").mockImplementation((...given) => {
    stops.push(vi.fn(watch(...given)));
    return stops.at(-1) as () => void;
  });
  startWorker();
  const { run_id } = await start("Do it.");
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed" });
  expect(stops.map(({ mock }) => mock.calls.length)).toEqual([1]);
});

test("a provider that asks to wait for a day is asked again after five minutes", async () => {
  const model = scriptedModel([{ error: new Error("busy") }]);
  const { log, start, startWorker } = loopRuntime(model, {
    failureOf: () => ({
      ...{ kind: "rate_limit", code: "RATE_LIMITED", message: "Busy.", status: 429, retriable: true },
      retryAfterMs: 86_400_000,
    }),
  });
  startWorker();
  const { run_id } = await start("Do it.");
  await untilTypes(log, run_id, "limit.retry_scheduled");
  const scheduled = (await envelopesOf(log, run_id)).find(({ type }) => type === "limit.retry_scheduled");
  expect(scheduled?.data).toMatchObject({ delay_ms: 300_000 });
  await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "cancelled" });
});
