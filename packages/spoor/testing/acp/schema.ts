import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const require = createRequire(import.meta.url);
const schema = require("@agentclientprotocol/sdk/schema/v1/schema.json") as { $defs: Record<string, Definition> };

interface Definition {
  "x-side"?: "agent" | "client";
  "x-method"?: string;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const format of ["uint16", "uint32", "uint64", "int32", "int64", "double", "uri"]) ajv.addFormat(format, true);
ajv.addSchema(schema, "acp");

const validators = new Map<string, ValidateFunction>();

/** What the published schema finds wrong with a value of a definition. */
export function problemsOf(definition: string, value: unknown): string[] {
  const validate = validators.get(definition) ?? ajv.compile({ $ref: `acp#/$defs/${definition}` });
  validators.set(definition, validate);
  if (validate(value)) return [];
  const found = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return [`${definition}: ${found.join("; ")}: ${JSON.stringify(value).slice(0, 300)}`];
}

/** The definitions of the params and of the result of each method. */
const definitions = new Map<string, { params?: string; result?: string }>();
for (const [name, { "x-method": method }] of Object.entries(schema.$defs)) {
  if (method === undefined) continue;
  const known = definitions.get(method) ?? {};
  definitions.set(method, { ...known, [name.endsWith("Response") ? "result" : "params"]: name });
}
definitions.set("$/cancel_request", { params: "CancelRequestNotification" });

export interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** Judges the messages of one connection by the published schema. Give them in order, from both sides. */
export function createMessageCheck() {
  const asked = new Map<string, string>();
  return (from: "client" | "agent", message: Message): string[] => {
    const { method, id, params, result, error } = message;
    if (message.jsonrpc !== "2.0") return [`jsonrpc is missing: ${JSON.stringify(message).slice(0, 200)}`];
    if (method !== undefined) {
      if (id !== undefined) asked.set(`${from} ${id}`, method);
      const { params: definition } = definitions.get(method) ?? {};
      return definition === undefined ? unknownMethod(method) : problemsOf(definition, params);
    }
    if (error) return problemsOf("Error", error);
    const answered = asked.get(`${from === "client" ? "agent" : "client"} ${id}`);
    const { result: definition } = definitions.get(answered ?? "") ?? {};
    if (definition === undefined) return [`a response to nothing: ${JSON.stringify(message).slice(0, 200)}`];
    return problemsOf(definition, result);
  };
}

const unknownMethod = (method: string): string[] => (method.startsWith("_") ? [] : [`${method} is no method of ACP`]);
