import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { decode, type Fields } from "./proto.ts";
import { type Metric, metricsIn, type Point, type Span, spansIn, validate, valuesOf } from "./validate.ts";

export interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came, without its compression. */
  bytes: Buffer;
  body: Fields;
}

/** A receiver of OTLP over HTTP that checks everything it gets. */
export interface Collector {
  readonly url: string;
  /** The requests that were taken. */
  readonly requests: Request[];
  /** How many requests came, taken or not. */
  readonly attempts: number;
  /** What was wrong with requests. */
  readonly problems: string[];
  /** Spans by trace, as often as they came. */
  traces(): Map<string, Span[]>;
  /** The newest points of a metric. */
  points(name: string): Point[];
  /** The sum of a metric over all series with these attributes. */
  total(name: string, attributes?: Record<string, unknown>): number;
  /** Answers the next requests itself if it returns true. */
  intercept?: ((response: ServerResponse) => boolean) | undefined;
  /** Stops, as a collector that is down. `listen` starts it again at the same address. */
  stop(): Promise<void>;
  listen(): Promise<void>;
}

const requests = {
  "/v1/traces": "ExportTraceServiceRequest",
  "/v1/metrics": "ExportMetricsServiceRequest",
} as const;

export async function startCollector(): Promise<Collector> {
  let port = 0;
  let attempts = 0;
  const taken: Request[] = [];
  const problems: string[] = [];
  const server = createServer(async (incoming, response) => {
    attempts += 1;
    const { url: path = "", headers } = incoming;
    const raw = await buffer(incoming);
    if (collector.intercept?.(response)) return;
    const name = requests[path as keyof typeof requests];
    const type = headers["content-type"];
    if (!name || incoming.method !== "POST") {
      problems.push(`${incoming.method} ${path}`);
      response.writeHead(404).end();
      return;
    }
    try {
      const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      const isJson = type === "application/json";
      if (!isJson && type !== "application/x-protobuf") throw new Error(`the content type is ${type}`);
      const body: Fields = isJson ? JSON.parse(bytes.toString()) : decode(name, bytes);
      problems.push(...validate(name, body));
      taken.push({ path, headers, bytes, body });
      response.writeHead(200, { "content-type": type }).end(isJson ? "{}" : "");
    } catch (error) {
      problems.push(String(error));
      response.writeHead(400).end();
    }
  });
  const collector: Collector = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    requests: taken,
    get attempts() {
      return attempts;
    },
    problems,
    traces: () =>
      Map.groupBy(
        taken.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => spansIn(body)),
        ({ traceId }) => traceId,
      ),
    points(name) {
      const last = taken.findLast(({ path }) => path === "/v1/metrics");
      const metric: Metric | undefined = last && metricsIn(last.body).find((one) => one.name === name);
      return (metric?.sum ?? metric?.histogram)?.dataPoints ?? [];
    },
    total(name, attributes = {}) {
      const matches = (point: Point) => {
        const values = valuesOf(point.attributes);
        return Object.entries(attributes).every(([key, value]) => values[key] === value);
      };
      return collector
        .points(name)
        .filter(matches)
        .reduce((sum, { asInt, asDouble, count }) => sum + Number(asInt ?? asDouble ?? count), 0);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
    async listen() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      ({ port } = server.address() as AddressInfo);
    },
  };
  await collector.listen();
  return collector;
}
