import type { Adapter } from "../agents/machine.ts";
import { resolveCommand } from "../process/command.ts";
import { type Environment, scrubEnvironment } from "../process/environment.ts";
import { spawnProcess } from "../process/spawn.ts";

export interface Detected {
  agent: string;
  title: string;
  /** The program's path; undefined when it is not installed, or has none of its own. */
  path: string | undefined;
  version: string | undefined;
  wires: { name: string; runs: boolean; asks: boolean; streams: Adapter["dialects"][number]["streams"] }[];
}

/** Looks whether an agent is there and which version, without starting it on anything. */
export async function detect(adapter: Adapter, environment: Environment = process.env): Promise<Detected> {
  const env = scrubEnvironment(environment);
  const command = adapter.dialects.find(({ live }) => live?.command)?.live?.command;
  const path = command ? resolveCommand(command, env)?.path : undefined;
  return {
    agent: adapter.name,
    title: adapter.title,
    path,
    version: path === undefined ? undefined : await versionOf(path, env),
    wires: adapter.dialects.map(({ name, live, canAsk, streams }) => ({
      name,
      runs: live !== undefined,
      asks: canAsk,
      streams,
    })),
  };
}

/** The first thing that looks like a version in what `--version` prints. */
async function versionOf(command: string, env: Record<string, string>): Promise<string | undefined> {
  const signal = AbortSignal.timeout(10_000);
  const child = spawnProcess({ command, args: ["--version"], env, cwd: process.cwd(), stdin: "ignore", signal });
  let printed = "";
  for await (const { line } of child.output) printed += `${line}\n`;
  await child.exited;
  return printed.match(/\d+\.\d+[\w.+-]*/)?.[0];
}
