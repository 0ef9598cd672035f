import { expect, test } from "vitest";
import { taskRuntime } from "../../../testing/runtime/task-runtime.ts";
import { createAndStart, createTask, deleteTask } from "../../runtime/tasks/index.ts";
import { newUlid, sessionIdOf, taskIdOf } from "./ids.ts";
import { beginIn, findSession } from "./sessions.ts";
import { createTasks } from "./tasks.ts";

test("a name that a client chose stands for one conversation, until its task is deleted", async () => {
  const { log, directory } = taskRuntime();
  const context = { log, directory, by: "a test" };
  const [first, second] = [newUlid(), newUlid()];
  expect(await findSession(log, "sess_mine", first)).toEqual({ new_task_id: `task_${first}` });
  // The first request did not start, so the next one begins the session.
  expect(await findSession(log, "sess_mine", second)).toEqual({ new_task_id: `task_${second}` });
  const task_id = await createTask(context, { kind: "shell", command: "true" });
  const ours = task_id.slice("task_".length);
  expect(await findSession(log, sessionIdOf(ours), newUlid())).toEqual({ task_id });
  expect(await findSession(log, task_id, newUlid())).toEqual({ task_id });
  await deleteTask(context, task_id);
  const next = newUlid();
  expect(await findSession(log, sessionIdOf(ours), next)).toEqual({ new_task_id: `task_${next}` });
});

test("requests that name a new session at once are one conversation, also if the first one cannot begin", async () => {
  const { log, directory } = taskRuntime();
  const context = { log, directory, by: "a test" };
  const begin = (isRefused = false) =>
    beginIn(log, "sess_new", newUlid(), async (session) => {
      if (isRefused) throw new Error("refused");
      if ("task_id" in session) return session.task_id;
      const { new_task_id: task_id } = session;
      return (await createAndStart(context, { kind: "shell", command: "true" }, { task_id })).task_id;
    });
  const [refused, ...begun] = await Promise.allSettled([begin(true), begin(), begin(), begin()]);
  expect(refused?.status).toBe("rejected");
  const ids = begun.map((each) => each.status === "fulfilled" && each.value);
  expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  expect(await log.task(String(ids[0]))).toBeDefined();
});

test("the state of a request is known before its run is in the log, up to a thousand of them", async () => {
  const { log } = taskRuntime();
  const tasks = createTasks(log);
  const ids = Array.from({ length: 1_001 }, () => taskIdOf(newUlid()));
  for (const taskId of ids) tasks.note({ taskId, sessionId: "sess_x", runId: "run_x" }, "queued");
  expect(await tasks.find(ids[0] ?? "")).toBe(undefined);
  expect(await tasks.find(ids[1_000] ?? "")).toMatchObject({ state: "queued", sessionId: "sess_x" });
});
