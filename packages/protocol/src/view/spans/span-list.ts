import { put } from "../payload-fields.ts";
import type { CostPoint, RunSpan, RunSpans, SpanOutcome } from "./types.ts";

/** The time and number of the event that is folded. */
export interface Moment {
  readonly at: number;
  readonly sequence: number;
}

type Fields = { readonly [Field in keyof RunSpan]?: RunSpan[Field] | undefined };

/** The state of a span fold. Open spans are found by their key: `turn`, `tool c1`, `approval a1`, … */
export class SpanList {
  readonly spans: RunSpan[] = [];
  readonly costs: CostPoint[] = [];
  readonly open = new Map<string, number>();
  /** What is known of a call before it runs, and the calls that have ended. */
  readonly calls = new Map<string, { detail?: string; ended?: true }>();
  /** The number of the latest turn; 0 before the first. */
  turn = 0;
  origin: number | undefined;
  end: number | undefined;
  last = 0;
  lastSequence = -1;
  /** When the worker was lost that performed the open spans. */
  lostAt: number | undefined;

  begin(key: string, { at, sequence }: Moment, fields: Fields & Pick<RunSpan, "kind">): void {
    this.open.set(key, this.spans.length);
    const turn = this.turn > 0 ? this.turn : undefined;
    this.spans.push(put<RunSpan>({ kind: fields.kind, from: at, sequence }, { turn, ...fields }));
  }

  /** Adds to an open span. Does nothing when there is none. */
  note(key: string, fields: Fields): void {
    const index = this.open.get(key);
    if (index !== undefined) this.#replace(index, fields);
  }

  /** Ends an open span. Returns false when there is none. */
  finish(key: string, { at, sequence }: Moment, fields: Fields = {}): boolean {
    const index = this.open.get(key);
    if (index === undefined) return false;
    this.open.delete(key);
    const from = this.spans[index]?.from ?? 0;
    this.#replace(index, { lastSequence: sequence, ...fields, to: Math.max(from, fields.to ?? at) });
    return true;
  }

  /** Ends all open spans whose key begins like this. */
  finishAll(prefix: string, moment: Moment, outcome?: SpanOutcome): void {
    for (const key of [...this.open.keys()]) {
      if (key.startsWith(prefix)) this.finish(key, moment, { outcome });
    }
  }

  snapshot(): RunSpans {
    const { spans, costs, last, lastSequence, origin, end } = this;
    const made: RunSpans = { spans: [...spans], costs: [...costs], last, lastSequence };
    return put(made, { origin, end });
  }

  #replace(index: number, fields: Fields): void {
    const span = this.spans[index];
    if (span) this.spans[index] = put<RunSpan>({ ...span }, fields);
  }
}
