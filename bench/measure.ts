import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** One case to time. `prepare` runs before every round and is not timed, so that no round benefits from the one before. */
export interface Case<Input> {
  name: string;
  prepare(): Input;
  run(input: Input): unknown;
}

/**
 * Returns the cost of each case as a multiple of the first case: the median of the ratios of all rounds. It measures
 * processor time, including the garbage collector's threads, so that other programs on the machine do not count. The cases
 * of a round run directly after each other, so that a slower clock or a colder cache affects all of them equally.
 */
export function ratios(cases: readonly Case<unknown>[], rounds: number): Map<string, number> {
  const samples = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  // The first rounds only warm up the compiler, whose own time would count.
  for (let round = -5; round < rounds; round++) {
    const times = cases.map(time);
    if (round < 0) continue;
    for (const [index, { name }] of cases.entries()) {
      samples.get(name)?.push((times[index] ?? Number.NaN) / (times[0] ?? Number.NaN));
    }
  }
  return new Map([...samples].map(([name, ratios]) => [name, median(ratios)]));
}

function time({ prepare, run }: Case<unknown>): number {
  const input = prepare();
  // Collect the garbage of `prepare` before timing. A full collection would also drop compiled code.
  collectGarbage({ type: "minor" });
  collectGarbage({ type: "minor" });
  const start = process.cpuUsage();
  sink = run(input);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

export const defineCase = <Input>(
  name: string,
  prepare: () => Input,
  run: (input: Input) => unknown,
): Case<unknown> => ({
  name,
  prepare,
  run: run as (input: unknown) => unknown,
});

// Results are stored here, so that the compiler cannot remove the work.
export let sink: unknown;

setFlagsFromString("--expose-gc");
const collectGarbage: (options: { type: "minor" }) => void = runInNewContext("gc");

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentiles(samples: readonly number[]): { p50: number; p99: number } {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
