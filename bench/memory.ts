import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "../packages/spoor/src/client.ts";
import { fakeClaude } from "./spoor-run.ts";

/** Peak memory of a live run of the given size, as a multiple of its memory after the first tenth. */
export async function memoryGrowth(megabytes: number): Promise<{ ratio: number; peakMb: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=spoor-source",
    fileURLToPath(import.meta.url),
    `${megabytes}`,
  ]);
  const { early, peak } = JSON.parse(stdout);
  return { ratio: peak / early, peakMb: peak / 1e6 };
}

// The run has its own process, so that nothing else is measured.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const megabytes = Number(process.argv[2]);
  console.log(JSON.stringify(await liveRun(megabytes)));
}

async function liveRun(megabytes: number): Promise<{ early: number; peak: number }> {
  const handle = createClient().run({
    agent: "claude",
    prompt: "hello",
    command: [process.execPath, fakeClaude, `${megabytes}`],
  });
  const samples: number[] = [];
  for await (const event of handle) if (event.type === "turn_end") samples.push(process.memoryUsage.rss());
  const tenth = Math.ceil(samples.length / 10);
  return { early: Math.max(...samples.slice(0, tenth)), peak: Math.max(...samples) };
}
