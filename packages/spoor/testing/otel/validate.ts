import { type Fields, messages } from "./proto.ts";

/** Returns what is wrong with a request: with its encoding by the rules of OTLP's JSON, and by the GenAI conventions. */
export function validate(request: "ExportTraceServiceRequest" | "ExportMetricsServiceRequest", body: Fields): string[] {
  const problems: string[] = [];
  checkMessage(request, body, request, problems);
  if (problems.length > 0) return problems;
  if (request === "ExportTraceServiceRequest") for (const span of spansIn(body)) checkSpan(span, problems);
  else for (const metric of metricsIn(body)) checkMetric(metric, problems);
  return problems;
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  links?: { traceId: string; spanId: string }[];
  status: { code: number; message?: string };
}

export interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

export interface Point {
  attributes: KeyValue[];
  startTimeUnixNano: string;
  timeUnixNano: string;
  asInt?: string;
  asDouble?: number;
  count?: string;
  sum?: number;
  bucketCounts?: string[];
  explicitBounds?: number[];
}

export interface Metric {
  name: string;
  unit: string;
  sum?: { dataPoints: Point[]; aggregationTemporality: number; isMonotonic?: boolean };
  histogram?: { dataPoints: Point[]; aggregationTemporality: number };
}

interface Scoped {
  resource: { attributes: KeyValue[] };
  scopeSpans: { spans: Span[] }[];
  scopeMetrics: { metrics: Metric[] }[];
}

export const spansIn = (body: Fields): Span[] =>
  (body.resourceSpans as Scoped[]).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
export const metricsIn = (body: Fields): Metric[] =>
  (body.resourceMetrics as Scoped[]).flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
export const resourceIn = (body: Fields): Fields =>
  valuesOf(((body.resourceSpans ?? body.resourceMetrics) as Scoped[])[0]?.resource.attributes ?? []);

/** Attributes as an object of plain values. */
export const valuesOf = (attributes: readonly KeyValue[]): Fields =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  double: (value) => typeof value === "number",
  enum: (value) => Number.isInteger(value),
  uint32: (value) => Number.isInteger(value) && (value as number) >= 0,
  fixed32: (value) => Number.isInteger(value) && (value as number) >= 0,
  fixed64: (value) => typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n,
  sfixed64: (value) => typeof value === "string" && /^-?\d{1,19}$/.test(value),
  int64: (value) => typeof value === "string" && /^-?\d{1,19}$/.test(value),
  bytes: (value) => typeof value === "string",
  id16: (value) => typeof value === "string" && /^(?!0+$)[0-9a-f]{32}$/.test(value),
  id8: (value) => typeof value === "string" && /^(?!0+$)[0-9a-f]{16}$/.test(value),
};

function checkMessage(name: string, value: unknown, where: string, problems: string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.push(`${where} is not an object`);
    return;
  }
  if (name === "AnyValue" && Object.keys(value).length !== 1) problems.push(`${where} must have one value`);
  const keys = (value as { attributes?: { key: string }[] }).attributes?.map(({ key }) => key) ?? [];
  if (new Set(keys).size < keys.length) problems.push(`${where} has an attribute twice`);
  for (const [key, item] of Object.entries(value)) {
    const field = messages[name]?.[key];
    if (!field) {
      problems.push(`${where}.${key}: ${name} has no such field`);
      continue;
    }
    const [, type, repeated] = field;
    if (repeated && !Array.isArray(item)) problems.push(`${where}.${key} is not an array`);
    for (const [index, one] of (repeated ? (item as unknown[]) : [item]).entries()) {
      const place = repeated ? `${where}.${key}[${index}]` : `${where}.${key}`;
      const isRight = scalars[type];
      if (!isRight) checkMessage(type, one, place, problems);
      else if (!isRight(one)) problems.push(`${place} is no ${type}: ${JSON.stringify(one)}`);
    }
  }
}

const operations: Readonly<Record<string, { kind: number; target: string; required: readonly string[] }>> = {
  invoke_agent: { kind: 1, target: "gen_ai.agent.name", required: ["gen_ai.provider.name"] },
  chat: { kind: 3, target: "gen_ai.request.model", required: ["gen_ai.provider.name"] },
  execute_tool: { kind: 1, target: "gen_ai.tool.name", required: ["gen_ai.tool.name"] },
};

