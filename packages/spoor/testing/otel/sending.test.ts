import { expect, it, onTestFinished, vi } from "vitest";
import { createNotices } from "../../src/translators/otel/exporter/notices.ts";
import { createSender } from "../../src/translators/otel/exporter/sender.ts";
import { readSettings } from "../../src/translators/otel/exporter/settings.ts";
import { attributesOf } from "../../src/translators/otel/otlp.ts";
import { traceOf } from "../../src/translators/otel/trace.ts";
import { envelopesOf } from "../translators/golden.ts";
import { startCollector } from "./collector.ts";

const trace = traceOf(envelopesOf("success"), { attributes: attributesOf({ "service.name": "spoor" }) });
const never = new AbortController().signal;

async function prepare(protocol = "http/json") {
  const collector = await startCollector();
  const lines: string[] = [];
  const { traces } = readSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
  });
  if (!traces) throw new Error("Nothing is exported.");
  const sender = createSender("traces", traces, {
    notices: createNotices((line) => lines.push(line)),
    firstWaitMs: 10,
  });
  onTestFinished(async () => {
    sender.close();
    await collector.stop();
  });
  return { collector, sender, lines, send: () => sender.send(() => trace, never) };
}

it.each([429, 502, 503, 504])("%i is tried again until it is taken, and told once", async (status) => {
  const { collector, send, lines } = await prepare();
  let left = 3;
  collector.intercept = (response) => {
    if (left-- <= 0) return false;
    response.writeHead(status).end();
    return true;
  };
  expect(await send()).toBe(true);
  expect([collector.attempts, collector.traces().size]).toEqual([4, 1]);
  expect(lines).toEqual([
    expect.stringContaining(`it answered ${status}`),
    expect.stringContaining("takes telemetry again"),
  ]);
});

it.each([
  ["1", 990],
  [() => new Date(Date.now() + 2_000).toUTCString(), 900],
])("Retry-After (%s) is obeyed", async (value, ms) => {
  const { collector, send } = await prepare();
  const times: number[] = [];
  collector.intercept = (response) => {
    times.push(performance.now());
    if (times.length > 1) return false;
    response.writeHead(503, { "retry-after": typeof value === "string" ? value : value() }).end();
    return true;
  };
  await send();
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(ms);
});

it.each([400, 401, 404, 413, 500, 301])("%i is not tried again, and told once", async (status) => {
  const { collector, send, lines } = await prepare();
  collector.intercept = (response) => {
    response.writeHead(status, { location: "/elsewhere" }).end();
    return true;
  };
  expect([await send(), await send()]).toEqual([true, true]);
  expect(collector.attempts).toBe(2);
  expect(lines).toEqual([expect.stringContaining(`refuses traces: it answered ${status}`)]);
});

it.each([
  [
    "http/json",
    JSON.stringify({ partialSuccess: { rejectedSpans: "3", errorMessage: "too old" } }),
    "rejected 3 items: too old.",
  ],
  [
    "http/protobuf",
    Buffer.from([0x0a, 0x0b, 0x08, 3, 0x12, 7, ...Buffer.from("too old")]),
    "rejected 3 items: too old.",
  ],
  ["http/json", JSON.stringify({ partialSuccess: { errorMessage: "slow down" } }), "it warns: slow down."],
])("what the receiver says about a request that it took is told (%s)", async (protocol, answer, expected) => {
  const { collector, send, lines } = await prepare(protocol);
  collector.intercept = (response) => {
    response.writeHead(200).end(answer);
    return true;
  };
  expect(await send()).toBe(true);
  expect(lines).toEqual([expect.stringContaining(expected)]);
});

it.each([
  ["http/json", "{"],
  ["http/json", JSON.stringify({ partialSuccess: { rejectedSpans: "many" } })],
  ["http/protobuf", "<html>"],
  ["http/protobuf", Buffer.from([0x0a, 0x04, 0x0a, 0x02, 0x68, 0x69])],
])("an answer that cannot be read changes nothing (%s, %s)", async (protocol, answer) => {
  const { collector, send, lines } = await prepare(protocol);
  collector.intercept = (response) => {
    response.writeHead(200).end(answer);
    return true;
  };
  expect(await send()).toBe(true);
  expect([collector.attempts, lines]).toEqual([1, []]);
});

it("a receiver that never answers is left after the timeout", async () => {
  const { collector, sender, lines } = await prepare();
  collector.intercept = () => true;
  const stopping = new AbortController();
  const sent = sender.send(() => trace, stopping.signal);
  await vi.waitUntil(() => lines.length > 0, { timeout: 30_000 });
  stopping.abort();
  expect(await sent).toBe(false);
  expect(lines).toEqual([expect.stringContaining("no answer within 2000 ms")]);
});

it.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/otlp/" },
    "http://c:4318/otlp/v1/traces http://c:4318/otlp/v1/metrics",
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c/x" }, "https://c/x undefined"],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://c/x" }, "undefined https://c/x"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "TRUE" }, "undefined undefined"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, "undefined undefined"],
  [{}, "undefined undefined"],
])("%j sends to %s", (variables, expected) => {
  const { traces, metrics, problems } = readSettings(variables);
  expect(`${traces?.url} ${metrics?.url}`).toBe(expected);
  expect(problems).toEqual([]);
});

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317" }, /OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as/],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /grpc is not supported/],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: "zstd" }, /zstd is not supported/],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: "10s" }, /OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "secret-without-a-name" }, /^(?!.*secret).*OTEL_EXPORTER_OTLP_HEADERS must be like/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "Authorization: Bearer secret=" }, /^(?!.*secret).*must be like name=value/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "key=secret%0Aline" }, /^(?!.*secret).*must be like name=value/],
  [{ OTEL_TRACES_EXPORTER: "console" }, /OTEL_TRACES_EXPORTER is console/],
  [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta" }, /cumulative metrics only/],
])("%j is a problem that is told", (variables, expected) => {
  const { problems } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", ...variables });
  expect(problems[0]).toMatch(expected);
  expect(new Set(problems).size).toBe(problems.length);
});
