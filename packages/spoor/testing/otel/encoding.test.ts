import type { Envelope } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../src/translators/otel/exporter/protobuf.ts";
import { measuresOf } from "../../src/translators/otel/measures.ts";
import { attributesOf } from "../../src/translators/otel/otlp.ts";
import { addMeasures, metricsOf, newTotals } from "../../src/translators/otel/totals.ts";
import { createOtelFold, traceOf } from "../../src/translators/otel/trace.ts";
import { envelopesOf, golden } from "../translators/golden.ts";
import { decode, type Fields } from "./proto.ts";
import { type Point, spansIn, validate, valuesOf } from "./validate.ts";

const resource = {
  attributes: attributesOf({ "service.name": "spoor", answer: 42, ratio: { double: 0.5 }, yes: true }),
};

function folded(envelopes: Iterable<Envelope>) {
  const run = createOtelFold();
  for (const envelope of envelopes) run.fold(envelope);
  const all = run.folded();
  if (!all) throw new Error("The run is empty.");
  return all;
}

const plain = (value: object): Fields => JSON.parse(JSON.stringify(value));

/** Protobuf has no empty lists. */
const withoutEmpty = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (Array.isArray(one) && one.length === 0 ? undefined : one)));

describe.each(golden)("the run %s", (name) => {
  it.each([false, true])("is a valid trace, in JSON and in protobuf (content: %s)", (content) => {
    const trace = plain(traceOf(envelopesOf(name), resource, { content }));
    expect(validate("ExportTraceServiceRequest", trace)).toEqual([]);
    const decoded = decode("ExportTraceServiceRequest", encodeMessage("ExportTraceServiceRequest", trace));
    expect(decoded).toEqual(withoutEmpty(trace));
  });

  it("has one span without a parent, and every other begins while its parent is open", () => {
    const [root, ...spans] = spansIn(plain(traceOf(envelopesOf(name), resource)));
    expect(root?.parentSpanId).toBeUndefined();
    const ends = new Map([root, ...spans].map((span) => [span?.spanId, BigInt(span?.endTimeUnixNano ?? 0)]));
    expect(ends.size).toBe(spans.length + 1);
    for (const { name, parentSpanId = "", startTimeUnixNano, endTimeUnixNano } of spans) {
      const end = ends.get(parentSpanId);
      if (end === undefined) throw new Error(`The parent of ${name} is missing.`);
      const isAfter = BigInt(startTimeUnixNano) >= end && BigInt(endTimeUnixNano) > end;
      expect(isAfter, name).toBe(false);
    }
  });

  it("is valid metrics, in JSON and in protobuf", () => {
    const totals = newTotals(1_000);
    addMeasures(totals, measuresOf(folded(envelopesOf(name))));
    const metrics = plain(metricsOf(totals, 2_000, resource));
    expect(validate("ExportMetricsServiceRequest", metrics)).toEqual([]);
    const decoded = decode("ExportMetricsServiceRequest", encodeMessage("ExportMetricsServiceRequest", metrics));
    expect(decoded).toEqual(withoutEmpty(metrics));
  });

  it("is the same without the pieces of its texts and outputs, which the exporter does not read", () => {
    const all = envelopesOf(name);
    const read = all.filter(({ type }) => !/^assistant\..*_delta$|^tool\.shell\.output_chunk$/.test(type));
    expect(JSON.stringify(traceOf(read, resource))).toBe(JSON.stringify(traceOf(all, resource)));
    expect(measuresOf(folded(read))).toEqual(measuresOf(folded(all)));
  });

  it("has the tokens and the cost of its view in the metrics", () => {
    const run = folded(envelopesOf(name));
    const sum = (metric: string, type?: string) =>
      measuresOf(run)
        .filter((one) => one.metric === metric && one.attributes["gen_ai.token.type"] === type)
        .reduce((all, { value }) => all + value, 0);
    expect(sum("spoor.cost")).toBeCloseTo(run.view.cost.micros / 1_000_000);
    // Turns may tell more than the whole run does.
    expect(sum("gen_ai.client.token.usage", "input")).toBeGreaterThanOrEqual(run.view.cost.inputTokens);
    expect(sum("gen_ai.client.token.usage", "output")).toBeGreaterThanOrEqual(run.view.cost.outputTokens);
  });
});

it("without an opt-in, no prompt, answer, input, output or error message is in a trace", () => {
  for (const name of golden) {
    const trace = JSON.stringify(traceOf(envelopesOf(name), resource));
    expect(trace).not.toMatch(/"gen_ai\.(input\.messages|output\.messages|tool\.call\.(arguments|result))"/);
    expect(trace).not.toContain('"message":');
  }
  const failed = JSON.stringify(traceOf(envelopesOf("upstream-failure"), resource, { content: true }));
  expect(failed).toContain('"message":"529 overloaded"');
});

it("a metric with too many series puts the rest into one", () => {
  const totals = newTotals(0);
  for (let index = 0; index < 2_000; index += 1)
    addMeasures(totals, [{ metric: "spoor.runs", value: 1, attributes: { "gen_ai.agent.name": `agent ${index}` } }]);
  const body = plain(metricsOf(totals, 1, resource));
  expect(validate("ExportMetricsServiceRequest", body)).toEqual([]);
  const { dataPoints } = (
    body as { resourceMetrics: { scopeMetrics: { metrics: { sum: { dataPoints: Point[] } }[] }[] }[] }
  ).resourceMetrics[0]?.scopeMetrics[0]?.metrics[0]?.sum ?? { dataPoints: [] };
  expect(dataPoints).toHaveLength(501);
  const rest = dataPoints.find(({ attributes }) => valuesOf(attributes)["otel.metric.overflow"] === true);
  expect(rest?.asInt).toBe("1500");
});
