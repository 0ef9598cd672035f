import { Flag, Instant, Json, Key, oneOf, optional, type Static, Text, Type } from "../schema.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "./values.ts";

export const approvalStatuses = ["pending", "approved", "rejected", "cancelled", "timed_out"] as const;

/** An action that waits, or waited, for permission. */
export const ApprovalRecord = Type.Object(
  {
    approval_id: Key("`appr_` and a ULID."),
    run_id: Key("The run that asks."),
    task_id: optional(Key("Its task.")),
    status: oneOf(approvalStatuses, "Whether somebody has decided, and how."),
    kind: optional(Key("The kind of action.")),
    tool: optional(Key("The tool that asks.")),
    tool_call_id: optional(Key("The call that waits.")),
    action: optional(Text("The kind of action, in the agent's words.")),
    detail: optional(Text("What will be done, in full.")),
    summary: optional(Text("One line for people.")),
    input: optional(Json("The input of the tool.")),
    truncated: optional(Flag("Whether `input` or `diff` is truncated.")),
    action_hash: optional(Key("The SHA-256 of the action. An answer may name it to decide about exactly this action.")),
    cwd: optional(Text("The working directory of the action.")),
    rule: optional(Text("The policy rule that asks.")),
    reason: optional(Text("Why the action needs permission.")),
    risk: optional(Text("How risky the action is.")),
    diff: optional(Text("For a change of files: a unified diff.")),
    diff_artifact_id: optional(Key("The stored diff, if it is too long for `diff`.")),
    requested_at: Instant("When it was asked."),
    expires_at: optional(Instant("When it is decided by default.")),
    default_action: optional(Text("What happens then: `reject`, `cancel_run` or `approve`.")),
    decision: optional(Text("`approved`, `rejected` or `cancelled`.")),
    by: optional(Text("Who decided.")),
    comment: optional(Text("The reason of the decision.")),
    resolved_at: optional(Instant("When it was decided.")),
  },
  { description: "An action that waits, or waited, for permission." },
);
export type ApprovalRecord = Static<typeof ApprovalRecord>;

/** Something that a run was told to do. */
export const CommandRecord = Type.Object(
  {
    command_id: Key("`cmd_` and a ULID."),
    run_id: Key("The run."),
    kind: Key("`approve`, `deny`, `answer`, `send`, `interrupt`, `cancel`, `pause` or `unpause`."),
    status: oneOf(["pending", "done", "refused"], "Whether the run has carried it out."),
    by: optional(Text("Who sent it.")),
    created_at: Instant("When it was sent."),
    done_at: optional(Instant("When it was carried out or refused.")),
    outcome: optional(oneOf(["done", "refused"], "Absent while it is pending.")),
    detail: optional(Text("Why it was refused.")),
    sequence: optional(Type.Integer({ description: "The sequence of the event that is its effect." })),
  },
  { description: "Something that a run was told to do. Its effect is an event of the run, which names the command." },
);
export type CommandRecord = Static<typeof CommandRecord>;

const list = <T extends typeof ApprovalRecord | typeof CommandRecord>(item: T) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: Flag("Whether older ones exist."),
    next_before: Type.Union([Type.String(), Type.Null()], { description: "The `before` of the next page." }),
  });

export const ApprovalList = list(ApprovalRecord);
export type ApprovalList = Static<typeof ApprovalList>;
export const CommandList = list(CommandRecord);
export type CommandList = Static<typeof CommandList>;

export const OneApproval = Type.Object({ object: Type.Literal("approval"), data: ApprovalRecord });
export type OneApproval = Static<typeof OneApproval>;
export const OneCommand = Type.Object({ object: Type.Literal("command"), data: CommandRecord });
export type OneCommand = Static<typeof OneCommand>;

const limit = optional(
  Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: "The maximum number of items." }),
);

export const RunApprovalsQuery = Type.Object({
  status: optional(oneOf(approvalStatuses, "Only approvals with this status.")),
  before: optional(Key("Only approvals that were asked before this one.")),
  limit,
});
export type RunApprovalsQuery = Static<typeof RunApprovalsQuery>;

export const ApprovalsQuery = Type.Object({
  ...RunApprovalsQuery.properties,
  run_id: optional(Key("Only approvals of this run.")),
});
export type ApprovalsQuery = Static<typeof ApprovalsQuery>;

export const CommandsQuery = Type.Object({
  before: optional(Key("Only commands that were sent before this one.")),
  limit,
});
export type CommandsQuery = Static<typeof CommandsQuery>;

export const WaitQuery = Type.Object({
  wait: optional(
    Type.Number({
      minimum: 0,
      maximum: 30,
      default: 0,
      description: "How many seconds to wait until the run has carried it out. Then the answer is 200 instead of 202.",
    }),
  ),
});
export type WaitQuery = Static<typeof WaitQuery>;

/** An answer to an approval. */
export const Resolve = Type.Object(
  {
    decision: oneOf(["approve", "reject"], "The answer."),
    comment: optional(Text("The reason. The agent gets it with a rejection.")),
    action_hash: optional(
      Key("The hash of the action that was looked at. The answer is refused if it is another one."),
    ),
  },
  { description: "An answer to an approval." },
);
export type Resolve = Static<typeof Resolve>;

/** The reason of a command. */
export const CommandBody = Type.Object(
  { reason: optional(Text("The reason.")) },
  { description: "What to say with a command. The body may be left out." },
);
export type CommandBody = Static<typeof CommandBody>;

/** A text for the agent. */
export const SendBody = Type.Object(
  {
    text: Type.String({ minLength: 1, description: "What to tell the agent." }),
    interaction_id: optional(Key("The question that the text answers; absent for another prompt.")),
    reason: optional(Text("The reason.")),
  },
  { description: "A text for the agent." },
);
export type SendBody = Static<typeof SendBody>;
