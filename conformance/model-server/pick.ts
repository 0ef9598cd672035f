import type { ModelRequest, Script } from "./script.ts";

/**
 * Finds the step for a request, each step once: the first whose `when` holds, else the next without a `when`, which
 * side requests do not take.
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
