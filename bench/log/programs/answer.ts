import type { Usage } from "../child.ts";

/** Executes requests of the parent process until the parent disconnects. */
export function answer(commands: Record<string, (...args: never[]) => unknown>): void {
  const all: Record<string, (...args: never[]) => unknown> = { usage, ...commands };
  process.on("message", async ({ id, command, args }: { id: number; command: string; args: never[] }) => {
    try {
      process.send?.({ id, answer: (await all[command]?.(...args)) ?? null });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.stack : String(error) });
    }
  });
  process.once("disconnect", () => process.exit());
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() };
}
