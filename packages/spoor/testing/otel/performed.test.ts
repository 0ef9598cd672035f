import { prefixed } from "@spoor/protocol";
import { expect, it, vi } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { commitEvents } from "../../src/runtime/commit.ts";
import { Ledger } from "../../src/translators/otel/exporter/ledger.ts";
import { fakeClaude as fake } from "../cli/process.ts";
import { createPlace } from "./place.ts";
import { resourceIn, valuesOf } from "./validate.ts";

const attributesIn = (collector: Awaited<ReturnType<typeof createPlace>>["collector"]) =>
  [...collector.traces().values()].flat().map(({ attributes }) => valuesOf(attributes));

it("without a server, `spoor run` exports its own run and no other, and what the one before could not", async () => {
  const place = await createPlace("run");
  const { collector, exporting } = place;
  const unwanted = await place.run("hello", {});
  const first = await place.run("hello");
  expect([place.times(unwanted), place.times(first)]).toEqual([0, 1]);
  await collector.stop();
  const { stderr, code } = await place.spoor(
    ["run", "claude", "costs 0.5", "--command", `"${process.execPath}" "${fake}"`],
    exporting,
  );
  expect(code).toBe(0);
  expect(stderr.match(/cannot be exported/g)).toHaveLength(1);
  await collector.listen();
  const last = await place.run("hello");
  expect([place.times(unwanted), place.times(first), place.times(last)]).toEqual([0, 1, 1]);
  expect(collector.traces().size).toBe(3);
  expect(collector.total("spoor.runs")).toBe(3);
  expect(collector.total("spoor.cost")).toBeCloseTo(0.5);
  // A server that starts later exports neither these again nor the one that nobody wanted.
  const server = await place.start(["serve", "--port", "0"]);
  const served = await place.run("hello");
  await vi.waitUntil(() => place.times(served) === 1 && collector.total("spoor.runs") === 4, { timeout: 40_000 });
  await server.stop();
  expect(collector.traces().size).toBe(4);
  expect(collector.problems).toEqual([]);
}, 90_000);

it("protobuf, compression, headers and the resource are as the variables say", async () => {
  const place = await createPlace("variables");
  const { collector } = place;
  await place.run("hello", {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b,x-other=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=traces",
    OTEL_SERVICE_NAME: "agents",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,team=a%2Cb",
  });
  expect(collector.problems).toEqual([]);
  const byPath = Object.fromEntries(collector.requests.map((request) => [request.path, request]));
  expect(byPath["/v1/traces"]?.headers).toMatchObject({
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
    "x-key": "traces",
  });
  expect(byPath["/v1/metrics"]?.headers).toMatchObject({ "x-key": "a b", "x-other": "1" });
  for (const { body } of collector.requests) {
    expect(resourceIn(body)).toMatchObject({
      "service.name": "agents",
      "deployment.environment.name": "test",
      team: "a,b",
    });
  }
}, 90_000);

