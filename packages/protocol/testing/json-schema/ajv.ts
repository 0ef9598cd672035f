import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { jsonSchemaFiles } from "../../src/json-schema/schema-documents.ts";

/** Every document, compiled by ajv in strict mode. `x-standing` is our only keyword of our own. */
export function compileAll(): Map<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: true });
  ajv.addVocabulary(["x-standing"]);
  return new Map([...jsonSchemaFiles().values()].map((schema) => [schema.title as string, ajv.compile(schema)]));
}
