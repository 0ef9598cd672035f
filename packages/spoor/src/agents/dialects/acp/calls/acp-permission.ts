import { unifiedDiff } from "../../../kit/diff.ts";
import type { RpcResponse } from "../../../kit/json-rpc.ts";
import { asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { toolCallFields } from "../../../kit/tool-calls.ts";
import type { Signal } from "../../../signal.ts";
import { textIn } from "./call-content.ts";
import type { Call } from "./call-state.ts";

/** The question of a `session/request_permission`. Its call is open by now, unless it has ended. */
export function askOf(id: unknown, tool: Json, call: Call | undefined): Signal {
  const kind = asText(tool.kind);
  return {
    kind: "ask",
    id: `${id}`,
    action: call?.toolKind ?? kind ?? "other",
    detail: asText(asObject(call?.input)?.command) || titleOf(tool, call) || call?.title || "",
    risk: lookUp(risks, kind ?? call?.acpKind ?? "other") ?? "medium",
    ...(call ? { tool: toolCallFields(call) } : omitUndefined({ input: tool.rawInput })),
    ...omitUndefined({ diff: proposedDiff(call) }),
  };
}

/** The change that the agent shows with its question. */
function proposedDiff(call: Call | undefined): string | undefined {
  const diffs = (call?.diffs ?? []).map(({ path, oldText, newText }) =>
    unifiedDiff(asText(path) ?? "", asText(oldText) ?? "", asText(newText) ?? ""),
  );
  return diffs.join("") || undefined;
}

/** If the title is only the tool's name, the text that comes with the question says more. */
const titleOf = ({ title, content }: Json, call: Call | undefined): string | undefined =>
  (title === call?.name && textIn(content)) || asText(title);

/** The risk of calls, by ACP kind. */
const risks: Readonly<Record<string, "low" | "high">> = {
  ...{ read: "low", search: "low", think: "low" },
  ...{ delete: "high", execute: "high" },
};

/** The decision in a response. It follows from the kind of the option; the option's id has no defined meaning. */
export function decisionOf({ params, result, error }: RpcResponse): { granted: boolean; reason?: string } {
  const { outcome, optionId } = asObject(result?.outcome) ?? {};
  if (outcome !== "selected") return { granted: false, reason: asText(error?.message) ?? "cancelled" };
  const option = asObjects(params.options).find((one) => one.optionId === optionId);
  if (asText(option?.kind)?.startsWith("allow")) return { granted: true };
  return { granted: false, ...omitUndefined({ reason: asText(option?.name) || undefined }) };
}
