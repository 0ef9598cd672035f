import type { AgentEventCategory, AgentEventTypeLiteral } from "../../../packages/protocol/src/agent-events/catalog.ts";

/** Why the observed support of a category differs from the specification. */
export function whyDifferent(agent: string, category: AgentEventCategory, stated: string, found: string): string {
  const particular = particulars[agent]?.[category];
  if (particular) return particular;
  const [before, after] = [levels.indexOf(stated), levels.indexOf(found)];
  if (after > before) return "Today's version of the agent prints more than the specification says.";
  return general[category] ?? "The agent's dialects contain no other events of this category.";
}

const levels = ["No", "Minimal", "Turn only", "Partial", "Full"];

/** Why a category is incomplete in most dialects. */
const general: Partial<Record<AgentEventCategory, string>> = {
  session: "Only agents that have forks and checkpoints report them.",
  file: "Which of read, write, create, delete and patch appear depends on the tools an agent has.",
  shell: "Most agents print one stream of output, not two.",
  plugin: "No agent prints separate events for the calls and errors of its plugins.",
  multimodal: "Few dialects acknowledge images.",
  cost: "Some agents report tokens but no cost. Spoor marks a cost that it estimated.",
  interaction: "Questions to the user exist only where an agent has a tool for them.",
  rateLimit:
    "Warnings before a limit are rare: most agents only report that they wait or that the context was compacted.",
  runLifecycle: "Spoor itself creates the events for a pause, an abort and a timeout, and only in a live run.",
  error: "Only the failures that the recordings and scenarios provoke appear.",
  skill: "Few agents report skills and instruction files at start-up.",
  thinking: "The agent does not print its thoughts in its dialects.",
  mcp: "The agent prints calls of MCP tools like other calls, or has no MCP tools.",
  tool: "Not every dialect streams input or separates errors from results.",
  debug: "The agent printed no unknown lines.",
};

const particulars: Readonly<Record<string, Partial<Record<AgentEventCategory, string>>>> = {};

/** Types that no recording and no scenario produces. */
export const unseenTypes: Partial<Record<AgentEventTypeLiteral, string>> = {
  plugin_invoked: "No agent prints separate events for calls of its plugins.",
  plugin_error: "No agent prints separate events for errors of its plugins.",
  session_checkpoint: "No agent prints a checkpoint in its dialects.",
  image_output: "No recorded agent makes images.",
  image_input_ack: "No dialect acknowledges an image.",
};
