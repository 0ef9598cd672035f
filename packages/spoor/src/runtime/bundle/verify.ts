import { hash } from "node:crypto";
import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { RunRecord } from "@spoor/protocol/api";
import { asObject, parseObject } from "../../agents/kit/json-values.ts";
import { type BundleFooter, type BundleHeader, Chain } from "./format.ts";

/** What `verifyBundle` found out about a bundle. */
export interface BundleVerdict {
  run?: RunRecord;
  events: number;
  head: string;
  /** One sentence for each problem; empty when the bundle is valid. */
  problems: string[];
}

/**
 * Verifies a bundle without a log: that it is complete and that no byte was changed. Reads one line at a time.
 *
 * @example
 * const { problems } = await verifyBundle("run.spoor.gz");
 * if (problems.length > 0) console.error(problems.join("\n"));
 */
export async function verifyBundle(source: string | Readable): Promise<BundleVerdict> {
  const reader = new BundleReader();
  const input = typeof source === "string" ? await opened(source) : source;
  try {
    for await (const line of cutLines(unpacked(input))) if (!reader.read(line)) break;
  } catch (error) {
    reader.problems.push(`The file cannot be read to its end: ${(error as Error).message}.`);
  } finally {
    // Otherwise a file that was not read to its end stays open.
    input.destroy();
  }
  return reader.conclude();
}

const MAX_PROBLEMS = 100;

class BundleReader {
  readonly problems: string[] = [];
  #header: BundleHeader | undefined;
  #headerHash = "";
  #footer: BundleFooter | undefined;
  #chain = new Chain(undefined);
  #next = 0;

  /** Returns whether to read on. */
  read(line: Buffer): boolean {
    if (this.#header) this.#readLine(line, this.#header.run);
    else {
      this.#header = headerOf(line);
      this.#headerHash = hash("sha256", line);
      this.#chain = new Chain(this.#header?.chain_start, this.#header?.run);
    }
    return this.#header !== undefined && this.problems.length < MAX_PROBLEMS;
  }

  conclude(): BundleVerdict {
    const { problems } = this;
    const { events, head, gap, isKnown, reachesRunHead } = this.#chain;
    if (!this.#header)
      return {
        events,
        head,
        problems: [
          ...problems,
          "The first line is not the header of an exported run, so the file cannot be verified. Name a file that `spoor export` wrote.",
        ],
      };
    if (!this.#footer) problems.push("The last line is missing, so the file is incomplete.");
    else if (this.#footer.events !== events)
      problems.push(`The file has ${events} events, but its last line says ${this.#footer.events}.`);
    if (this.#footer && this.#footer.header !== this.#headerHash) problems.push("The first line was changed.");
    if (this.#header.chain_start === undefined)
      problems.push("The start of the hash chain is unknown, so the chain cannot be verified.");
    else if (this.#footer && isKnown && this.#footer.head !== head)
      problems.push("The hash chain does not end at the head in the last line: an event was changed.");
    else if (!reachesRunHead)
      problems.push("The hash chain does not reach the head in the run's record: events are missing.");
    if (this.#footer && this.#footer.gap !== gap) problems.push("The gap event at the beginning was changed.");
    return { run: this.#header.run, events, head, problems };
  }

  #readLine(line: Buffer, run: RunRecord): void {
    const value = parseObject(line.toString());
    if (this.#footer) this.problems.push("The file has more lines after the last line of the bundle.");
    else if (value?.spoor_bundle_end === 1) this.#footer = value as unknown as BundleFooter;
    else {
      this.#chain.add(line);
      this.#checkPlace(value ?? {}, run);
    }
  }

  #checkPlace({ run_id, sequence, type }: Record<string, unknown>, run: RunRecord): void {
    const where = `Line ${this.#chain.events + 1}`;
    const isGap = type === "gap.events_pruned" || type === "gap.events_lost";
    if (run_id !== run.run_id) this.problems.push(`${where} belongs to another run than ${run.run_id}.`);
    if (type === "gap.events_lost")
      this.problems.push(`Events up to sequence ${String(sequence)} were lost before the export.`);
    if (typeof sequence !== "number") this.problems.push(`${where} has no sequence.`);
    else {
      if (!isGap && sequence !== this.#next)
        this.problems.push(`${where} has sequence ${sequence}; expected ${this.#next}.`);
      this.#next = sequence + 1;
    }
  }
}

function headerOf(line: Buffer): BundleHeader | undefined {
  const header = parseObject(line.toString());
  const isHeader = header?.spoor_bundle === 1 && typeof asObject(header.run)?.run_id === "string";
  return isHeader ? (header as unknown as BundleHeader) : undefined;
}

/** Rejects when the file does not exist. */
async function opened(file: string): Promise<Readable> {
  return (await open(file)).createReadStream();
}

/** Detects compression by the first bytes, not by the name of the file. */
async function* unpacked(input: Readable): AsyncGenerator<Buffer> {
  const source = input[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < 2) {
    const { value, done } = await source.next();
    if (done) break;
    start = Buffer.concat([start, Buffer.from(value)]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for await (const chunk of { [Symbol.asyncIterator]: () => source }) yield Buffer.from(chunk);
  }
  const isCompressed = start[0] === 0x1f && start[1] === 0x8b;
  // An error of either stream reaches the reader of the last one.
  yield* isCompressed ? pipeline(Readable.from(all()), createGunzip(), () => {}) : all();
}

/** Splits bytes at LF only, so that an added CR counts as a change. */
async function* cutLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const LF = 10;
