/** One row of the table that `npm run bench` prints. */
export interface Row {
  what: string;
  figure: string;
  against: string;
  goal: string;
  isMet: boolean;
  /** A more ambitious goal, if there is one. */
  isAimMet?: boolean;
  /** The measured stream or recording, or the figures behind the ratio. */
  on: string;
}

interface Goal {
  goal: number;
  aim?: number;
}

/** A cost: less is better. */
export const atMost = (what: string, ratio: number, against: string, goal: Goal, on: string): Row =>
  row(what, ratio, against, goal, on, "≤", (bound) => ratio <= bound);

/** A rate: more is better. */
export const atLeast = (what: string, ratio: number, against: string, goal: Goal, on: string): Row =>
  row(what, ratio, against, goal, on, "≥", (bound) => ratio >= bound);

function row(
  what: string,
  ratio: number,
  against: string,
  { goal, aim }: Goal,
  on: string,
  sign: string,
  isWithin: (bound: number) => boolean,
): Row {
  return {
    what,
    figure: times(ratio),
    against,
    goal: `${sign} ${goal}×${aim === undefined ? "" : `, aim ${aim}×`}`,
    isMet: isWithin(goal),
    ...(aim !== undefined && { isAimMet: isWithin(aim) }),
    on,
  };
}

export const times = (ratio: number): string => `${ratio.toFixed(2)}×`;

const widths = [52, 8, 42, 18, 7];

export const printHeader = (): void => print(["what", "figure", "against", "goal", "", "on"]);

/** The columns have fixed widths, because each row is printed as soon as it is measured. */
export const printRow = (row: Row): void => print([row.what, row.figure, row.against, row.goal, standing(row), row.on]);

function print(cells: readonly string[]): void {
  const padded = cells.map((cell, n) => (n === 1 ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0)));
  console.log(padded.join("  ").trimEnd());
}

function standing({ isMet, isAimMet }: Row): string {
  if (!isMet) return "MISSED";
  return isAimMet ? "aim met" : "met";
}
