import { prefixed } from "@spoor/protocol";
import { expect, it, vi } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { commitEvents } from "../../src/runtime/commit.ts";
import { createAndStart, readSpec } from "../../src/runtime/tasks/index.ts";
import { traceIdOf } from "../../src/translators/otel/otlp.ts";
import { createPlace } from "./place.ts";
import { resourceIn, spansIn } from "./validate.ts";

const patient = { timeout: 40_000, interval: 20 };
const SERVE = ["serve", "--port", "0"] as const;

it("a server exports each run once, whoever records it, with the same bytes as the file of `spoor export`", async () => {
  const place = await createPlace("serve");
  const { collector } = place;
  const server = await place.start([...SERVE]);
  // One process has the variables too; it leaves the export to the server. The other has none.
  const own = await place.run("costs 0.25");
  const other = await place.run("hello", {});
  await vi.waitUntil(() => place.times(own) > 0 && place.times(other) > 0, patient);
  await vi.waitUntil(() => collector.total("spoor.runs") === 2, patient);
  await server.stop();
  expect([place.times(own), place.times(other)]).toEqual([1, 1]);
  expect(collector.problems).toEqual([]);
  expect(server.stderr()).toBe("");
  expect(collector.total("spoor.cost")).toBeCloseTo(0.25);
  expect(collector.total("gen_ai.invoke_agent.duration", { "gen_ai.agent.name": "claude" })).toBe(2);
  for (const run of [own, other]) {
    const { stdout } = await place.spoor(["export", run, "--format", "otel", "-o", "-"], {});
    const file = JSON.stringify(spansIn(JSON.parse(stdout)));
    const request = collector.requests.find(({ bytes }) => bytes.includes(traceIdOf(run)));
    expect(request?.bytes.toString()).toContain(file.slice(1, -1));
  }
}, 90_000);

it("a collector that is down costs one line, and gets everything when it is up", async () => {
  const place = await createPlace("down");
  const { collector } = place;
  await collector.stop();
  const server = await place.start([...SERVE]);
  const runs = [await place.run("hello"), await place.run("costs 1")];
  await vi.waitUntil(() => server.stderr().includes("cannot be exported"), patient);
  expect(server.stderr().trim().split("\n")).toHaveLength(1);
  expect(server.stderr()).toMatch(/ECONNREFUSED.*what is missing is exported later/);
  await collector.listen();
  await vi.waitUntil(() => runs.every((run) => place.times(run) === 1), patient);
  await vi.waitUntil(() => collector.total("spoor.runs") === 2, patient);
  await vi.waitUntil(() => server.stderr().includes("takes telemetry again"), patient);
  await server.stop();
  expect(server.stderr().trim().split("\n")).toHaveLength(2);
  expect(collector.problems).toEqual([]);
}, 90_000);

it("a server that was killed goes on where it was: nothing twice, nothing missing, and metrics continue", async () => {
  const place = await createPlace("killed");
  const { collector } = place;
  const first = await place.start([...SERVE]);
  const before = await place.run("hello");
  await vi.waitUntil(() => place.times(before) === 1 && collector.total("spoor.runs") === 1, patient);
  const [{ startTimeUnixNano } = { startTimeUnixNano: "" }] = collector.points("spoor.runs");
  await first.stop("SIGKILL");
  const meanwhile = await place.run("hello", {});
  const second = await place.start([...SERVE]);
  const after = await place.run("hello");
  await vi.waitUntil(() => place.times(meanwhile) === 1 && place.times(after) === 1, patient);
  await vi.waitUntil(() => collector.total("spoor.runs") === 3, patient);
  await second.stop();
  expect([before, meanwhile, after].map(place.times)).toEqual([1, 1, 1]);
  expect(collector.points("spoor.runs").map((point) => point.startTimeUnixNano)).toEqual([startTimeUnixNano]);
  const instances = new Set(collector.requests.map(({ body }) => resourceIn(body)["service.instance.id"]));
  expect(instances.size).toBe(1);
  expect(collector.problems).toEqual([]);
}, 90_000);

it("1,000 runs arrive once each, in few requests", async () => {
  const place = await createPlace("many");
  const { collector } = place;
  const server = await place.start([...SERVE]);
  const log = await openLog({ directory: place.data });
  const ids = Array.from({ length: 1_000 }, (_, index) =>
    prefixed("run", `01K9ZC0000SP00R0${String(index).padStart(10, "0")}`),
  );
  await Promise.all(
    ids.map((run_id) => {
      const task_id = run_id.replace("run_", "task_");
      return commitEvents(log, {
        run: { run_id, task_id, kind: "agent" },
        create: { task_id, agent: "claude", kind: "agent" },
        ...{ at: Date.now(), epoch: 1 },
        events: [
          ["run.created", { kind: "agent", agent: "claude" }],
          ["run.started", { worker_id: "w" }],
          ["turn.started", { turn_index: 1, model: "m" }],
          ["turn.completed", { turn_index: 1 }],
          ["run.finished", {}],
        ],
      });
    }),
  );
  await log.close();
  await vi.waitUntil(() => collector.total("spoor.runs") === 1_000, patient);
  await vi.waitUntil(() => collector.traces().size === 1_000, patient);
  await server.stop();
  expect(ids.filter((id) => place.times(id) !== 1)).toEqual([]);
  expect(collector.problems).toEqual([]);
  expect(collector.requests.filter(({ path }) => path === "/v1/traces").length).toBeLessThan(200);
}, 90_000);

it("`spoor work` exports what it performs, without a server", async () => {
  const place = await createPlace("work");
  const { collector } = place;
  const worker = await place.start(["work"]);
  const log = await openLog({ directory: place.data });
  const spec = readSpec({ kind: "shell", command: "true", workspace: { mode: "in_place", path: place.data } });
  await createAndStart({ log, directory: place.data, by: "test" }, spec);
  await log.close();
  await vi.waitUntil(() => collector.traces().size === 1 && collector.total("spoor.runs") === 1, patient);
  await worker.stop();
  expect(collector.problems).toEqual([]);
  const [[root] = []] = [...collector.traces().values()];
  expect(root?.name).toMatch(/^invoke_agent /);
}, 90_000);
