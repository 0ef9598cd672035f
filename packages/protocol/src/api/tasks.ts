import { Count, Flag, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";

/** What executes a task. */
export const taskKinds = ["agent", "agent_loop", "shell", "git", "file"] as const;

const Whole = (description: string) => Type.Integer({ minimum: 0, description });
const Strings = (description: string) => Type.Array(Type.String(), { description });
const Names = (description: string) => Type.Record(Type.String(), Type.String(), { description });

export const NewTask = Type.Object(
  {
    kind: optional(oneOf(taskKinds, "What executes the task; `agent` when absent.")),
    title: optional(Text("One line for lists; the first line of the prompt or command when absent.")),
    prompt: optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: "Kinds `agent` and `agent_loop`: the task.",
      }),
    ),
    history: optional(
      Type.Array(
        Type.Object({
          role: oneOf(["user", "assistant"], "Who said it."),
          text: Text("What was said."),
        }),
        {
          description:
            "Kind `agent_loop`: what was said before the prompt, in a conversation that was begun elsewhere.",
        },
      ),
    ),
    agent: optional(Key("Kind `agent`: the agent to run.")),
    model: optional(Text("The model to use.")),
    command: optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: "Kind `shell`: a line for `sh -c`, or a list of words. Kind `git`: the list of arguments for git.",
      }),
    ),
    operation: optional(oneOf(["write", "append", "delete"], "Kind `file`: what to do.")),
    path: optional(Text("Kind `file`: the file, relative to the workspace.")),
    content: optional(Text("Kind `file`: what to write or append.")),
    workspace: optional(
      Type.Object(
        {
          mode: optional(oneOf(["in_place", "worktree", "clone"], "Where the run works; `in_place` when absent.")),
          path: optional(Text("The folder; for a worktree or clone, the one it is made from.")),
          repo: optional(Text("The repository to clone, if it is not `path`.")),
          base: optional(Text("The commit or branch of a worktree or clone.")),
          share: optional(Flag("Whether other runs may work in the same folder at the same time.")),
        },
        { description: "Where the run works." },
      ),
    ),
    budget_micros_usd: optional(Count("The most that all runs of the task may cost, in millionths of a dollar.")),
    budget_advisory: optional(
      Flag("Start even if the agent does not report its cost, so that the budget cannot be held."),
    ),
    timeout_ms: optional(Whole("The run stops after this many milliseconds; 0 is no limit.")),
    inactivity_timeout_ms: optional(Whole("The run stops when the agent prints nothing for this long.")),
    max_turns: optional(Whole("The run stops after this many turns.")),
    mcp_servers: optional(
      Type.Array(Type.Unknown(), { description: "MCP servers that the agent may use. `$NAME` stands for a variable." }),
    ),
    policy: optional(Strings("Rules for this task, as in `policy.rules`.")),
    priority: optional(
      Type.Integer({ minimum: -1000, maximum: 1000, description: "Greater ones start first; 0 when absent." }),
    ),
    approve: optional(
      oneOf(["ask", "auto", "deny", "prompt", "yolo"], "What happens when the agent asks for permission."),
    ),
    on_reject: optional(oneOf(["continue", "fail"], "What a rejected approval does to the run.")),
    approval_timeout_ms: optional(Whole("How long an approval of the agent waits for an answer. Default: one hour.")),
    on_approval_timeout: optional(
      oneOf(["reject", "cancel_run"], "What happens when nobody answers in time. Default: `reject`."),
    ),
    recover: optional(
      oneOf(["fail", "resume"], "What happens if the agent's process is lost: `resume` starts one further run."),
    ),
    sandbox: optional(
      oneOf(
        ["auto", "bwrap", "none"],
        "What holds the commands of an `agent_loop`. `auto`: bubblewrap, or a question about every command. `bwrap`: only bubblewrap. `none`: nothing.",
      ),
    ),
    system_prompt: optional(Text("Text for the system prompt.")),
    system_prompt_mode: optional(oneOf(["append", "replace"], "Where that text goes.")),
    thinking_effort: optional(oneOf(["low", "medium", "high", "max"], "How much the model thinks.")),
    thinking_budget_tokens: optional(Whole("The most tokens the model may use to think.")),
    max_output_tokens: optional(Whole("The most tokens the model may write in one answer.")),
    record_thinking: optional(Flag("Whether what the model thinks is recorded.")),
    record_tool_input: optional(Flag("Whether the input of calls is recorded while the model writes it.")),
    retry_policy: optional(Type.Unknown({ description: "When a failed attempt is repeated within the run." })),
    profile: optional(Text("A profile that supplies further options.")),
    skills: optional(Strings("Files or folders of skills.")),
    no_session: optional(Flag("Run the agent without saving a session.")),
    stream: optional(Type.Union([Type.Literal("auto"), Type.Boolean()], { description: "Whether text is streamed." })),
    dialect: optional(Text("The dialect to talk to the agent in.")),
    agent_command: optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: "The agent's program and its first arguments.",
      }),
    ),
    environment_mode: optional(oneOf(["inherit", "clean"], "Which variables the agent gets.")),
    pass_env: optional(Strings("Names of variables to pass on.")),
    env: optional(Names("Variables to set. `$NAME` stands for a variable of the worker: a task holds no secrets.")),
    start: optional(Flag("Start the task at once, in the same commit.")),
  },
  { description: "What to do. Fields that do not apply to the kind are refused." },
);
export type NewTask = Static<typeof NewTask>;

export const StartTask = Type.Object(
  { reason: optional(Text("Why, for the record.")) },
  { description: "May be left out." },
);
export type StartTask = Static<typeof StartTask>;

export const FollowUpRun = Type.Object(
  {
    reason: optional(Text("Why, for the record.")),
    prompt: optional(Text("What the agent shall do now. `continue` needs it; `fork` and `resume` have a default.")),
    turn: optional(
      Type.Integer({ minimum: 1, description: "For `retry-from-turn`: the first turn that is repeated." }),
    ),
  },
  { description: "How the new run differs from the earlier one." },
);
export type FollowUpRun = Static<typeof FollowUpRun>;

export const DeletedTask = Type.Object({
  object: Type.Literal("task.deleted"),
  task_id: Key("The task that was deleted."),
});
export type DeletedTask = Static<typeof DeletedTask>;