it("content is exported only on request, and never a secret", async () => {
  const place = await createPlace("content");
  const { collector, exporting } = place;
  const secret = "sk-ant-api03-kR7mP2xQ9vT4wY8zB1cD5fG6hJ3nL0aSeUiOqWxZ7yV2tR4pM8kN6bC1dF5gH9jK3lQ-mXpZwAA";
  const prompt = `the prompt and ${secret}`;
  await place.run(prompt);
  expect(collector.requests.map(({ bytes }) => bytes.toString()).join()).not.toContain("the prompt");
  await place.run(prompt, { ...exporting, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
  const all = collector.requests.map(({ bytes }) => bytes.toString()).join();
  expect(all).toContain("the prompt and");
  expect(all).not.toContain(secret.slice(0, 40));
  const chat = attributesIn(collector).findLast((values) => values["gen_ai.operation.name"] === "chat");
  const [input] = JSON.parse(String(chat?.["gen_ai.input.messages"]));
  const [output] = JSON.parse(String(chat?.["gen_ai.output.messages"]));
  expect(input).toMatchObject({ role: "user", parts: [{ type: "text" }] });
  expect(output).toMatchObject({ role: "assistant", finish_reason: expect.any(String), parts: [{ type: "text" }] });
  expect(collector.problems).toEqual([]);
}, 90_000);

it("an agent gets the variables, and the headers are not recorded when it prints them", async () => {
  const place = await createPlace("agent");
  const variables = { ...place.exporting, OTEL_EXPORTER_OTLP_HEADERS: "x-any=Basic%20plain-word-key,y=1" };
  const { stdout } = await place.spoor(
    [
      ...["run", "claude", "variables OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_ENDPOINT", "--json"],
      ...["--command", `"${process.execPath}" "${fake}"`],
    ],
    variables,
  );
  expect(stdout).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${place.collector.url}`);
  expect(stdout).toContain("OTEL_EXPORTER_OTLP_HEADERS=x-any=[redacted:");
  expect(stdout).not.toContain("plain-word-key");
}, 90_000);

it.each([
  ["OTEL_SDK_DISABLED", "true", []],
  ["OTEL_TRACES_EXPORTER", "none", ["/v1/metrics"]],
  ["OTEL_METRICS_EXPORTER", "none", ["/v1/traces"]],
] as const)(
  "with %s=%s, only %j is sent",
  async (name, value, paths) => {
    const place = await createPlace("off");
    await place.run("hello", { ...place.exporting, [name]: value });
    expect(place.collector.requests.map(({ path }) => path)).toEqual(paths);
  },
  60_000,
);

it("a collector that never answers delays the end of the command by a few seconds only, and grpc is explained", async () => {
  const place = await createPlace("slow");
  const { collector, exporting } = place;
  collector.intercept = () => true;
  const began = performance.now();
  await place.run("hello", { ...exporting, OTEL_EXPORTER_OTLP_TIMEOUT: "60000" });
  expect(performance.now() - began).toBeLessThan(40_000);
  collector.intercept = undefined;
  const argv = ["run", "claude", "hello", "--json", "--command", `"${process.execPath}" "${fake}"`];
  const { code, stderr } = await place.spoor(argv, { ...exporting, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
  expect([code, collector.requests.length]).toEqual([0, 0]);
  expect(stderr).toMatch(/grpc is not supported.*http\/protobuf or http\/json.*4318/);
}, 90_000);

it("a run that is too large for the time of a command does not keep others from being exported", async () => {
  const place = await createPlace("large");
  const { collector } = place;
  await collector.stop();
  const log = await openLog({ directory: place.data });
  const run_id = prefixed("run", "01K9ZC0000SP00R00000000001");
  const task_id = run_id.replace("run_", "task_");
  const turns = Array.from({ length: 3_000 }, (_, index): [string, object][] => [
    ["turn.started", { turn_index: index + 1, model: "m" }],
    ["turn.completed", { turn_index: index + 1 }],
  ]);
  await commitEvents(log, {
    run: { run_id, task_id, kind: "agent" },
    create: { task_id, agent: "claude", kind: "agent" },
    ...{ at: Date.now(), epoch: 1 },
    events: [
      ["run.created", { kind: "agent", agent: "claude" }],
      ["run.started", { worker_id: "w" }],
      ...turns.flat(),
      ["run.finished", {}],
    ],
  });
  await (await Ledger.open(log)).mark("traces", [{ run_id, position: log.lastPosition }], false);
  await log.close();
  const small = await place.run("hello");
  await collector.listen();
  // From then on the receiver does not answer.
  collector.intercept = () => place.times(small) > 0;
  await place.run("hello", { ...place.exporting, OTEL_METRICS_EXPORTER: "none" });
  expect([place.times(small), place.times(run_id)]).toEqual([1, 0]);
  collector.intercept = undefined;
  await place.run("hello");
  expect([place.times(small), place.times(run_id)]).toEqual([1, 1]);
}, 90_000);

it("a run that waits for a person has the wait as a span of its call, and in the metrics", async () => {
  const place = await createPlace("wait");
  const { collector } = place;
  const { code } = await place.spoor(["demo", "--json"]);
  expect(code).toBe(0);
  const spans = [...collector.traces().values()].flat();
  const waits = spans.filter(({ name }) => name === "wait approval");
  expect(waits.length).toBeGreaterThan(0);
  const parents = waits.map((wait) => spans.find(({ spanId }) => spanId === wait.parentSpanId)?.name);
  // The run itself also waits once: for permission to start.
  expect([...new Set(parents.map((name) => name?.split(" ")[0]))].sort()).toEqual(["execute_tool", "invoke_agent"]);
  expect(collector.total("spoor.approval.wait", { "spoor.wait.outcome": "approved" })).toBe(waits.length);
  expect(collector.total("gen_ai.execute_tool.duration")).toBeGreaterThan(0);
  expect(collector.total("gen_ai.client.token.usage", { "gen_ai.token.type": "input" })).toBeGreaterThan(0);
  expect(collector.problems).toEqual([]);
}, 90_000);
