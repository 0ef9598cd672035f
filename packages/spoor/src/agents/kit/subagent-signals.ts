import type { Signal } from "../signal.ts";

/** The same signals, of a subagent if one is named. */
export function assignToSubagent<Signals extends Signal[] | undefined>(
  child: string | undefined,
  signals: Signals,
): Signals {
  return child === undefined ? signals : (signals?.map((signal) => ({ ...signal, child })) as Signals);
}
