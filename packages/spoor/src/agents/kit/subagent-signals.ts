import type { Signal } from "../signal.ts";

/**
 * Marks the signals as those of the subagent `child`, if it is set.
 *
 * @example
 * assignToSubagent("call-1", [{ kind: "text", key: "1", delta: "Hello" }]); // The same signal with child: "call-1".
 */
export function assignToSubagent<Signals extends Signal[] | undefined>(
  child: string | undefined,
  signals: Signals,
): Signals {
  return child === undefined ? signals : (signals?.map((signal) => ({ ...signal, child })) as Signals);
}
