type Trick = readonly [name: string, ...values: unknown[]];

export interface Plan {
  tricks: readonly Trick[];
  /** When `spoor run` is killed: this many milliseconds after its start, or after its first output. */
  kill?: { after: "start" | "output"; ms: number };
}

/** What the agent does (`hostile-claude.mjs` explains it), and whether and when the command is killed. */
export function planCase(random: () => number): Plan {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const number = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const tricks: Record<string, () => Trick> = {
    longLine: () => ["longLine", number(33, 60), random() < 0.5, pick([1, 1, 2])],
    flood: () => ["flood", number(1, 8)],
    garbage: () => ["garbage", number(1, 200), number(1, 1_000_000)],
    halfLine: () => ["halfLine"],
    objectBomb: () => ["bomb", number(10, 200_000)],
    listBomb: () => ["bomb", number(10, 200_000), "[", "]"],
    children: () => ["children", PIDS],
    orphan: () => ["orphan", PIDS],
    closeOutput: () => ["closeOutput"],
    writer: () => ["writer"],
    pause: () => ["pause", number(1, 100)],
  };
  const names = Object.keys(tricks);
  const chosen = Array.from({ length: number(1, 4) }, () => tricks[pick(names)]?.() as Trick);
  const last = pick<Trick>([
    ["exit", 0],
    ["exit", number(1, 255)],
    ["hang"],
    ["endless"],
    ["say", "done"],
    ["halfLine"],
  ]);
  const stubborn: Trick[] = random() < 0.6 ? [["ignore"]] : [];
  return {
    tricks: [["pid", PIDS], ["say", "up"], ...stubborn, ["orphan", PIDS], ...chosen, last],
    ...(random() < 0.5 && { kill: { after: pick(["start", "output"]), ms: number(0, 600) } }),
  };
}

/** Placeholder for the file into which the agent writes its process ids. */
export const PIDS = "$PIDS";
