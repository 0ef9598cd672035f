import { Key, optional, type Static, Text, Ulid } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { CostRecord } from "./cost-record.ts";

const subagent = {
  subagentId: Key("Shared by all events of one subagent."),
  agentName: Key("The subagent's name."),
};

export const SubagentSpawnEvent = agentEvent("subagent_spawn", "The agent hands a task to another agent.", {
  ...subagent,
  prompt: Text("The task."),
  childRunId: optional(Ulid("The run that holds what the subagent itself does.")),
});
export type SubagentSpawnEvent = Static<typeof SubagentSpawnEvent>;

export const SubagentResultEvent = agentEvent("subagent_result", "The subagent finished; possibly turns later.", {
  ...subagent,
  summary: Text("What it reported."),
  cost: optional(CostRecord),
});
export type SubagentResultEvent = Static<typeof SubagentResultEvent>;

export const SubagentErrorEvent = agentEvent("subagent_error", "The subagent failed.", {
  ...subagent,
  error: Text("What went wrong, for people."),
});
export type SubagentErrorEvent = Static<typeof SubagentErrorEvent>;
