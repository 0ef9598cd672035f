import { type Measure, type MetricName, type MetricShape, metrics } from "./measures.ts";
import { attributesOf, nanos, type OtlpAttribute, type OtlpResource } from "./otlp.ts";

/**
 * The sums of all metrics since a moment, as plain JSON that survives a restart. They are cumulative: a later export
 * replaces an earlier one, so sending one twice, or losing one, changes no number.
 */
export interface Totals {
  /** Since when is counted, in epoch milliseconds. */
  readonly since: number;
  /** By metric, then by the JSON of the attributes. */
  readonly series: Partial<Record<MetricName, Record<string, Series>>>;
}

interface Series {
  sum: number;
  /** The others belong to histograms. */
  count?: number;
  min?: number;
  max?: number;
  buckets?: number[];
}

/** A metric has at most this many series; what is beyond goes into one with the attribute that OpenTelemetry defines for it. */
const MOST_SERIES = 500;
const OVERFLOW = JSON.stringify([["otel.metric.overflow", true]]);

export const newTotals = (since: number): Totals => ({ since, series: {} });

/** Adds to the totals in place. */
export function addMeasures(totals: Totals, measures: readonly Measure[]): void {
  for (const { metric, value, attributes } of measures) {
    totals.series[metric] ??= {};
    const all = totals.series[metric];
    const wanted = JSON.stringify(Object.entries(attributes).filter(([, text]) => text !== undefined));
    const key = Object.hasOwn(all, wanted) || Object.keys(all).length < MOST_SERIES ? wanted : OVERFLOW;
    const one = all[key] ?? { sum: 0 };
    all[key] = one;
    one.sum += value;
    const { bounds }: MetricShape = metrics[metric];
    if (!bounds) continue;
    one.count = (one.count ?? 0) + 1;
    one.min = Math.min(one.min ?? value, value);
    one.max = Math.max(one.max ?? value, value);
    one.buckets ??= new Array<number>(bounds.length + 1).fill(0);
    const found = bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? bounds.length : found;
    one.buckets[bucket] = (one.buckets[bucket] ?? 0) + 1;
  }
}

export interface OtlpMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: OtlpResource;
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string };
      readonly metrics: readonly OtlpMetric[];
    }[];
  }[];
}

interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly sum?: OtlpData<OtlpNumber> & { readonly isMonotonic: true };
  readonly histogram?: OtlpData<OtlpHistogram>;
}

interface OtlpData<Point> {
  readonly dataPoints: readonly Point[];
  readonly aggregationTemporality: number;
}

interface OtlpPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

type OtlpNumber = OtlpPoint & ({ readonly asInt: string } | { readonly asDouble: number });

interface OtlpHistogram extends OtlpPoint {
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
  readonly min?: number;
  readonly max?: number;
}

const CUMULATIVE = 2;

/** The totals in OTLP's JSON. `now` is in epoch milliseconds. */
export function metricsOf({ since, series }: Totals, now: number, resource: OtlpResource): OtlpMetrics {
  const list = (Object.keys(metrics) as MetricName[]).flatMap((name): OtlpMetric[] => {
    const { unit, description, bounds, isDouble }: MetricShape = metrics[name];
    const all = Object.entries(series[name] ?? {});
    if (all.length === 0) return [];
    const points = all.map(([key, one]) => ({
      one,
      attributes: attributesOf(Object.fromEntries(JSON.parse(key) as [string, string | boolean][])),
      startTimeUnixNano: nanos(since),
      timeUnixNano: nanos(Math.max(now, since)),
    }));
    const facts = { name, description, unit };
    if (!bounds) {
      const dataPoints = points.map(({ one, ...point }) => ({
        ...point,
        ...(isDouble ? { asDouble: one.sum } : { asInt: String(one.sum) }),
      }));
      return [{ ...facts, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }];
    }
    const dataPoints = points.map(({ one, ...point }) => ({
      ...point,
      count: String(one.count ?? 0),
      sum: one.sum,
      bucketCounts: (one.buckets ?? []).map(String),
      explicitBounds: bounds,
      ...(one.min !== undefined && { min: one.min }),
      ...(one.max !== undefined && { max: one.max }),
    }));
    return [{ ...facts, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } }];
  });
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "spoor" }, metrics: list }] }] };
}
