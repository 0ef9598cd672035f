import { asNumber, asObject } from "../kit/json-values.ts";
import { omitUndefined } from "../kit/omit-undefined.ts";
import type { Machine } from "../machine.ts";
import type { Signal, ToolEnd } from "../signal.ts";
import { filesOf, isDenial, toolOf } from "./conversation/openclaw-tools.ts";

/**
 * Adds the details of results to the machine of the ACP bridge. ACP has no field for them: exit codes and file changes
 * come only in OpenClaw's own format.
 */
export function withResultDetails(machine: Machine): Machine {
  const inputs = new Map<string, { name: string; input: unknown }>();
  const read = (signals: Signal[]): Signal[] =>
    signals.map((signal) => {
      if (signal.kind === "toolReady") inputs.set(signal.id, signal);
      return signal.kind === "toolEnd" ? detailed(signal, inputs.get(signal.id)) : signal;
    });
  return {
    ...machine,
    line: (text) => read(machine.line(text)),
    sent: (frame) => read(machine.sent?.(frame) ?? []),
    exit: (code, signal) => read(machine.exit(code, signal)),
  };
}

function detailed(end: ToolEnd, call: { name: string; input: unknown } | undefined): ToolEnd {
  if (end.error !== undefined && isDenial(end.error)) return { ...end, outcome: "blocked" };
  const details = asObject(asObject(end.output)?.details);
  if (!details || !call || end.error !== undefined) return end;
  const exitCode = end.exitCode ?? asNumber(details.exitCode);
  const reported = end.files?.filter(({ op }) => op !== "read") ?? [];
  const files = reported.length > 0 ? end.files : filesOf(toolOf(call.name), asObject(call.input) ?? {}, details);
  return { ...end, ...omitUndefined({ exitCode: exitCode && Math.trunc(exitCode), files }) };
}
