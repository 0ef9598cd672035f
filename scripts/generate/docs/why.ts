import type { AgentEventCategory, AgentEventTypeLiteral } from "../../../packages/protocol/src/agent-events/catalog.ts";

/** Why the observed support of a category differs from the specification. */
export function whyDifferent(agent: string, category: AgentEventCategory, stated: string, found: string): string {
  const particular = particulars[agent]?.[category];
  if (particular) return particular;
  const [before, after] = [levels.indexOf(stated), levels.indexOf(found)];
  if (after > before) return "The agent of today prints more than the specification knew.";
  return general[category] ?? "The agent prints no more of it on its wires.";
}

const levels = ["No", "Minimal", "Turn only", "Partial", "Full"];

/** Why a category is incomplete in most dialects. */
const general: Partial<Record<AgentEventCategory, string>> = {
  session: "Forks and checkpoints are told only by agents that have them.",
  file: "Which of read, write, create, delete and patch appear depends on the tools an agent has.",
  shell: "Most agents print one stream of output, not two.",
  plugin: "No agent prints the calls and errors of its plugins as such.",
  multimodal: "Images in and out are acknowledged by few wires.",
  cost: "Some agents state tokens but no money; the estimate is marked as such.",
  interaction: "Questions to the user exist only where an agent has a tool for them.",
  rateLimit:
    "Warnings before a limit are rare: most agents only tell that they wait or that the context was compacted.",
  runLifecycle: "Pauses, aborts and time limits are ours, and happen in a live run only.",
  error: "A wire shows the failures that the recordings and scenarios provoke.",
  skill: "Skills and instruction files are told at start-up by few agents.",
  thinking: "The agent keeps its thoughts to itself on its wires.",
  mcp: "The agent prints calls of MCP tools like any other, or has none.",
  tool: "Input that is streamed, or errors apart from results, are not on every wire.",
  debug: "Nothing stray was printed.",
};

const particulars: Readonly<Record<string, Partial<Record<AgentEventCategory, string>>>> = {};

/** Types that no recording and no scenario produces. */
export const unseenTypes: Partial<Record<AgentEventTypeLiteral, string>> = {
  plugin_invoked: "No agent prints calls of its plugins as such.",
  plugin_error: "No agent prints errors of its plugins as such.",
  session_checkpoint: "No agent prints a checkpoint on its wires.",
  image_output: "No recorded agent makes images.",
  image_input_ack: "No wire says that it took an image.",
};
