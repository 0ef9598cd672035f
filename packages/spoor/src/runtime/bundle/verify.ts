import { hash } from "node:crypto";
import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { RunRecord } from "@spoor/protocol/api";
import { asObject, parseObject } from "../../agents/kit/json-values.ts";
import { type BundleFooter, type BundleHeader, Chain } from "./format.ts";

export interface BundleVerdict {
  run?: RunRecord;
  events: number;
  head: string;
  /** What is wrong, in sentences; empty when all is well. */
  problems: string[];
}

/** Checks a bundle on its own, a line at a time: that it is whole, and that nobody changed a byte of it. */
export async function verifyBundle(source: string | Readable): Promise<BundleVerdict> {
  const reader = new BundleReader();
  const input = typeof source === "string" ? await opened(source) : source;
  try {
    for await (const line of cutLines(unpacked(input))) if (!reader.read(line)) break;
  } catch (error) {
    reader.problems.push(`The file cannot be read to its end: ${(error as Error).message}.`);
  } finally {
    // A file that is not read to its end stays open otherwise.
    input.destroy();
  }
  return reader.conclude();
}

const MOST_PROBLEMS = 100;

class BundleReader {
  readonly problems: string[] = [];
  #header: BundleHeader | undefined;
  #headerHash = "";
  #footer: BundleFooter | undefined;
  #chain = new Chain(undefined);
  #next = 0;

  /** Whether to go on. */
  read(line: Buffer): boolean {
    if (this.#header) this.#readLine(line, this.#header.run);
    else {
      this.#header = headerOf(line);
      this.#headerHash = hash("sha256", line);
      this.#chain = new Chain(this.#header?.chain_start, this.#header?.run);
    }
    return this.#header !== undefined && this.problems.length < MOST_PROBLEMS;
  }

  conclude(): BundleVerdict {
    const { problems } = this;
    const { events, head, gap, isKnown, leadsToRun } = this.#chain;
    if (!this.#header)
      return {
        events,
        head,
        problems: [...problems, "This is no file that `spoor export` wrote: its first line is not that of one."],
      };
    if (!this.#footer) problems.push("The file ends before its last line.");
    else if (this.#footer.events !== events)
      problems.push(`Events that are due: ${this.#footer.events}. Events there are: ${events}.`);
    if (this.#footer && this.#footer.header !== this.#headerHash) problems.push("The first line was changed.");
    if (this.#header.chain_start === undefined)
      problems.push("Where the chain starts is not known: it cannot be checked.");
    else if (this.#footer && isKnown && this.#footer.head !== head)
      problems.push("The chain does not lead to its head.");
    else if (!leadsToRun) problems.push("The chain does not lead to the run's own head: events are missing.");
    if (this.#footer && this.#footer.gap !== gap) problems.push("The gap at its start was changed.");
    return { run: this.#header.run, events, head, problems };
  }

  #readLine(line: Buffer, run: RunRecord): void {
    const value = parseObject(line.toString());
    if (this.#footer) this.problems.push("Something follows the last line.");
    else if (value?.spoor_bundle_end === 1) this.#footer = value as unknown as BundleFooter;
    else {
      this.#chain.add(line);
      this.#checkPlace(value ?? {}, run);
    }
  }

  #checkPlace({ run_id, sequence, type }: Record<string, unknown>, run: RunRecord): void {
    const where = `Line ${this.#chain.events + 1}`;
    const isGap = type === "gap.events_pruned" || type === "gap.events_lost";
    if (run_id !== run.run_id) this.problems.push(`${where} is not of ${run.run_id}.`);
    if (type === "gap.events_lost")
      this.problems.push(`Events up to ${String(sequence)} had been lost before the export.`);
    if (typeof sequence !== "number") this.problems.push(`${where} has no sequence.`);
    else {
      if (!isGap && sequence !== this.#next)
        this.problems.push(`${where} has sequence ${sequence}, not ${this.#next}.`);
      this.#next = sequence + 1;
    }
  }
}

function headerOf(line: Buffer): BundleHeader | undefined {
  const header = parseObject(line.toString());
  const isHeader = header?.spoor_bundle === 1 && typeof asObject(header.run)?.run_id === "string";
  return isHeader ? (header as unknown as BundleHeader) : undefined;
}

/** A file that is not there throws. */
async function opened(file: string): Promise<Readable> {
  return (await open(file)).createReadStream();
}

/** Whether it is compressed is told by its bytes, not its name. */
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
  // A fault of either stream shows to whoever reads from the last.
  yield* isCompressed ? pipeline(Readable.from(all()), createGunzip(), () => {}) : all();
}

/** As bytes, and at LF only: a CR that came in is a change like any other. */
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
