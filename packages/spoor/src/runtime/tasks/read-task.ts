import { ValidationError } from "../../failures/errors.ts";
import { parseRules } from "../policy/rule.ts";
import { readSpec, type TaskSpec } from "../specification/spec.ts";

/**
 * Checks the specification of a new task together with its rules. A stored task with a wrong rule would ask about
 * everything that it does, and nobody would know why.
 *
 * @throws {ValidationError} which lists everything that is wrong.
 */
export function readTask(given: unknown): TaskSpec {
  const spec = readSpec(given);
  const { problems } = parseRules((spec.policy ?? []).join("\n"), "task", "policy");
  if (problems.length > 0) throw new ValidationError(problems.map((message) => ({ field: "policy", message })));
  return spec;
}