function checkSpan(span: Span, problems: string[]): void {
  const tell = (text: string) => problems.push(`span ${span.name}: ${text}`);
  for (const field of ["traceId", "spanId", "name", "startTimeUnixNano", "endTimeUnixNano", "status"] as const)
    if (span[field] === undefined || span[field] === "") tell(`${field} is missing`);
  if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) tell("it ends before it begins");
  if (![0, 1, 2].includes(span.status.code)) tell(`no status has the code ${span.status.code}`);
  if (span.status.message !== undefined && span.status.code !== 2) tell("only errors have a message");
  const values = valuesOf(span.attributes);
  if ((span.status.code === 2) !== (values["error.type"] !== undefined)) tell("error.type and the status disagree");
  const name = values["gen_ai.operation.name"];
  if (name === undefined) {
    if (!/^(wait|retry)( |$)/.test(span.name)) tell("gen_ai.operation.name is missing");
    return;
  }
  const operation = operations[String(name)];
  if (!operation) {
    tell(`the operation ${name} is unknown`);
    return;
  }
  if (span.kind !== operation.kind) tell(`its kind is ${span.kind}`);
  const target = values[operation.target];
  if (span.name !== (target === undefined ? String(name) : `${name} ${target}`) && target !== undefined)
    tell(`it should be named ${name} ${target}`);
  for (const key of operation.required) if (typeof values[key] !== "string") tell(`${key} is missing`);
  for (const [key, value] of Object.entries(values))
    if (key.startsWith("gen_ai.usage.") && !/^\d+$/.test(String(value))) tell(`${key} is ${value}`);
}

const histograms: Readonly<Record<string, { unit: string; required: readonly string[] }>> = {
  "gen_ai.client.token.usage": {
    unit: "{token}",
    required: ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.token.type"],
  },
  "gen_ai.client.operation.duration": { unit: "s", required: ["gen_ai.operation.name", "gen_ai.provider.name"] },
  "gen_ai.execute_tool.duration": { unit: "s", required: ["gen_ai.tool.name"] },
  "gen_ai.invoke_agent.duration": { unit: "s", required: ["gen_ai.agent.name"] },
};

function checkMetric({ name, unit, sum, histogram }: Metric, problems: string[]): void {
  const tell = (text: string) => problems.push(`metric ${name}: ${text}`);
  const data = sum ?? histogram;
  if (!data || (sum && histogram)) {
    tell("it must have one kind of data");
    return;
  }
  if (data.aggregationTemporality !== 2) tell("it is not cumulative");
  if (sum && sum.isMonotonic !== true) tell("it is not monotonic");
  if (!/^(gen_ai|spoor)\./.test(name)) tell("its name is in no namespace of ours");
  const convention = histograms[name];
  if (name.startsWith("gen_ai.") && !convention) tell("the conventions do not have it");
  if (convention && (!histogram || convention.unit !== unit)) tell("its kind or its unit is wrong");
  const series = data.dataPoints.map(({ attributes }) => JSON.stringify(valuesOf(attributes)));
  if (new Set(series).size < series.length) tell("a series has two points");
  for (const point of data.dataPoints) {
    if (BigInt(point.timeUnixNano) < BigInt(point.startTimeUnixNano)) tell("a point ends before it begins");
    const values = valuesOf(point.attributes);
    for (const key of convention?.required ?? []) if (values[key] === undefined) tell(`${key} is missing`);
    if (sum) {
      if ((point.asInt === undefined) === (point.asDouble === undefined)) tell("a point must have one value");
      continue;
    }
    const { bucketCounts = [], explicitBounds = [], count = "0" } = point;
    if (bucketCounts.length !== explicitBounds.length + 1) tell("buckets and bounds do not fit");
    if (bucketCounts.reduce((all, one) => all + BigInt(one), 0n) !== BigInt(count)) tell("buckets are not the count");
    if (explicitBounds.some((bound, index) => index > 0 && bound <= (explicitBounds[index - 1] ?? 0)))
      tell("the bounds do not rise");
  }
}
