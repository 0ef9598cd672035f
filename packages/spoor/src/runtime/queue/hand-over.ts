import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { isServed } from "../relay/socket-file.ts";
import { launchExecutor } from "./launch-process.ts";

/**
 * Sees to it that somebody performs a run that waits in the queue. A server's worker takes it if a server runs; otherwise a
 * process of its own is started, which survives this one. Returns the run as it is then: still `queued` if nothing took it.
 */
export async function handOverRun({ log, directory }: { log: Log; directory: string }, run_id: string) {
  const run = (await log.run(run_id)) as StoredRun;
  // A paused run that goes on is paused until a process takes it. One that stays paused is not in the queue.
  const isDue = run.status === "queued" && (await log.rows.find("queue", run_id))?.worker_id === null;
  if (!isDue || (await isServed(directory))) return run;
  // Runs that a server left behind may have waited longer, and one process performs only one run.
  await launchExecutor({ directory, kinds: [run.kind], run_id }).claimed;
  return (await log.run(run_id)) as StoredRun;
}
