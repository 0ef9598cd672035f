import type { HostAction, HostFailure, HostOutcome } from "../../../host.ts";
import { asArray, asCount, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";

/**
 * The action that a request asks for: `invalid` if a parameter is missing or wrong, `undefined` if we do not serve the
 * method.
 */
export function actionOf(method: string, params: Json): HostAction | "invalid" | undefined {
  const make = lookUp(actions, method);
  return make && (make(params) ?? "invalid");
}

/** The response to a request, from the outcome of its action. */
export function resultOf(action: HostAction, outcome: HostOutcome): object {
  if ("failure" in outcome) {
    const { reason, message } = outcome.failure;
    return { error: { code: codes[reason], message } };
  }
  const { content = "", terminal, output = "", isTruncated = false, exit } = outcome;
  const status = exit && { exitCode: exit.code, signal: exit.signal };
  if (action.do === "read") return { result: { content } };
  if (action.do === "run") return { result: { terminalId: terminal } };
  if (action.do === "wait") return { result: status };
  if (action.do !== "output") return { result: {} };
  return { result: { output, truncated: isTruncated, ...omitUndefined({ exitStatus: status }) } };
}

const actions: Readonly<Record<string, (params: Json) => HostAction | undefined>> = {
  "fs/read_text_file": (params) => {
    const [path, line, limit] = [asText(params.path), lines(params.line), lines(params.limit)];
    if (path === undefined || line === "invalid" || limit === "invalid") return undefined;
    return { do: "read", path, ...omitUndefined({ line, limit }) };
  },
  "fs/write_text_file": (params) => {
    const [path, content] = [asText(params.path), asText(params.content)];
    return path === undefined || content === undefined ? undefined : { do: "write", path, content };
  },
  "terminal/create": (params) => {
    const command = asText(params.command);
    const optional = omitUndefined({
      cwd: asText(params.cwd) || undefined,
      byteLimit: asCount(params.outputByteLimit),
    });
    const args = asArray(params.args).map(String);
    return command ? { do: "run", command, args, env: environmentOf(params.env), ...optional } : undefined;
  },
  "terminal/output": (params) => control("output", params),
  "terminal/wait_for_exit": (params) => control("wait", params),
  "terminal/kill": (params) => control("kill", params),
  "terminal/release": (params) => control("release", params),
};

function control(what: "output" | "wait" | "kill" | "release", params: Json): HostAction | undefined {
  const terminal = asText(params.terminalId);
  return terminal === undefined ? undefined : { do: what, terminal };
}

/** Absent and null mean the same. */
function lines(value: unknown): number | undefined | "invalid" {
  if (value === undefined || value === null) return undefined;
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : "invalid";
}

/** A list of names and values; some agents send an object. */
function environmentOf(value: unknown): Record<string, string> {
  const entries = Array.isArray(value)
    ? asObjects(value).map(({ name, value: text }) => [name, text])
    : Object.entries(asObject(value) ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry.every((part) => asText(part) !== undefined)),
  );
}

const codes: Readonly<Record<HostFailure["reason"], number>> = {
  invalid: -32602,
  missing: -32002,
  refused: -32603,
  cancelled: -32800,
  failed: -32603,
};
