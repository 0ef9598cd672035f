import type { RunSpan, RunView } from "@spoor/protocol";
import { conversationOf, toolContentOf, turnContentOf } from "./content.ts";
import { type Attributes, spanKinds } from "./otlp.ts";

/** The name, the kind and the attributes of a span. */
export interface Described {
  name: string;
  kind: number;
  attributes: Attributes;
}

/** The attributes of the span of the run itself. */
export function describeRun(run_id: string, view: RunView, hasContent: boolean): Attributes {
  const { cost, end } = view;
  const isCostKnown = cost.source !== undefined || cost.micros > 0;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": agentOf(view),
    "gen_ai.conversation.id": view.sessionId ?? run_id,
    "gen_ai.provider.name": providerOf(view),
    "gen_ai.request.model": view.model,
    // A run whose agent reports no tokens counts 0.
    ...(cost.inputTokens + cost.outputTokens > 0 ? usageAttributes(cost) : {}),
    "error.type": errorTypeOf(end?.status, end?.code),
    "spoor.run.id": run_id,
    "spoor.task.id": view.taskId,
    "spoor.run.status": view.status,
    // No attribute for money is standard yet.
    "spoor.cost.usd": isCostKnown ? { double: cost.micros / 1_000_000 } : undefined,
    "spoor.cost.source": cost.source,
    ...(hasContent && conversationOf(view)),
  };
}

/** Returns a function that describes the spans of a run; undefined for what has no place in a trace. */
export function describeSpan(
  run_id: string,
  view: RunView,
  hasContent: boolean,
): (span: RunSpan) => Described | undefined {
  const turns = new Map(view.turns.map((turn) => [turn.number, turn]));
  const tools = new Map(view.tools.map((tool) => [tool.id, tool]));
  const contentOf = hasContent ? turnContentOf(view) : undefined;
  const describers: Readonly<Record<RunSpan["kind"], (span: RunSpan) => Described | undefined>> = {
    turn(span) {
      const turn = turns.get(span.turn ?? 0);
      const model = turn?.model ?? view.model;
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": turn?.provider ?? providerOf(view),
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": view.sessionId ?? run_id,
        "gen_ai.response.finish_reasons": turn?.stopReason ? [turn.stopReason] : undefined,
        ...usageAttributes(turn?.usage),
        "error.type": errorTypeOf(span.outcome, turn?.error?.code),
        "spoor.turn": span.turn,
        "spoor.outcome": span.outcome,
        ...(span.turn !== undefined && contentOf?.(span.turn)),
      };
      return { name: model ? `chat ${model}` : "chat", kind: spanKinds.client, attributes };
    },
    tool(span) {
      const name = span.label ?? "tool";
      const tool = tools.get(span.tool ?? "");
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": span.tool,
        "gen_ai.tool.type": "function",
        "error.type": errorTypeOf(span.outcome),
        "spoor.tool.kind": span.of,
        "spoor.outcome": span.outcome,
        ...(hasContent && tool && toolContentOf(tool)),
      };
      return { name: `execute_tool ${name}`, kind: spanKinds.internal, attributes };
    },
    subagent(span) {
      const attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": span.label,
        "gen_ai.provider.name": providerOf(view),
        "error.type": errorTypeOf(span.outcome),
        "spoor.run.id": span.childRunId,
        "spoor.outcome": span.outcome,
      };
      return { name: `invoke_agent ${span.label ?? "subagent"}`, kind: spanKinds.internal, attributes };
    },
    wait: ({ of, outcome, by }) => ({
      name: `wait ${of ?? ""}`.trim(),
      kind: spanKinds.internal,
      attributes: {
        "error.type": errorTypeOf(outcome),
        "spoor.wait.for": of,
        "spoor.wait.outcome": outcome,
        "spoor.wait.answered_by": by,
      },
    }),
    retry: () => ({ name: "retry", kind: spanKinds.internal, attributes: {} }),
    thinking: () => undefined,
  };
  return (span) => describers[span.kind](span);
}

/** Who serves the model. The conventions require a value; agents that do not name a provider stand for one. */
export const providerOf = (view: RunView): string => view.provider ?? agentOf(view);

/** The agent of a run. A run without one, such as a command, goes by its kind. */
export const agentOf = ({ agent, kind }: RunView): string => agent ?? kind ?? "agent";

/** What `error.type` says: the code, else how it ended. Undefined if nothing went wrong. */
export const errorTypeOf = (outcome: string | undefined, code?: string): string | undefined =>
  outcome === "failed" || outcome === "timed_out" ? (code ?? outcome) : undefined;

const usageAttributes = (usage: RunView["turns"][number]["usage"] | undefined): Attributes => ({
  "gen_ai.usage.input_tokens": usage?.inputTokens,
  "gen_ai.usage.output_tokens": usage?.outputTokens,
  "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
  "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWriteTokens,
  "gen_ai.usage.reasoning.output_tokens": usage?.thinkingTokens,
});
