import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Attributes } from "../otlp.ts";

/** What the standard variables of OpenTelemetry say. */
export interface Settings {
  readonly traces?: SignalSettings;
  readonly metrics?: SignalSettings;
  /** Attributes of the resource, besides those that Spoor adds. */
  readonly resource: Attributes;
  /** Whether prompts, answers, and inputs and outputs of tools are exported. */
  readonly content: boolean;
  /** Milliseconds between two exports of metrics. */
  readonly intervalMs: number;
  /** What is wrong with the variables, in sentences. */
  readonly problems: readonly string[];
}

/** Where and how one signal is sent. */
export interface SignalSettings {
  readonly url: URL;
  readonly protocol: Protocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly gzip: boolean;
  /** Names of files. */
  readonly certificate?: string;
  readonly clientKey?: string;
  readonly clientCertificate?: string;
}

export type Protocol = (typeof protocols)[number];
export const protocols = ["http/protobuf", "http/json"] as const;

export type Signal = "traces" | "metrics";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether anything is to be exported. It is asked at the end of many commands, so it must be cheap. */
export const wantsExport = (environment: Environment): boolean =>
  ["", "_TRACES", "_METRICS"].some((signal) => (environment[`OTEL_EXPORTER_OTLP${signal}_ENDPOINT`] ?? "") !== "") &&
  environment.OTEL_SDK_DISABLED?.toLowerCase() !== "true";

/** Reads the variables. A value that is wrong is a problem and never an exception: telemetry must not break a run. */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = [];
  const settings = readAll(environment, problems);
  // Both signals read the same variables.
  return { ...settings, problems: [...new Set(problems)] };
}

function readAll(environment: Environment, problems: string[]): Omit<Settings, "problems"> {
  const get = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const settings = {
    resource: resourceOf(get, problems),
    content: isTrue(get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")),
    intervalMs: milliseconds(get, "OTEL_METRIC_EXPORT_INTERVAL", 60_000, problems),
  };
  if (!wantsExport(environment)) return settings;
  const traces = signalOf("traces", get, problems);
  const metrics = signalOf("metrics", get, problems);
  const temporality = get("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE")?.toLowerCase();
  if (metrics && temporality !== undefined && temporality !== "cumulative") {
    problems.push(
      `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is ${temporality}, but Spoor exports cumulative metrics only. They are exported as such.`,
    );
  }
  return { ...settings, ...(traces && { traces }), ...(metrics && { metrics }) };
}

type Get = (name: string) => string | undefined;

/** The settings of one signal; undefined if it is not exported. */
function signalOf(signal: Signal, get: Get, problems: string[]): SignalSettings | undefined {
  const upper = signal.toUpperCase();
  const either = (name: string) => get(`OTEL_EXPORTER_OTLP_${upper}_${name}`) ?? get(`OTEL_EXPORTER_OTLP_${name}`);
  if (get(`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`) === undefined && get("OTEL_EXPORTER_OTLP_ENDPOINT") === undefined)
    return undefined;
  const exporters = (get(`OTEL_${upper}_EXPORTER`) ?? "otlp").split(",").map((name) => name.trim().toLowerCase());
  if (!exporters.includes("otlp")) {
    if (!exporters.includes("none"))
      problems.push(
        `OTEL_${upper}_EXPORTER is ${exporters.join()}, but Spoor knows otlp and none. No ${signal} are exported.`,
      );
    return undefined;
  }
  const url = urlOf(signal, get, problems);
  const protocol = (either("PROTOCOL") ?? protocols[0]).toLowerCase();
  if (!isProtocol(protocol)) {
    problems.push(
      `The OTLP protocol ${protocol} is not supported, so no ${signal} are exported. ` +
        "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json, and the endpoint to the collector's HTTP port (4318 by default).",
    );
    return undefined;
  }
  if (!url) return undefined;
  const compression = (either("COMPRESSION") ?? "none").toLowerCase();
  if (compression !== "none" && compression !== "gzip")
    problems.push(
      `The OTLP compression ${compression} is not supported; ${signal} are sent without. Choose gzip or none.`,
    );
  const [certificate, clientKey, clientCertificate] = [
    either("CERTIFICATE"),
    either("CLIENT_KEY"),
    either("CLIENT_CERTIFICATE"),
  ];
  return {
    url,
    protocol,
    headers: pairsOf(either("HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS", problems, checkHeader),
    timeoutMs: milliseconds(either, "TIMEOUT", 10_000, problems),
    gzip: compression === "gzip",
    ...(certificate !== undefined && { certificate }),
    ...(clientKey !== undefined && { clientKey }),
    ...(clientCertificate !== undefined && { clientCertificate }),
  };
}

const isProtocol = (name: string): name is Protocol => (protocols as readonly string[]).includes(name);

/** The variable of the signal is used as it is; the common one is the beginning of the address. */
function urlOf(signal: Signal, get: Get, problems: string[]): URL | undefined {
  const name = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const own = get(name);
  const text = own ?? get("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    problems.push(
      `${own === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : name} must be an address such as http://localhost:4318, so no ${signal} are exported.`,
    );
    return undefined;
  }
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${signal}`;
  url.hash = "";
  return url;
}

function resourceOf(get: Get, problems: string[]): Attributes {
  const given = pairsOf(get("OTEL_RESOURCE_ATTRIBUTES"), "OTEL_RESOURCE_ATTRIBUTES", problems);
  return { ...given, "service.name": get("OTEL_SERVICE_NAME") ?? given["service.name"] ?? "spoor" };
}

/** `a=1,b=2`, with percent-encoding. A pair that cannot be read is left out; its value is not shown, because it may be a secret. */
function pairsOf(
  text: string | undefined,
  name: string,
  problems: string[],
  check?: (key: string, value: string) => void,
): Record<string, string> {
  const pairs: Record<string, string> = {};
  let unreadable = 0;
  for (const pair of (text ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    try {
      const key = decodeURIComponent(pair.slice(0, Math.max(at, 0)).trim());
      if (key === "") throw new Error("no name");
      const value = decodeURIComponent(pair.slice(at + 1).trim());
      check?.(key, value);
      pairs[key] = value;
    } catch {
      unreadable += 1;
    }
  }
  if (unreadable > 0)
    problems.push(
      `${name} must be like name=value,other=value. What could not be read is left out (pairs: ${unreadable}).`,
    );
  return pairs;
}

/** Throws if HTTP does not allow it. Node's own error for `Authorization: Bearer KEY=` would show the key to everybody. */
function checkHeader(name: string, value: string): void {
  validateHeaderName(name);
  validateHeaderValue(name, value);
}

function milliseconds(get: Get, name: string, otherwise: number, problems: string[]): number {
  const text = get(name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  problems.push(
    `${name.startsWith("OTEL") ? name : `OTEL_EXPORTER_OTLP_${name}`} must be a number of milliseconds, so ${otherwise} is used.`,
  );
  return otherwise;
}

/** `span_only` and `span_and_event` are values of other programs that read this variable. */
const isTrue = (text = "false"): boolean => ["true", "1", "span_only", "span_and_event"].includes(text.toLowerCase());
