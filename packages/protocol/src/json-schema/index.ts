export { jsonSchema, jsonSchemaFiles } from "./schema-documents.ts";
export type { JsonSchema } from "./to-json-schema.ts";
