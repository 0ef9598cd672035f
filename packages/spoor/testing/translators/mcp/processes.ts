import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bin } from "../../cli/process.ts";
import { firstLine } from "../../process/first-line.ts";

export interface McpProcess {
  url: string;
  child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `spoor mcp --http` as a process; resolves when it listens. */
export async function startMcp(data: string, ...flags: string[]): Promise<McpProcess> {
  const argv = [bin, "mcp", "--http", "--port", "0", "--json", "--data", data, ...flags];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
  return {
    url,
    child,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, "exit");
      }
      return child.exitCode;
    },
  };
}
