import type { Served } from "../served.ts";
import { askingRun } from "./asking.ts";
import { hostileTexts } from "./hostile.ts";

/** Runs an agent that asks to run a command which hides what it does. Resolves when the question waits. */
export const hostileQuestion = (served: Served): Promise<{ run_id: string; approval_id: string }> =>
  askingRun(served, Object.values(hostileTexts).join(" ").replaceAll("\u0000", ""), [
    { say: Object.values(hostileTexts).join("\n\n") },
    {
      ask: "Bash",
      input: {
        command: `echo safe ${hostileTexts.bidi} ${hostileTexts.script} ${hostileTexts.invisible}`,
        description: hostileTexts.form,
      },
    },
  ]);
