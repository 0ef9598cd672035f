import { createUlidSource } from "@spoor/protocol";
import { openLog } from "../../../spoor/src/log/open.ts";

const newRunId = createUlidSource({ prefix: "run_" });

/** Records many short runs that are over, the first one the oldest. Returns their ids. */
export async function manyRuns(
  data: string,
  count: number,
  { prompt = (index: number) => `Task ${index}`, agent = "codex" } = {},
): Promise<string[]> {
  const log = await openLog({ directory: data, durability: "process" });
  try {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const run_id = newRunId();
      const text = prompt(index);
      const at = Date.now() - 60_000;
      const event = (type: string, fields: object) => ({ type, timestamp: at, json: JSON.stringify(fields) });
      const facts = { status: "completed", state: "done", ended_at: at, model: "gpt-6.1-sol", turns: 1 } as const;
      await log.append([
        {
          run_id,
          create: { agent, kind: "agent" },
          drafts: [
            event("run.created", { kind: "agent", title: text.split("\n")[0] }),
            event("user.message", { turn_index: 0, text, via: "prompt" }),
            event("run.finished", { final_status: "completed" }),
          ],
          facts: { ...facts, title: text.split("\n")[0] ?? "" },
        },
      ]);
      ids.push(run_id);
    }
    return ids;
  } finally {
    await log.close();
  }
}
