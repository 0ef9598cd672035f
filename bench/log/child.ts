import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A program under `programs/` that runs in its own process and executes requests sent over IPC. */
export interface Child {
  ask<Answer = void>(command: string, ...args: unknown[]): Promise<Answer>;
  stop(): Promise<void>;
}

/** The resources that a process has used since it started. */
export interface Usage {
  /** Processor time of all threads, in seconds. */
  cpu: number;
  /** Bytes. */
  rss: number;
}

export async function start(program: string, ...args: string[]): Promise<Child> {
  const file = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url));
  const child = fork(file, args, {
    execArgv: ["--conditions=spoor-source", ...process.execArgv.filter(isProfiling)],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  let asked = 0;
  child.on("message", ({ id, answer, error }: { id: number; answer: never; error?: string }) => {
    const asker = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asker?.resolve(answer);
    else asker?.reject(new Error(`${program}: ${error}`));
  });
  child.once("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended with code ${code}.`));
  });
  return {
    ask: (command, ...args) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ id: asked, command, args });
      }),
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

const isProfiling = (flag: string): boolean => flag.startsWith("--cpu-prof");

/** Measures the processor time that a child spends on an action. */
export async function cpuOf(child: Child, work: () => Promise<unknown>): Promise<number> {
  const before = await child.ask<Usage>("usage");
  await work();
  const after = await child.ask<Usage>("usage");
  return after.cpu - before.cpu;
}
