import { asObject, asObjects, type Json } from "../../../kit/json-values.ts";
import type { Answer } from "../../../machine.ts";

/** The answer to every open question when the prompt is cancelled. */
export const cancelled = { outcome: { outcome: "cancelled" } };

/**
 * The option for this answer; "once" is preferred to "always". Among several options of one kind the shortest is
 * chosen, because others may do more, such as change the mode.
 */
export function outcomeOf(question: Json, { granted }: Answer): object {
  const options = asObjects(asObject(question.params)?.options);
  const kinds = granted ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const fitting = kinds.map((kind) => options.filter((option) => option.kind === kind)).find((some) => some.length > 0);
  const [option] = (fitting ?? []).toSorted((one, other) => lengthOf(one) - lengthOf(other));
  return option ? { outcome: "selected", optionId: option.optionId } : cancelled.outcome;
}

const lengthOf = ({ optionId, name }: Json): number => `${optionId}`.length + `${name}`.length;
