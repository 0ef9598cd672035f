// Performs runs of kind `agent_loop` in the given data directory with our loop and a scripted model, until it is killed.

import { openLogSync } from "../../../src/log/open.ts";
import { Worker } from "../../../src/runtime/queue/worker.ts";
import { createPromptedLoop } from "../../loop/prompted-loop.ts";

const directory = process.argv[2] as string;
const log = openLogSync({ directory, durability: "process" });
const inline = new Map([["agent_loop", createPromptedLoop()]]);
new Worker({ log, directory, executors: { inline, launched: new Map() }, concurrency: 1 });
process.stdout.write("ready\n");
