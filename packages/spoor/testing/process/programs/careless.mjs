// Starts another program and dies of SIGTERM without a thought for it: careless.mjs <own session | same> <program> [args]
import { spawn } from "node:child_process";

// No fake program outlives a test that was cut off for long.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const [session, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, args, {
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  detached: session === "own session",
});
child.once("message", () => console.log(child.pid));
