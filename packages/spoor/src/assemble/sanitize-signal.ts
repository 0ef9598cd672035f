import { asNumber } from "../agents/kit/json-values.ts";
import type { FileFact, Signal } from "../agents/signal.ts";

/**
 * A signal as the contract can carry it, whatever the agent sent: ids and names that are not empty, counts that are
 * whole. A file without a path is left out, and a fact without a name is noted instead of told, so adapters need not
 * care.
 */
export function sound(signal: Signal): Signal {
  const fields = rules[signal.kind];
  // Most signals are pieces of text, which may be anything.
  if (fields === undefined) return signal.child === "" ? { ...signal, child: unnamed } : signal;
  const mended = mend(signal, fields);
  if (isNameless(mended)) return { kind: "note", message: JSON.stringify(mended) };
  return mended.child === "" ? { ...mended, child: unnamed } : mended;
}

type Rules = { readonly [field: string]: (value: never) => unknown };
type Named = { readonly [field: string]: unknown };

const unnamed = "unnamed";

const named = (text: string): string => (text === "" ? unnamed : text);
const ifNamed = (text: string): string | undefined => (text === "" ? undefined : text);
/** What is beyond counting was not counted. */
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
    mend(value, fields);

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
  session: { id: ifNamed, forkedFrom: ifNamed, priorTurns: count },
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
  fact: { fact: soundFact },
  fail: { event: numbersOfFacts },
};

/** The same object where nothing is to be mended, which is the rule. */
function mend<Value extends object>(value: Value, fields: Rules): Value {
  let mended = value as Named;
  for (const field in fields) {
    const before = mended[field];
    if (before === undefined) continue;
    const after = fields[field]?.(before as never);
    if (after === before) continue;
    const { [field]: _, ...others } = mended;
    mended = after === undefined ? others : { ...others, [field]: after };
  }
  return mended as Value;
}

function withPaths(files: FileFact[]): FileFact[] {
  const isSound = (file: FileFact) =>
    file.path !== "" && (!("byteCount" in file) || count(file.byteCount) === file.byteCount);
  if (files.every(isSound)) return files;
  return files.filter(({ path }) => path !== "").map(inside({ byteCount: countOr0 }));
}

/** An attempt beyond the last one there may be shows that there may be more. */
function soundFact(told: Extract<Signal, { kind: "fact" }>["fact"]): typeof told {
  const fact = numbersOfFacts(told);
  if (fact.type !== "retry" || fact.maxAttempts === 0 || fact.attempt <= fact.maxAttempts) return fact;
  return { ...fact, maxAttempts: fact.attempt };
}

const namesOfFacts = ["pluginId", "skillName", "path", "mimeType", "checkpointId"];

function isNameless(signal: Signal): boolean {
  if (signal.kind !== "fact" && signal.kind !== "startup") return false;
  return namesOfFacts.some((name) => (signal.fact as Named)[name] === "");
}
