import { given } from "../../../given.ts";
import { asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Answer } from "../../../machine.ts";
import type { Signal } from "../../../signal.ts";
import { callIn } from "../../../tool.ts";
import type { Call } from "./index.ts";
import { riskOf } from "./tools.ts";

/** The question that a `session/request_permission` puts. Its call, unless it has ended, is open by now. */
export function askOf(request: Json, call: Call | undefined): Signal {
  const tool = asObject(asObject(request.params)?.toolCall) ?? {};
  const detail = asText(tool.title) || call?.title || "";
  const command = asText(asObject(call?.input)?.command);
  return {
    kind: "ask",
    id: `${request.id}`,
    action: call?.toolKind ?? asText(tool.kind) ?? "other",
    detail: command || detail,
    risk: riskOf(asText(tool.kind) ?? call?.acpKind ?? "other"),
    ...(call && { tool: callIn(call) }),
  };
}

/** What an answer decides. The option's kind says it; its id is the agent's own and says nothing. */
export function isGranted(answer: Json, params: Json): { granted: boolean; reason?: string } {
  const outcome = asObject(asObject(answer.result)?.outcome);
  if (outcome?.outcome !== "selected") {
    return { granted: false, reason: asText(asObject(answer.error)?.message) ?? "cancelled" };
  }
  const option = asObjects(params.options).find(({ optionId }) => optionId === outcome.optionId);
  if (asText(option?.kind)?.startsWith("allow")) return { granted: true };
  return { granted: false, ...given({ reason: asText(option?.name) || undefined }) };
}

/** The answer to every question that waits while the prompt is cancelled. */
export const cancelled = { outcome: { outcome: "cancelled" } };

/**
 * The option the agent offers for this answer, once rather than for good. Of several of one kind the plainest is taken:
 * others may do more, such as change the mode.
 */
export function outcomeOf(question: Json, { granted }: Answer): object {
  const options = asObjects(asObject(question.params)?.options);
  const kinds = granted ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const fitting = kinds.map((kind) => options.filter((option) => option.kind === kind)).find((some) => some.length > 0);
  const [option] = (fitting ?? []).toSorted((one, other) => lengthOf(one) - lengthOf(other));
  return option ? { outcome: "selected", optionId: option.optionId } : cancelled.outcome;
}

const lengthOf = ({ optionId, name }: Json): number => `${optionId}`.length + `${name}`.length;
