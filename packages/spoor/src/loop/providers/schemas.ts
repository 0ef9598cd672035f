import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { isObject } from "../../options/checks.ts";

type Schema = LanguageModelV4FunctionTool["inputSchema"];

/**
 * A tool's schema as all providers take it: an object at the top, without a choice there. Schemas of MCP servers can be
 * anything. The properties of choices become optional, so what a model writes is still checked by the tool itself.
 */
export function acceptedSchema(schema: Schema): Schema {
  if (!isObject(schema)) return { type: "object", properties: {} };
  // Copied as JSON, because schemas of TypeBox have symbols.
  const {
    $schema: _,
    $id: __,
    anyOf,
    oneOf,
    allOf,
    not: ___,
    enum: ____,
    ...rest
  } = JSON.parse(JSON.stringify(schema));
  const branches = [anyOf, oneOf, allOf].flatMap((list: unknown) => (Array.isArray(list) ? list : [])).filter(isObject);
  const properties = Object.assign({}, ...branches.map((branch) => branch.properties), rest.properties);
  return { ...rest, type: "object", properties };
}
