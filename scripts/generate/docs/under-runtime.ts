import { endsWhenRefused } from "../../../conformance/runtime/expected.ts";
import { readRuntimeResults } from "../../../conformance/runtime/results.ts";
import { runtimeScenarios } from "../../../conformance/runtime/scenarios.ts";
import { table } from "./markdown.ts";

/** The section of docs/agents.md about runs that other processes answer, stop and revert. */
export function underRuntime(): string {
  const results = readRuntimeResults();
  const agents = Object.keys(results).sort();
  const told = agents.flatMap((agent) =>
    Object.entries(results[agent]?.scenarios ?? {})
      .filter(([, result]) => result !== "passed")
      .map(([scenario, result]) => `- **${agent}**, ${scenario}: ${result}`),
  );
  const ending = agents.filter((agent) => endsWhenRefused.has(agent));
  return `## Proven under the runtime

\`npm run conformance -- --runtime\` runs each real program with the command \`spoor\`, in a private home and against the same model
server. Other processes approve, refuse, cancel, interrupt, pause and revert. After each scenario, \`spoor check\`, \`spoor verify\` and
\`spoor repair --check\` must find nothing, every run has one terminal event, and no process is left.

${table(
  ["scenario", ...agents.map((agent) => `${agent} ${results[agent]?.version}`)],
  [
    ...runtimeScenarios.map(({ name }) => [
      name,
      ...agents.map((agent) => (results[agent]?.scenarios[name] === "passed" ? "✓" : "–")),
    ]),
    ["*last run*", ...agents.map((agent) => results[agent]?.date ?? "")],
  ],
)}

${[...told, ...(ending.length > 0 ? [`- When a call is refused, these end the prompt instead of going on: ${ending.join(", ")}.`] : [])].join("\n")}`;
}
