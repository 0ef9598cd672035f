import { createHash, hash } from "node:crypto";
import type * as api from "@spoor/protocol/api";
import { CHAIN_START } from "../../log/chunks/chain.ts";
import type { StoredRun } from "../../log/records.ts";

/**
 * A bundle is a file with one run: a first line that describes the run and where its hash chain starts, the run's lines as
 * they are stored, and a last line with the head of the chain. It can be verified without a log: each link of the chain
 * is the SHA-256, in hex, of the previous link followed by the line.
 */
export interface BundleHeader {
  spoor_bundle: 1;
  algorithm: "sha256-chain";
  /** The link before the first line. In a pruned run the gap event is not a link, so this is the link after it. Absent when unknown. */
  chain_start?: string;
  /** Times are RFC 3339; bundles of older versions have milliseconds. */
  run: api.RunRecord;
}

/** The last line of a bundle. */
export interface BundleFooter {
  spoor_bundle_end: 1;
  /** SHA-256 of the first line. */
  header: string;
  events: number;
  head: string;
  /** In a pruned run: SHA-256 of the gap event, which the chain does not cover. */
  gap?: string;
}

/** The end of the chain according to the run's record. */
type ChainEnd = Pick<StoredRun, "last_sequence" | "head" | "damaged">;

/** Computes the chain line by line. */
export class Chain {
  head: string;
  /** False when the start is unknown or events are lost; the head then proves nothing. */
  isKnown: boolean;
  events = 0;
  /** The hash of the gap event at its beginning. */
  gap: string | undefined;
  readonly #run: ChainEnd | undefined;
  #missesRunHead = false;

  constructor(start: string | undefined, run?: ChainEnd) {
    this.head = start ?? CHAIN_START;
    this.isKnown = start !== undefined;
    this.#run = run;
  }

  /** Whether the chain reaches the head in the run's record. It does not when events are missing. */
  get reachesRunHead(): boolean {
    return !this.isKnown || this.#run?.damaged === true || !this.#missesRunHead;
  }

  add(line: Buffer): void {
    this.events += 1;
    const type = typeOf(line);
    if (type === "gap.events_pruned" && this.events === 1) this.gap = hash("sha256", line);
    else this.head = createHash("sha256").update(this.head).update(line).digest("hex");
    if (type === "gap.events_lost" && !isStored(line)) this.isKnown = false;
    if (this.#run && sequenceOf(line) === this.#run.last_sequence) this.#missesRunHead = this.head !== this.#run.head;
  }
}

/**
 * Whether a `gap.events_lost` event is stored, and is therefore a link of the chain. The log does not store a gap event that
 * it creates while it reads damaged data.
 */
const isStored = (line: Buffer): boolean => line.includes('"reason":"truncated"');

/** A text search is safe, because no field before `type` contains text from a caller. */
function typeOf(line: Buffer): string {
  const start = line.indexOf('"type":"') + 8;
  return line.toString("latin1", start, line.indexOf('"', start));
}

function sequenceOf(line: Buffer): number {
  const start = line.indexOf('"sequence":') + 11;
  return Number.parseInt(line.toString("latin1", start, start + 16), 10);
}
