// Starts another program and dies of SIGTERM without ending it: careless.mjs <own session | same> <program> [args]
import { spawn } from "node:child_process";

// Ends by itself if the test was interrupted.
setTimeout(() => process.kill(process.pid, "SIGKILL"), 120_000).unref();

const [session, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, args, {
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  detached: session === "own session",
});
child.once("message", () => console.log(child.pid));
