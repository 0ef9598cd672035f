import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { answer, text } from "../../scenarios/scenario.ts";
import type { Started } from "../commands.ts";
import { expectCount, expectExit, expectThat, ofType, unlessEnded } from "../expectations.ts";
import type { RuntimeScenario } from "../scenario.ts";
import type { Stage, StoredEvent } from "../stage.ts";

/** A command that does not end by itself. Some agents have a `tail` of their own in their shell, which is no process. */
const WAITING = "sh -c 'tail -f /dev/null'";

export const stops: readonly RuntimeScenario[] = [
  {
    name: "stopped by its budget",
    prepare: priceModel,
    script: (tools) =>
      Array.from({ length: 6 }, (_, n) => ({
        ...answer(text(`Step ${n}.`), tools.shell(`echo ${n}`)),
        usage: { input: 60_000, output: 4_000 },
      })),
    async play(stage) {
      const ended = await stage.spoor(...stage.runArguments("--approve", "auto", "--budget", "0.01", ...priced(stage)));
      const events = await stage.events();
      const [failed] = ofType(events, "run.failed");
      return [
        ...expectExit(ended, 18),
        ...expectCount(events, "cost.budget_exceeded", 1),
        ...expectCount(events, "run.failed", 1),
        ...expectThat(
          JSON.stringify(failed?.data ?? {}).includes("budget_exceeded"),
          `The run failed as ${JSON.stringify(failed?.data ?? null)}`,
        ),
        ...expectThat(stage.model.requests.filter(({ step }) => step !== undefined).length < 6, "It did not stop."),
      ];
    },
  },
  {
    name: "cancelled in a command",
    script: (tools) => [answer(tools.shell(WAITING)), answer(text("Done."))],
    async play(stage) {
      const run = stage.startOnTerminal(...stage.runArguments("--approve", "auto"));
      await inCommand(stage, run);
      const given = await stage.spoor("cancel", "last", "-m", "Enough.");
      const ended = await run.ended;
      const events = await stage.events();
      const [cancelled] = ofType(events, "run.cancelled");
      return [
        ...expectExit(given, 0),
        ...expectExit(ended, 13),
        ...expectCount(events, "run.cancelled", 1),
        ...expectStopped(events),
        ...expectThat(
          /^cli:/.test(String(cancelled?.data.by)) && cancelled?.data.reason === "Enough.",
          `The end does not say who cancelled it and why: ${JSON.stringify(cancelled?.data ?? null)}`,
        ),
      ];
    },
  },
  {
    name: "interrupted in a command",
    script: (tools) => [answer(tools.shell(WAITING)), answer(text("Done."))],
    async play(stage) {
      const run = stage.startOnTerminal(...stage.runArguments("--approve", "auto"));
      await inCommand(stage, run);
      const given = await stage.spoor("interrupt", "last");
      const ended = await run.ended;
      const events = await stage.events();
      return [
        ...expectExit(given, 0),
        ...expectExit(ended, 130),
        ...expectCount(events, "run.interrupted", 1),
        ...expectStopped(events),
      ];
    },
  },
  {
    name: "paused in a command, then let go on",
    script: (tools) => [answer(tools.shell("sh -c 'tail -f go.txt --retry | head -n 1'")), answer(text("Done."))],
    async play(stage) {
      const run = stage.startOnTerminal(...stage.runArguments("--approve", "auto"));
      await inCommand(stage, run);
      const paused = await stage.spoor("pause", "last");
      const stopped = stage.processes().filter(({ state }) => state === "T");
      const running = inRun(stage).filter(({ state }) => state !== "T");
      const names = running.map(({ command, state }) => `${state} ${command.slice(0, 60)}`);
      const row = (await stage.rows("ls"))[0];
      const unpaused = await stage.spoor("unpause", "last");
      await writeFile(join(stage.cwd, "go.txt"), "go\n");
      const ended = await run.ended;
      const events = await stage.events();
      return [
        ...expectExit(paused, 0),
        ...expectThat(stopped.length > 1, `Only ${stopped.length} processes were stopped.`),
        ...expectThat(running.length === 0, `Processes went on while paused: ${names.join("; ")}`),
        ...expectThat(
          row?.paused === true || row?.paused === 1,
          `The list does not say that it is paused: ${row?.paused}`,
        ),
        ...expectExit(unpaused, 0),
        ...expectExit(ended, 0),
        ...expectCount(events, "run.paused", 1),
        ...expectCount(events, "run.unpaused", 1),
        ...expectCount(events, "run.finished", 1),
      ];
    },
  },
];

/** Pi and Oh My Pi compute the cost themselves, from a price in their settings. */
async function priceModel(cwd: string): Promise<void> {
  const [pi, omp] = [".pi/agent/models.json", ".omp/agent/models.yml"].map((name) => join(dirname(cwd), name));
  if (existsSync(pi as string)) {
    const settings = JSON.parse(await readFile(pi as string, "utf8"));
    for (const model of settings.providers.scripted.models) model.cost = PRICE;
    await writeFile(pi as string, JSON.stringify(settings));
  }
  if (existsSync(omp as string)) {
    const settings = await readFile(omp as string, "utf8");
    await writeFile(
      omp as string,
      settings.replace("maxTokens: 8192", `maxTokens: 8192, cost: ${JSON.stringify(PRICE)}`),
    );
  }
}

const PRICE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };

/** A model whose price Spoor knows, for an agent that reports no cost and runs the scripted model. */
const priced = ({ agent }: Stage): string[] => (agent === "qwen" ? ["--model", "gpt-5.5"] : []);

/** The call ended once, and nobody calls that a rule. Some agents tell before the end that their command was killed. */
function expectStopped(events: readonly StoredEvent[]): string[] {
  const ends = events.filter(({ type }) => type === "tool.failed" || type === "tool.cancelled");
  return [
    ...expectThat(ends.length === 1, `The call ended ${ends.length} times as failed or cancelled.`),
    ...expectCount(events, "tool.completed", 0),
    ...expectCount(events, "policy.tool_blocked", 0),
  ];
}

/** The processes of the agent: all but those of `spoor run` itself. */
const inRun = (stage: Stage) => stage.processes().filter(({ command }) => !/spoor\.js|^script /.test(command));

/** Waits until the agent runs its command. */
const inCommand = (stage: Stage, run: Started): Promise<unknown> =>
  unlessEnded(
    run,
    stage.until("the command runs", async () => stage.allProcesses().some(({ command }) => /^tail -f/.test(command))),
  );
