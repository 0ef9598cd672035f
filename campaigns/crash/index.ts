import type { Campaign, CampaignResult } from "../campaign.ts";
import { createRandom } from "../random.ts";
import { judge } from "./judge.ts";
import { type Cell, matrix } from "./matrix.ts";
import { play } from "./play.ts";
import { Stage } from "./stage.ts";

const AT_ONCE = 2;

export const campaign: Campaign = {
  name: "crash",
  about:
    "The server or the process that performs a run is killed in every phase of the run; afterwards the run has one end, nothing was done twice, approvals could be answered, and rows, workspace and processes are as they should be.",
  cases: { small: 14, full: 3 * matrix.length },
  async run({ cases, seed, onCase }): Promise<CampaignResult> {
    const failures: string[] = [];
    const counts = new Map<string, number>([["killed", 0]]);
    const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    const numbers = Array.from({ length: cases }, (_, index) => index);
    let done = 0;
    const work = async (): Promise<void> => {
      for (let index = numbers.shift(); index !== undefined; index = numbers.shift()) {
        const cell = cellOf(index, cases, seed);
        const broken = await oneCase(cell, seed * 1_000_003 + index);
        const where = `Case ${index}, ${cell.shape}, ${cell.phase}, ${cell.victim} killed`;
        failures.push(...broken.map((what) => `${where}: ${what}.`));
        for (const name of ["killed", `${cell.victim} killed`, cell.phase]) add(name);
        done += 1;
        onCase?.(done);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { counts: Object.fromEntries(counts), failures };
  },
};

/** A small campaign takes cells from everywhere in the matrix, other ones for another seed. */
function cellOf(index: number, cases: number, seed: number): Cell {
  const stride = cases >= matrix.length ? 1 : matrix.length / cases;
  return matrix[(Math.floor(index * stride) + seed - 1) % matrix.length] as Cell;
}

async function oneCase(cell: Cell, seed: number): Promise<string[]> {
  const stage = new Stage();
  try {
    const run_id = await play(stage, cell, createRandom(seed));
    return await judge(stage, cell, run_id);
  } catch (error) {
    return [(error as Error).message];
  } finally {
    await stage.close();
  }
}
