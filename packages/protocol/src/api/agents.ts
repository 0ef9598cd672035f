import { Flag, Key, optional, type Static, Text, Type } from "../schema.ts";

/** What an agent can be held to while it runs. */
export const AgentControls = Type.Object({
  dialect: Text("The dialect in which Spoor runs the agent."),
  asks_permission: Flag("Whether the agent asks before it acts, so that people and rules can decide."),
  takes_answers: Flag("Whether the agent accepts answers to its questions."),
  takes_prompts: Flag("Whether the agent accepts further prompts while it runs."),
  can_be_interrupted: Flag("Whether the agent can be asked to stop its work and stay. Every agent can be cancelled."),
  can_be_paused: Flag("Whether its processes can be stopped and continued."),
  reports_usage: Flag("Whether the agent reports tokens or costs, so that a budget can be held."),
});
export type AgentControls = Static<typeof AgentControls>;

export const AgentRecord = Type.Object(
  {
    agent: Key("The name of the agent."),
    title: Text("Its name for people."),
    installed: Flag("Whether its program was found."),
    path: optional(Text("Where its program is.")),
    version: optional(Text("The version that its program prints.")),
    problem: optional(Text("Why the installed program may not work.")),
    capabilities: Type.Record(Type.String(), Type.Unknown(), { description: "What the agent can do." }),
    dialects: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: "The dialects that Spoor knows of it.",
    }),
    controls: optional(AgentControls),
  },
  { description: "An agent as `spoor agents --json` prints it." },
);
export type AgentRecord = Static<typeof AgentRecord>;

export const AgentList = Type.Object({ object: Type.Literal("list"), data: Type.Array(AgentRecord) });
export type AgentList = Static<typeof AgentList>;
