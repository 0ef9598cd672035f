import { asNumber } from "../agents/kit/json-values.ts";
import type { FileFact, Signal } from "../agents/signal.ts";

/**
 * Returns the signal with values that the event schemas accept, so that adapters need not check what an agent sent: ids
 * and names are not empty, counts are whole. A file without a path is dropped, and a fact without a name becomes a note.
 */
export function sanitizeSignal(signal: Signal): Signal {
  const fields = rules[signal.kind];
  // Most signals are pieces of text, which have no rules.
  if (fields === undefined) return signal.child === "" ? { ...signal, child: unnamed } : signal;
  const sanitized = sanitizeFields(signal, fields);
  if (isNameless(sanitized)) return { kind: "note", message: JSON.stringify(sanitized) };
  return sanitized.child === "" ? { ...sanitized, child: unnamed } : sanitized;
}

type Rules = { readonly [field: string]: (value: never) => unknown };
type Named = { readonly [field: string]: unknown };

const unnamed = "unnamed";

const named = (text: string): string => (text === "" ? unnamed : text);
const ifNamed = (text: string): string | undefined => (text === "" ? undefined : text);
/** Treats non-finite and huge values as missing. */
const amount = (value: number): number | undefined =>
  Math.abs(asNumber(value) ?? Infinity) < 1e15 ? value : undefined;
const whole = (value: number): number | undefined => {
  const known = amount(value);
  return known === undefined || Number.isInteger(known) ? known : Math.round(known);
};
const count = (value: number): number | undefined => {
  const known = whole(value);
  return known === undefined || known >= 0 ? known : 0;
};
const countOr0 = (value: number): number => count(value) ?? 0;
const positive = (value: number): number => Math.max(0, amount(value) ?? 0);
const inside =
  (fields: Rules) =>
  <Value extends object>(value: Value): Value =>
    sanitizeFields(value, fields);

const tokens: Rules = {
  ...{ inputTokens: countOr0, outputTokens: countOr0 },
  ...{ thinkingTokens: count, cachedTokens: count, cacheWriteTokens: count },
};
const cost = inside({ ...tokens, totalUsd: positive });
const id: Rules = { id: named };
const call: Rules = { id: named, name: named, mcp: inside({ server: named, tool: named }) };
const numbersOfFacts = inside({
  attempt: (value: number) => Math.max(1, countOr0(value)),
  exitCode: (value: number) => whole(value) ?? -1,
  pctUsed: (value: number) => Math.min(100, positive(value)),
  retryAfterMs: count,
  ...{ maxAttempts: countOr0, delayMs: countOr0, tokensSaved: countOr0 },
  ...{ usedTokens: countOr0, maxTokens: countOr0, maxTurns: countOr0 },
});

const rules: { readonly [Kind in Signal["kind"]]?: Rules } = {
  session: { id: ifNamed, forkedFrom: ifNamed, priorTurns: count, version: ifNamed },
  startup: {},
  callDone: { cost },
  toolStart: call,
  toolInput: id,
  toolReady: call,
  shell: id,
  output: id,
  toolEnd: { id: named, name: ifNamed, durationMs: count, exitCode: whole, files: withPaths },
  spawn: { id: named, name: named },
  spawnEnd: { id: named, cost },
  ask: { tool: inside(call) },
  usage: { usage: inside(tokens) },
  cost: { cost },
  fact: { fact: sanitizeFact },
  fail: { event: numbersOfFacts },
};

/** Returns the same object if every field is valid, which is the common case. */
function sanitizeFields<Value extends object>(value: Value, fields: Rules): Value {
  let result = value as Named;
  for (const field in fields) {
    const before = result[field];
    if (before === undefined) continue;
    const after = fields[field]?.(before as never);
    if (after === before) continue;
    const { [field]: _, ...others } = result;
    result = after === undefined ? others : { ...others, [field]: after };
  }
  return result as Value;
}

function withPaths(files: FileFact[]): FileFact[] {
  const isValid = (file: FileFact) =>
    file.path !== "" && (!("byteCount" in file) || count(file.byteCount) === file.byteCount);
  if (files.every(isValid)) return files;
  return files.filter(({ path }) => path !== "").map(inside({ byteCount: countOr0 }));
}

/** If the attempt exceeds the stated maximum, the maximum was wrong. */
function sanitizeFact(given: Extract<Signal, { kind: "fact" }>["fact"]): typeof given {
  const fact = numbersOfFacts(given);
  if (fact.type !== "retry" || fact.maxAttempts === 0 || fact.attempt <= fact.maxAttempts) return fact;
  return { ...fact, maxAttempts: fact.attempt };
}

const namesOfFacts = ["pluginId", "skillName", "path", "mimeType", "checkpointId"];

function isNameless(signal: Signal): boolean {
  if (signal.kind !== "fact" && signal.kind !== "startup") return false;
  return namesOfFacts.some((name) => (signal.fact as Named)[name] === "");
}
