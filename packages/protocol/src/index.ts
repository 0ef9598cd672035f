export * from "./agent-events/index.ts";
export * from "./contract/index.ts";
export * from "./envelope/index.ts";
export * from "./json-schema/index.ts";
export * from "./mapping/index.ts";
export { problems, type SchemaProblem, unknownFields, validator } from "./validate.ts";
export * from "./view/index.ts";
