import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import type { RecordOptions } from "./recorded.ts";

const newId = createUlidSource();
const DAY = 24 * 60 * 60_000;

/** Who works how often and how dearly. The figures are made up, the same each time. */
const agents = [
  { agent: "claude", model: "claude-opus-5-5", usd: 1.05, every: 1, source: "agent_reported" },
  { agent: "codex", model: "gpt-5.5-codex", usd: 0.72, every: 1, source: "estimated" },
  { agent: "opencode", model: "claude-sonnet-4-5", usd: 0.38, every: 2, source: "agent_reported" },
  { agent: "gemini", model: "gemini-3-pro", usd: 0.27, every: 3, source: "estimated" },
] as const;

const titles = [
  "Write the changelog from the last forty commits",
  "Move README.md into docs/ and update every link",
  "Explain how the release script decides what to publish",
  "Upgrade every dependency and make the tests pass again",
  "Look at src and test in parallel",
];

/** A month of small runs that end before `until`: fewer at weekends, some days dearer than others. */
export function monthOfRuns(until: number): { events: AgentEvent[]; options: RecordOptions }[] {
  const runs: { events: AgentEvent[]; options: RecordOptions }[] = [];
  for (let day = 29; day >= 1; day -= 1) {
    const at = until - day * DAY;
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
    for (const [index, { agent, model, usd, every, source }] of agents.entries()) {
      if ((day + index) % (isWeekend ? every * 2 : every) !== 0) continue;
      const swing = (0.45 + ((day * 37 + index * 53) % 100) / 80) * (isWeekend ? 0.3 : 1);
      const script = new Script({ runId: newId(), agent, startAt: at - index * 20 * 60_000 });
      const tokens = Math.round(410_000 * swing);
      const cost = { totalUsd: usd * swing, inputTokens: tokens, outputTokens: Math.round(tokens / 34), source };
      script.begin().turn({ model }).wait(70_000).message("Done.").wait(20_000);
      script.emit("cost", { cost: { ...cost, cachedTokens: Math.round(tokens * 0.8) } });
      const prompt = titles[(day + index * 2) % titles.length] ?? "";
      runs.push({ events: script.endTurn().end(cost).events, options: { prompt } });
    }
  }
  return runs;
}
