import type { Static } from "../schema.ts";
import * as control from "./control.ts";
import * as cost from "./cost.ts";
import * as debug from "./debug.ts";
import * as error from "./error.ts";
import * as file from "./file.ts";
import * as interaction from "./interaction.ts";
import * as limit from "./limit.ts";
import * as mcp from "./mcp.ts";
import * as multimodal from "./multimodal.ts";
import * as plugin from "./plugin.ts";
import * as session from "./session.ts";
import * as shell from "./shell.ts";
import * as skill from "./skill.ts";
import * as subagent from "./subagent.ts";
import * as text from "./text.ts";
import * as thinking from "./thinking.ts";
import * as tool from "./tool.ts";
import * as turn from "./turn.ts";

/**
 * The AgentEvent catalog: 67 events in 18 categories, in the order of the specification.
 *
 * A run is `session_start`, turns, at most one terminal event, `session_end`; `debug` and `log` may be anywhere.
 * Spans are start / delta / end (see `spans.ts`), and every start has exactly one end. The whole contract is in
 * `contract/rules.ts`.
 */
export const agentEventCategories = {
  session: {
    title: "Session lifecycle",
    section: "5",
    events: [
      session.SessionStartEvent,
      session.SessionResumeEvent,
      session.SessionForkEvent,
      session.SessionCheckpointEvent,
      session.SessionEndEvent,
    ],
  },
  turn: {
    title: "Turn / step",
    section: "6",
    events: [turn.TurnStartEvent, turn.TurnEndEvent, turn.StepStartEvent, turn.StepEndEvent],
  },
  text: {
    title: "Text / message streaming",
    section: "7",
    events: [text.MessageStartEvent, text.TextDeltaEvent, text.MessageStopEvent],
  },
  thinking: {
    title: "Thinking / reasoning",
    section: "8",
    events: [thinking.ThinkingStartEvent, thinking.ThinkingDeltaEvent, thinking.ThinkingStopEvent],
  },
  tool: {
    title: "Tool calling",
    section: "9",
    events: [
      tool.ToolCallStartEvent,
      tool.ToolInputDeltaEvent,
      tool.ToolCallReadyEvent,
      tool.ToolResultEvent,
      tool.ToolErrorEvent,
    ],
  },
  file: {
    title: "File operations",
    section: "10",
    events: [file.FileReadEvent, file.FileWriteEvent, file.FileCreateEvent, file.FileDeleteEvent, file.FilePatchEvent],
  },
  shell: {
    title: "Shell operations",
    section: "11",
    events: [shell.ShellStartEvent, shell.ShellStdoutDeltaEvent, shell.ShellStderrDeltaEvent, shell.ShellExitEvent],
  },
  mcp: {
    title: "MCP tool calling",
    section: "12",
    events: [mcp.McpToolCallStartEvent, mcp.McpToolResultEvent, mcp.McpToolErrorEvent],
  },
  subagent: {
    title: "Subagent dispatch",
    section: "13",
    events: [subagent.SubagentSpawnEvent, subagent.SubagentResultEvent, subagent.SubagentErrorEvent],
  },
  plugin: {
    title: "Plugin events",
    section: "14",
    events: [plugin.PluginLoadedEvent, plugin.PluginInvokedEvent, plugin.PluginErrorEvent],
  },
  skill: {
    title: "Skill / agent doc",
    section: "15",
    events: [skill.SkillLoadedEvent, skill.SkillInvokedEvent, skill.AgentdocReadEvent],
  },
  multimodal: {
    title: "Multimodal",
    section: "16",
    events: [multimodal.ImageOutputEvent, multimodal.ImageInputAckEvent],
  },
  cost: { title: "Cost / tokens", section: "17", events: [cost.CostEvent, cost.TokenUsageEvent] },
  interaction: {
    title: "Interaction / waiting",
    section: "18",
    events: [
      interaction.InputRequiredEvent,
      interaction.ApprovalRequestEvent,
      interaction.ApprovalGrantedEvent,
      interaction.ApprovalDeniedEvent,
    ],
  },
  rateLimit: {
    title: "Rate / context limits",
    section: "19",
    events: [limit.RateLimitedEvent, limit.ContextLimitWarningEvent, limit.ContextCompactedEvent, limit.RetryEvent],
  },
  runLifecycle: {
    title: "Run lifecycle / control",
    section: "20",
    events: [
      control.InterruptedEvent,
      control.AbortedEvent,
      control.PausedEvent,
      control.ResumedEvent,
      control.TimeoutEvent,
      control.TurnLimitEvent,
      control.StreamFallbackEvent,
    ],
  },
  error: {
    title: "Errors",
    section: "21",
    events: [
      error.AuthErrorEvent,
      error.RateLimitErrorEvent,
      error.ContextExceededEvent,
      error.CrashEvent,
      error.ErrorEvent,
    ],
  },
  debug: { title: "Debug", section: "22", events: [debug.DebugEvent, debug.LogEvent] },
} as const;

export type AgentEventCategory = keyof typeof agentEventCategories;

type SchemaOf<Category extends AgentEventCategory> = (typeof agentEventCategories)[Category]["events"][number];

export type AgentEventSchema = SchemaOf<AgentEventCategory>;

/** The events of one category. */
export type AgentEventIn<Category extends AgentEventCategory> = Static<SchemaOf<Category>>;

export type AgentEvent = Static<AgentEventSchema>;

export type AgentEventTypeLiteral = AgentEvent["type"];

/** The event of one type. */
export type AgentEventOf<T extends AgentEventTypeLiteral> = Extract<AgentEvent, { type: T }>;

export const agentEventSchemas: readonly AgentEventSchema[] = Object.values(agentEventCategories).flatMap(
  (category) => category.events as readonly AgentEventSchema[],
);

export const agentEventTypes: readonly AgentEventTypeLiteral[] = agentEventSchemas.map(
  (schema) => schema.properties.type.const,
);

const schemaByType = new Map<string, AgentEventSchema>(
  agentEventSchemas.map((schema) => [schema.properties.type.const, schema]),
);

/** Returns the schema of an AgentEvent type, or undefined for an unknown type. */
export const agentEventSchema = (type: string): AgentEventSchema | undefined => schemaByType.get(type);

/** Whether a value is the type of an AgentEvent. */
export const isAgentEventType = (type: unknown): type is AgentEventTypeLiteral =>
  typeof type === "string" && schemaByType.has(type);

/** `AgentEventType.TEXT_DELTA === "text_delta"`, for all 67. */
export const AgentEventType = Object.freeze(
  Object.fromEntries(agentEventTypes.map((type) => [type.toUpperCase(), type])),
) as { readonly [T in AgentEventTypeLiteral as Uppercase<T>]: T };
