import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createStreamChecker, type Envelope } from "../../packages/protocol/src/index.ts";
import { SpoorError } from "../../packages/spoor/src/failures/errors.ts";
import { readEnvelopes } from "../../packages/spoor/src/log/envelopes.ts";
import type { Log } from "../../packages/spoor/src/log/log.ts";
import { openLog } from "../../packages/spoor/src/log/open.ts";
import { loopAdapter } from "../../packages/spoor/src/loop/adapter.ts";
import { createLoopPerformer } from "../../packages/spoor/src/loop/door/performer.ts";
import { createLoopExecutor } from "../../packages/spoor/src/loop/executor.ts";
import { createLoopKind } from "../../packages/spoor/src/loop/loop-kind.ts";
import { createRunner, type Runner, type RunOptions } from "../../packages/spoor/src/run/runner.ts";
import type { Driven } from "../drive.ts";
import { startModelServer } from "../model-server/server.ts";
import type { Outcome, Scenario } from "../scenarios/scenario.ts";
import { PROMPT } from "../tools.ts";
import { loopToolsOf } from "./tools.ts";
import type { ProviderWire } from "./wires.ts";

/** Runs one scenario with our own loop in a private home, against a model server that speaks the provider's language. */
export async function driveLoop(wire: ProviderWire, scenario: Scenario): Promise<Driven> {
  const home = await mkdtemp(join(tmpdir(), "spoor-loop-"));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const server = await startModelServer({ script: scenario.script(loopToolsOf(wire.dialect), cwd) });
  const log = await openLog({ directory: join(home, "data") });
  try {
    scenario.before?.(cwd);
    const key = wire.key && !scenario.withoutKey && { [wire.key]: "dummy-key-0123456789" };
    const environment = { PATH: process.env.PATH ?? "", HOME: home, SPOOR_HOME: home, ...wire.env(server.url), ...key };
    const options: RunOptions = {
      ...{ agent: "loop", model: wire.model, prompt: PROMPT, cwd, environment, timeout: 90_000 },
      ...{ approve: scenario.approve ?? "auto", sandbox: "none" },
      ...scenario.options,
      ...(scenario.options?.model && { model: `${wire.model.split("/")[0]}/${scenario.options.model}` }),
    };
    const runner = runnerFor(log, join(home, "data"), environment);
    const told = await run(runner, scenario, options);
    if ("refused" in told) {
      // Refused before it starts, with the code that another agent's run would end with.
      const isRight = scenario.mayBeRefused || scenario.expects === told.refused.code;
      return { problems: isRight ? [] : [`The run was refused: ${told.refused.message}`], events: [], lines: [] };
    }
    const asked = JSON.stringify(server.requests.findLast(({ isSide }) => !isSide)?.body ?? null);
    const problems = [
      ...violationsIn(told.events),
      ...violationsIn(await storedIn(log)),
      ...scenario.problems({ ...told, cwd, asked }),
    ];
    return { problems, events: told.events, lines: [] };
  } finally {
    await log.close();
    await server.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The same face as that of every other agent. The run is stored in the log, and performed in this process. */
function runnerFor(log: Log, directory: string, environment: NodeJS.ProcessEnv): Runner {
  const kind = createLoopKind({
    environment,
    load: async () => createLoopExecutor({ name: "cli", environment, backoffMs: () => 10 }),
  });
  const open = async () => ({ log, directory, release: async () => {} });
  const task = { record_thinking: true };
  const loop = createLoopPerformer({ open, kind, task, name: "cli", by: "operator:conformance" });
  return createRunner([loopAdapter], { performers: { loop } });
}

/** The run, after the run whose session it continues; or why it was refused. */
async function run(
  runner: Runner,
  scenario: Scenario,
  options: RunOptions,
): Promise<Pick<Outcome, "events" | "result" | "earlier"> | { refused: SpoorError }> {
  try {
    const earlier = scenario.after ? (await runner.run(options)).sessionId : undefined;
    const handle = runner.run({ ...options, ...(scenario.after && earlier && { [scenario.after]: earlier }) });
    scenario.act?.(handle);
    const events: AgentEvent[] = [];
    for await (const event of handle) events.push(event);
    return { events, result: await handle.result(), ...(earlier !== undefined && { earlier }) };
  } catch (error) {
    if (error instanceof SpoorError) return { refused: error };
    throw error;
  }
}

async function storedIn(log: Log): Promise<Envelope[]> {
  const stored: Envelope[] = [];
  for (const { run_id } of (await log.runs({})).runs) {
    for await (const envelope of readEnvelopes(log, { run_id })) stored.push(envelope);
  }
  return stored;
}

function violationsIn(events: readonly (AgentEvent | Envelope)[]): string[] {
  const checker = createStreamChecker();
  const findings = [...events.flatMap((event) => checker.add(event)), ...checker.end()];
  return findings.flatMap(({ finding }) =>
    finding.kind === "violation" ? [`${finding.rule}: ${finding.message}`] : [],
  );
}
