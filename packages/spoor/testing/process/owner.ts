// A program that owns a process tree and then ends in a given way: owner.ts <mode> <number of pids> <program> [args].
// Prints the pids of the tree as JSON when all processes have started.
import { scrubEnvironment } from "../../src/process/environment.ts";
import { spawnProcess } from "../../src/process/spawn.ts";

const [mode = "", count, ...args] = process.argv.slice(2);

const ends: Record<string, () => void> = {
  stay() {},
  exit: () => process.exit(3),
  throw() {
    setImmediate(() => {
      throw new Error("thrown on purpose");
    });
  },
  reject: () => void Promise.reject(new Error("rejected on purpose")),
  "exit in a handler": () => process.on("SIGTERM", () => process.exit(5)),
  "listen and stay": () => process.on("SIGTERM", () => console.log("heard")),
};

const handle = spawnProcess({
  command: process.execPath,
  args,
  env: scrubEnvironment(process.env),
  cwd: process.cwd(),
  stdin: "pipe",
});
const pids: number[] = [];
for await (const { line } of handle.output) {
  pids.push(Number(line));
  if (pids.length === Number(count)) break;
}
process.stdout.write(`${JSON.stringify(pids)}\n`);
ends[mode]?.();
