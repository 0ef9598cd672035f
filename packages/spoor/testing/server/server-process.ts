import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { firstLine } from "../process/first-line.ts";

export const program = fileURLToPath(new URL("../../bin/spoor.js", import.meta.url));

export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** Open files and sockets, and memory in bytes; undefined where the system does not provide them. */
  usage(): { descriptors: number; memory: number } | undefined;
  stop(): Promise<void>;
}

/** Starts `spoor serve` as a process; resolves when it listens. */
export async function startServer(
  directory: string,
  { descriptors, env = process.env, workers }: { descriptors?: number; env?: NodeJS.ProcessEnv; workers?: number } = {},
): Promise<ServerProcess> {
  const limit = descriptors === undefined ? "" : `ulimit -n ${descriptors} && `;
  const performers = workers === undefined ? [] : ["--workers", String(workers)];
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      `${limit}exec "$@"`,
      "sh",
      process.execPath,
      program,
      "serve",
      "--port",
      "0",
      "--data",
      directory,
      "--json",
      ...performers,
    ],
    { env, stdio: ["ignore", "pipe", "inherit"] },
  );
  const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
  return {
    url,
    child,
    usage() {
      if (process.platform !== "linux") return undefined;
      const [, pages = "0"] = readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ");
      return { descriptors: readdirSync(`/proc/${child.pid}/fd`).length, memory: Number(pages) * 4_096 };
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
