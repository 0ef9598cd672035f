// Records the first half of a run in the given data directory, prints a line, and waits to be killed.

import { openLogSync } from "../../../src/log/open.ts";
import { Recorder } from "../../../src/runtime/recorder/recorder.ts";
import { shortRun } from "../recorded-run.ts";

const log = openLogSync({ directory: process.argv[2] as string, durability: "process" });
const recorder = new Recorder({ log, record_tool_input: true });
const events = shortRun((script) => script.tool({ id: "t", name: "Bash", kind: "shell", input: { command: "ls" } }));
for (const event of events.slice(0, -2)) recorder.add(event);
const [first] = events;
const run_id = `run_${first?.runId}`;
while (((await log.run(run_id))?.last_sequence ?? 0) < 8) await new Promise((resolve) => setTimeout(resolve, 5));
process.stdout.write(`${run_id}\n`);
setInterval(() => {}, 1_000);
