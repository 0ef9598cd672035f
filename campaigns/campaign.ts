/** A fault campaign repeats one kind of attack many times and counts what happened. A failure is a broken promise. */
export interface Campaign {
  name: string;
  /** What is attacked and how, in one sentence. */
  about: string;
  /** How many cases run in `npm test`, and how many in `npm run campaigns` when nobody names a size. */
  cases: { small: number; full: number };
  run(options: CampaignOptions): Promise<CampaignResult>;
}

export interface CampaignOptions {
  cases: number;
  /** The same seed and number of cases give the same attacks. */
  seed: number;
  /** Called after each case. */
  onCase?(done: number): void;
}

export interface CampaignResult {
  /** Shown in the table, in this order: `{ killed: 40, "events acknowledged": 3120 }`. */
  counts: Record<string, number>;
  /** One sentence for each broken promise, with what is needed to repeat it. */
  failures: string[];
}
