import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createStreamChecker } from "../packages/protocol/src/index.ts";
import { createClient } from "../packages/spoor/src/mux/client.ts";
import type { Cli } from "./clis.ts";
import { startModelServer } from "./model-server/server.ts";
import { place } from "./place.ts";
import type { Scenario } from "./scenarios.ts";
import { toolsOf } from "./tools.ts";

export interface Driven {
  problems: string[];
  /** Types of events that were seen. */
  types: Set<AgentEvent["type"]>;
}

/** Runs one scenario with the real program, in a home of its own, against a model that says what the script says. */
export async function drive(cli: Cli, scenario: Scenario): Promise<Driven> {
  const tools = toolsOf[cli.name];
  if (!tools) throw new Error(`The tools of ${cli.name} are not known.`);
  const home = await mkdtemp(join(tmpdir(), `spoor-${cli.name}-`));
  const script = scenario.script(tools, join(home, "project"));
  const server = await startModelServer({ script });
  try {
    const { command, first, env, cwd } = await place(cli, { url: server.url, home });
    scenario.before?.(cwd);
    const client = createClient();
    const options = {
      agent: cli.name,
      prompt: "Do what the script says.",
      cwd,
      env,
      passEnv: Object.keys(env),
      command: [command, ...first],
      approve: scenario.approve ?? "auto",
      timeout: 90_000,
      ...scenario.options,
    };
    const earlier = scenario.after ? (await client.run(options)).sessionId : undefined;
    const handle = client.run({ ...options, ...(scenario.after && earlier && { [scenario.after]: earlier }) });
    scenario.act?.(handle);
    const events: AgentEvent[] = [];
    for await (const event of handle) events.push(event);
    const result = await handle.result();
    const problems = [...violations(events), ...scenario.problems({ events, result, cwd })];
    return { problems, types: new Set(events.map(({ type }) => type)) };
  } finally {
    await server.close();
    // Agents may still be putting things away.
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function violations(events: readonly AgentEvent[]): string[] {
  const checker = createStreamChecker();
  const findings = [...events.flatMap((event) => checker.add(event)), ...checker.end()];
  return findings.flatMap(({ finding }) =>
    finding.kind === "violation" ? [`${finding.rule}: ${finding.message}`] : [],
  );
}
