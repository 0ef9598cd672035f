import { parentPort, workerData } from "node:worker_threads";
import type { ThreadJob } from "./kit/thread.ts";

/** The thread that kit/thread.ts starts. */
const job = workerData as ThreadJob;
const post = (message: unknown) => parentPort?.postMessage(message);

if (job.kind === "search") {
  const { searchFiles } = await import("./search/search-files.ts");
  await searchFiles(job, post);
} else {
  const { markdownOf } = await import("./web/markdown.ts");
  post(await markdownOf(job));
}
