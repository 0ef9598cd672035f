import type { Campaign, CampaignResult } from "../campaign.ts";
import { createRandom } from "../random.ts";
import { type Judgement, judge } from "./judge.ts";
import { type LoopCell, matrix } from "./matrix.ts";
import { play } from "./play.ts";
import { watchRequests } from "./requests.ts";
import { LoopStage } from "./stage.ts";

const AT_ONCE = 2;

export const campaign: Campaign = {
  name: "loop-crash",
  about:
    "The process that performs a run of the loop (a server, `spoor work` or `spoor run`) is killed in every phase of the run; afterwards no call was made twice, the model was told what nobody knows, each request is what the events give, and the run has one end.",
  cases: { small: 8, full: 200 },
  async run({ cases, seed, onCase }): Promise<CampaignResult> {
    const failures: string[] = [];
    const counts = new Map<string, number>();
    const add = (name: string, more = 1) => counts.set(name, (counts.get(name) ?? 0) + more);
    for (const name of ["kills", "requests rebuilt", ...SEEN]) add(name, 0);
    const numbers = Array.from({ length: cases }, (_, index) => index);
    let done = 0;
    const work = async (): Promise<void> => {
      for (let index = numbers.shift(); index !== undefined; index = numbers.shift()) {
        const cell = cellOf(index, cases, seed);
        const { broken, kills, rebuilt, ...seen } = await oneCase(cell, seed * 1_000_003 + index);
        const where = `Case ${index}, ${cell.executor} killed, ${cell.phase}, ${cell.wire}`;
        failures.push(...broken.map((what) => `${where}: ${what}.`));
        add("kills", kills);
        add("requests rebuilt", rebuilt);
        [seen.interrupted.happened, seen.interrupted.not, seen.notBegun].forEach((count, place) => {
          add(SEEN[place] as string, count);
        });
        for (const name of [`${cell.executor} killed`, cell.phase]) add(name, kills);
        done += 1;
        onCase?.(done);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { counts: Object.fromEntries(counts), failures };
  },
};

const SEEN = ["calls cut off after their effect", "calls cut off before their effect", "calls that had not begun"];

/** A small campaign takes cells from everywhere in the matrix, other ones for another seed. */
function cellOf(index: number, cases: number, seed: number): LoopCell {
  const stride = cases >= matrix.length ? 1 : matrix.length / cases;
  return matrix[(Math.floor(index * stride) + seed - 1) % matrix.length] as LoopCell;
}

async function oneCase(cell: LoopCell, seed: number): Promise<Judgement & { kills: number; rebuilt: number }> {
  const stage = await LoopStage.open(cell);
  const requests = watchRequests(stage);
  const nothing: Judgement = { broken: [], interrupted: { happened: 0, not: 0 }, notBegun: 0 };
  const judged = await play(stage, createRandom(seed))
    .then((run_id) => judge(stage, run_id))
    .catch((error: Error) => ({ ...nothing, broken: [error.message] }));
  const { kills, rebuilt } = stage;
  await stage.close();
  return { ...judged, broken: [...judged.broken, ...requests], kills, rebuilt };
}
