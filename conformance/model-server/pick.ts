import type { ModelRequest, Script } from "./script.ts";

/**
 * Finds the step for a request; each step is used once. The first step whose `when` matches, or else the next step
 * without a `when`, which side requests do not consume.
 */
export function createPicker(script: Script): (request: ModelRequest) => number | undefined {
  const left = new Set(script.keys());
  return (request) => {
    const kept = [...left].find((index) => script[index]?.when?.(request) === true);
    const next = request.isSide ? undefined : [...left].find((index) => script[index]?.when === undefined);
    const index = kept ?? next;
    if (index !== undefined) left.delete(index);
    return index;
  };
}
