// Starts another program, waits for its message, and exits: leave-behind.mjs <how> <program> [args]. Prints the pid of the
// other program, which holds our pipes ("inherit"), holds none ("ignore"), or holds them in its own session ("escape").
import { spawn } from "node:child_process";

const [how, ...args] = process.argv.slice(2);
const pipe = how === "ignore" ? "ignore" : "inherit";
const child = spawn(process.execPath, args, { stdio: ["ignore", pipe, pipe, "ipc"], detached: how === "escape" });
console.log(child.pid);
child.once("message", () => process.exit(0));
