import type { Envelope } from "@spoor/protocol";
import type { FileSource } from "./file-source.ts";

/** A form in which a run is written to a file. */
export interface FileFormat {
  /** The end of the file's name. */
  readonly extension: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** `lines` are the stored envelopes, one per line. */
  write(lines: AsyncIterable<string>, source: FileSource): AsyncIterable<string>;
}

/**
 * The forms besides the bundle, which is the only one that can be verified. What a form needs is loaded when it is written,
 * because every start of the command loads this table.
 */
export const fileFormats = {
  jsonl: {
    extension: "jsonl",
    summary: "one envelope per line",
    async *write(lines) {
      for await (const line of lines) yield `${line}\n`;
    },
  },
  markdown: {
    extension: "md",
    summary: "for people to read",
    async *write(lines, source) {
      const { createRunFold } = await import("@spoor/protocol");
      const { markdownOf } = await import("./markdown/markdown.ts");
      const { withStoredParts } = await import("./stored-parts.ts");
      const run = createRunFold();
      for await (const line of lines) run.fold(JSON.parse(line));
      yield markdownOf((await withStoredParts(run.snapshot(), source)).view);
    },
  },
  html: {
    extension: "html",
    summary: "one page that shows the run, safe to share",
    async *write(lines, source) {
      yield* (await import("./html/html.ts")).htmlOf(lines, source);
    },
  },
  cloudevents: {
    extension: "cloudevents.jsonl",
    summary: "CloudEvents 1.0, one per line",
    async *write(lines) {
      const { cloudEvent } = await import("./cloudevents.ts");
      for await (const line of lines) yield `${JSON.stringify(cloudEvent(JSON.parse(line)))}\n`;
    },
  },
  otel: {
    extension: "otlp.json",
    summary: "a trace of OpenTelemetry in OTLP's JSON",
    async *write(lines) {
      const [{ traceOf }, { attributesOf }] = [await import("./otel/trace.ts"), await import("./otel/otlp.ts")];
      const envelopes: Envelope[] = [];
      for await (const line of lines) envelopes.push(JSON.parse(line));
      const trace = traceOf(envelopes, { attributes: attributesOf({ "service.name": "spoor" }) });
      yield `${JSON.stringify(trace)}\n`;
    },
  },
} as const satisfies Record<string, FileFormat>;

export type FileFormatName = keyof typeof fileFormats;
