import type { Campaign } from "./campaign.ts";
import { createFileDamage } from "./corruption/file-damage.ts";
import { createLostEnd } from "./corruption/lost-end.ts";
import { createRandom } from "./random.ts";

/** One kind of damage: a case damages a log and then checks what the log reports. */
export interface Damage {
  /** Counts what happened and returns a sentence for each broken promise. */
  attack(random: () => number, count: (what: string) => void): Promise<string[]>;
  close(): Promise<void>;
}

export const campaign: Campaign = {
  name: "corruption",
  about:
    "Bits are flipped in a log's file, the file is cut, and the write-ahead log is cut or damaged with one or several processes opening it; the log must report every loss and give no sequence or position twice.",
  cases: { small: 80, full: 20_000 },
  async run({ cases, seed, onCase }) {
    const random = createRandom(seed);
    const counts: Record<string, number> = {};
    const failures: string[] = [];
    const count = (what: string): void => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    const kinds = [await createFileDamage(), await createLostEnd(seed)];
    try {
      for (let number = 0; number < cases; number++) {
        const found = await (kinds[number % kinds.length] as Damage).attack(random, count);
        failures.push(...found.map((what) => `Case ${number}: ${what}`));
        onCase?.(number + 1);
      }
    } finally {
      for (const kind of kinds) await kind.close();
    }
    return { counts, failures };
  },
};
