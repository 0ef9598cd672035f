import { agentdocRead, noteOfFrame, skillLoaded } from "../../kit/fact-signals.ts";
import { type Failure, fail, interrupted } from "../../kit/failures.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import { UsageTotals } from "../../kit/usage-totals.ts";
import type { Signal } from "../../signal.ts";
import { failureOf } from "../conversation/openclaw-failures.ts";

/**
 * Reads the result of a run from one document: the answer, the tokens of all model calls together, and their cost. For
 * tools it contains only names and counts, so the whole document becomes a note as well. Undefined for any other
 * document.
 */
export function resultOf(document: Json): Signal[] | undefined {
  const result = asObject(document.result) ?? document;
  const meta = asObject(result.meta) ?? {};
  const agent = asObject(meta.agentMeta) ?? result;
  const error = asObject(document.error) ?? asObject(meta.error);
  if (!Array.isArray(result.payloads) && !error) return undefined;
  const failure = failureIn(document, meta, error);
  const id = asText(agent.sessionId) ?? asText(document.sessionId);
  const [model, provider] = [asText(agent.model), asText(agent.provider) || undefined];
  const stopReason = asText(meta.stopReason);
  const text = asText(result.final) || textOf(result.payloads) || asText(meta.finalAssistantVisibleText);
  const { reasoningTokens, ...usage } = asObject(agent.usage) ?? {};
  return [
    ...(id ? [{ kind: "session" as const, id }] : []),
    ...startupOf(asObject(meta.systemPromptReport) ?? {}),
    { kind: "prompt" },
    ...(model ? [{ kind: "call" as const, model, ...omitUndefined({ provider }) }] : []),
    ...(text && !failure ? [{ kind: "textDone" as const, key: "answer", text }] : []),
    ...new UsageTotals().add({ ...usage, reasoning: reasoningTokens }).signals,
    ...(stopReason ? [{ kind: "callDone" as const, stopReason }] : []),
    ...(failure ? [fail(failure)] : []),
    { kind: "promptDone" },
    noteOfFrame(document),
  ];
}

function failureIn({ status, payloads }: Json, meta: Json, error: Json | undefined): Failure | undefined {
  if (status === "timeout") return { type: "timeout", kind: "run" };
  if (meta.aborted === true) return interrupted;
  const spoken = asObjects(payloads).find(({ isError }) => isError === true);
  const isFailed = error !== undefined || status === "error" || meta.stopReason === "error" || spoken !== undefined;
  if (!isFailed) return undefined;
  const message = asText(error?.message) || asText(spoken?.text) || "The run failed.";
  return failureOf(message, asText(error?.reason) ?? asText(error?.kind));
}

const textOf = (payloads: unknown): string =>
  asObjects(payloads)
    .flatMap(({ text }) => (typeof text === "string" && text !== "" ? [text] : []))
    .join("\n\n");

function startupOf({ injectedWorkspaceFiles, skills }: Json): Signal[] {
  const files = asObjects(injectedWorkspaceFiles).filter(({ missing, path }) => missing === false && asText(path));
  const names = asObjects(asObject(skills)?.entries).flatMap(({ name }) => asText(name) || []);
  return [...files.map(({ path }) => agentdocRead(`${path}`)), ...names.map((name) => skillLoaded(name, ""))];
}
