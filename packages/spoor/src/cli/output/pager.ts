import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Io } from "../io.ts";
import { styleOf } from "./style.ts";

/** Shows a long text: on a terminal through `$PAGER`, by default `less -FRX`, which ends by itself if the text is short. */
export async function page(text: string, io: Io, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const pager = env.PAGER ?? "less -FRX";
  // Without TERM, less shows nothing until somebody presses Return.
  if (!styleOf(io.stdout).codes || env.TERM === undefined || pager.trim() === "" || pager === "cat") {
    io.stdout.write(text);
    return;
  }
  const child = spawn(pager, {
    ...{ shell: true, stdio: ["pipe", "inherit", "inherit"] },
    env: { LESSCHARSET: "utf-8", ...env },
  });
  // The person has left the pager before the end.
  child.stdin.on("error", () => {});
  // Ctrl-C is for the pager.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  try {
    child.stdin.end(text);
    const [code] = (await once(child, "exit")) as [number | null];
    // The shell did not find the program.
    if (code === 127) io.stdout.write(text);
  } finally {
    process.off("SIGINT", ignore);
  }
}
