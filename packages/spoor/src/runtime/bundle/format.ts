import { createHash, hash } from "node:crypto";
import type * as api from "@spoor/protocol/api";
import { CHAIN_START } from "../../log/chunks/chain.ts";
import type { RunRecord } from "../../log/records.ts";

/**
 * A run in a file of its own: a line that tells of the run and where its hash chain starts, the run's lines as they are
 * stored, and a line with the chain's head. Anyone can check it without a log: each link of the chain is the SHA-256, in
 * hex, of the link before it followed by the line.
 */
export interface BundleHeader {
  spoor_bundle: 1;
  algorithm: "sha256-chain";
  /** Before the first line; of a pruned run, after its gap, which is itself no link. Absent when nobody knows it. */
  chain_start?: string;
  /** Its times are RFC 3339; files of older versions have milliseconds there. */
  run: api.RunRecord;
}

export interface BundleFooter {
  spoor_bundle_end: 1;
  /** SHA-256 of the first line. */
  header: string;
  events: number;
  head: string;
  /** Of a pruned run: SHA-256 of the line that stands for what is gone. The chain does not hold it. */
  gap?: string;
}

/** What a run's own record says of the end of its chain. */
type ChainEnd = Pick<RunRecord, "last_sequence" | "head" | "damaged">;

/** Works out the chain line by line. */
export class Chain {
  head: string;
  /** Whether it means anything: not after events that are lost, nor without its start. */
  isKnown: boolean;
  events = 0;
  /** The hash of the gap it starts with. */
  gap: string | undefined;
  readonly #run: ChainEnd | undefined;
  #leadsAstray = false;

  constructor(start: string | undefined, run?: ChainEnd) {
    this.head = start ?? CHAIN_START;
    this.isKnown = start !== undefined;
    this.#run = run;
  }

  /** Whether it comes by the head that the run itself tells. Not so where events are missing between. */
  get leadsToRun(): boolean {
    return !this.isKnown || this.#run?.damaged === true || !this.#leadsAstray;
  }

  add(line: Buffer): void {
    this.events += 1;
    const type = typeOf(line);
    if (type === "gap.events_pruned" && this.events === 1) this.gap = hash("sha256", line);
    else this.head = createHash("sha256").update(this.head).update(line).digest("hex");
    if (type === "gap.events_lost" && !isStored(line)) this.isKnown = false;
    if (this.#run && sequenceOf(line) === this.#run.last_sequence) this.#leadsAstray = this.head !== this.#run.head;
  }
}

/** Whether a `gap.events_lost` is a link of the chain. One that was made when reading damage is not. */
const isStored = (line: Buffer): boolean => line.includes('"reason":"truncated"');

/** Nothing that a caller wrote stands before it. */
function typeOf(line: Buffer): string {
  const start = line.indexOf('"type":"') + 8;
  return line.toString("latin1", start, line.indexOf('"', start));
}

function sequenceOf(line: Buffer): number {
  const start = line.indexOf('"sequence":') + 11;
  return Number.parseInt(line.toString("latin1", start, start + 16), 10);
}
