export { jsonSchema, jsonSchemaFiles } from "./documents.ts";
export type { JsonSchema } from "./to-json-schema.ts";
