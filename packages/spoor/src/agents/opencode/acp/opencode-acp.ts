import { type AcpProfile, acp } from "../../dialects/acp/index.ts";
import { asObject, parseObject } from "../../kit/json-values.ts";
import type { Dialect, Machine } from "../../machine.ts";
import type { Signal, ToolEnd } from "../../signal.ts";
import { login, outcomeOf } from "../conversation/opencode-failures.ts";
import { filesOf } from "../conversation/opencode-file-changes.ts";
import { printedIn, reportIn } from "../conversation/opencode-tool-calls.ts";
import { mcpName, toolKinds } from "../conversation/opencode-tools.ts";

/**
 * OpenCode, or an agent derived from it, over ACP. It adds results in the format of OpenCode's other dialects to the
 * protocol, and those are read too.
 */
export function opencodeOverAcp(profile: AcpProfile): Dialect {
  const plain = acp(
    {
      tools: toolKinds,
      mcpTitle: mcpName,
      cancelled: /^(?:\(no output\)|(?<output>[\s\S]*?))\s*<shell_metadata>[\s\S]*User aborted the command/,
      ...profile,
    },
    true,
  );
  return { ...plain, createMachine: () => refined(plain.createMachine()) };
}

export const opencodeAcp: Dialect = opencodeOverAcp({ login });

function refined(machine: Machine): Machine {
  const inputs = new Map<string, unknown>();

  function refine(signal: Signal, line: string): Signal[] {
    if (signal.kind === "toolReady") inputs.set(signal.id, signal.input);
    if (signal.kind === "output") return [{ ...signal, text: printedIn(signal.text) }];
    if (signal.kind === "spawnEnd" && signal.summary) return [{ ...signal, summary: reportIn(signal.summary) }];
    if (signal.kind !== "toolEnd") return [signal];
    return signal.error === undefined ? [withFiles(signal, line)] : failed(signal, signal.error);
  }

  /** The protocol's fields contain fragments of files or nothing; the whole change is in `rawOutput`. */
  function withFiles(signal: ToolEnd, line: string): Signal {
    const input = inputs.get(signal.id);
    const update = asObject(asObject(parseObject(line)?.params)?.update);
    const files = filesOf(signal.name ?? "", { input, metadata: asObject(update?.rawOutput)?.metadata });
    return files.length > 0 ? { ...signal, files } : signal;
  }

  return { ...machine, line: (text) => machine.line(text).flatMap((signal) => refine(signal, text)) };
}

/** A call that the rules forbid fails like any other. */
function failed(signal: ToolEnd, error: string): Signal[] {
  const outcome = signal.outcome === "failed" ? outcomeOf(error) : signal.outcome;
  const isForbidden = outcome === "blocked" && signal.outcome === "failed";
  return [
    ...(isForbidden ? [{ kind: "denied", reason: error } as const] : []),
    { ...signal, ...(outcome && { outcome }) },
  ];
}
