// Reads much output, slowly at first, and prints how many bytes arrived and the maximum growth of its memory:
// slow-reader.ts <lines> <bytes per line>
import { setTimeout } from "node:timers/promises";
import { spawnProcess } from "../../src/process/spawn.ts";
import { program } from "./program.ts";

const [lines = "", size = ""] = process.argv.slice(2);
const handle = spawnProcess({
  command: process.execPath,
  args: [program("flood"), "1", lines, size],
  env: {},
  cwd: process.cwd(),
  stdin: "ignore",
});

const before = process.memoryUsage.rss();
let grown = 0;
let bytes = 0;
let count = 0;
for await (const { line } of handle.output) {
  bytes += line.length + 1;
  count += 1;
  if (count <= 200) await setTimeout(5);
  if (count <= 200 || count % 1000 === 0) grown = Math.max(grown, process.memoryUsage.rss() - before);
}
process.stdout.write(JSON.stringify({ bytes, grown, end: await handle.exited }));
