// Starts a tree of the given depth. Each process prints its pid and ignores signals; the last runs in its own session.
import { spawn } from "node:child_process";

const levels = Number(process.argv[2]);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
setTimeout(() => {}, 60_000);
console.log(process.pid);
if (levels > 1)
  spawn(process.execPath, [process.argv[1], `${levels - 1}`], { stdio: "inherit", detached: levels === 2 });
