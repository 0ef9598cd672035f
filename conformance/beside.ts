import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Placed } from "./place.ts";

/** A program that must be running for the agent to work. */
export interface Beside {
  args: readonly string[];
  /** The text that it prints once it is ready. */
  ready: string;
}

/** A free port on the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** Starts the program and waits until it is ready. Returns a function that ends it with all its child processes. */
export async function startBeside(
  { args, ready }: Beside,
  { command, first, env, cwd }: Pick<Placed, "command" | "first" | "env" | "cwd">,
): Promise<() => Promise<void>> {
  const child = spawn(command, [...first, ...args], { env, cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const ended = once(child, "exit");
  let printed = "";
  const up = new Promise<void>((resolve) => {
    const read = (text: string) => {
      printed = `${printed}${text}`.slice(-20_000);
      if (printed.includes(ready)) resolve();
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
  });
  const failed = ended.then(() => Promise.reject(new Error(`The program beside the agent ended: ${printed}`)));
  failed.catch(() => {});
  await Promise.race([up, failed]);
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    process.kill(-child.pid, "SIGTERM");
    const late = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), 3_000);
    await ended;
    clearTimeout(late);
  };
}
