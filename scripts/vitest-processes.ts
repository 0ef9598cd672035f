import { killMarked } from "../packages/spoor/src/process/kill-marked.ts";
import { startTimeOf } from "../packages/spoor/src/process/process-table.ts";
import { withMark } from "../packages/spoor/src/process/run-mark.ts";
import { watchOver } from "../packages/spoor/src/process/watchdog.ts";

/**
 * No test process outlives the tests. Every process carries a mark in its environment; marked processes are killed when the
 * tests end, or by a watchdog when the tests themselves are killed.
 */
export default function watchTestProcesses(): (() => void) | undefined {
  if (process.platform === "win32") return undefined;
  const mark = `tests-${process.pid}-${startTimeOf(process.pid)}`;
  Object.assign(process.env, withMark(process.env, mark));
  watchOver({ mark });
  return () => {
    // Our direct children are the workers, which vitest ends itself.
    const left = killMarked(mark, ({ parent }) => parent === process.pid);
    if (left > 0) console.error(`${left} test processes outlived their tests and were killed.`);
  };
}
