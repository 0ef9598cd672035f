export * from "./agent-events/index.ts";
export * from "./contract/index.ts";
export * from "./envelope/index.ts";
export * from "./json-schema/index.ts";
export * from "./mapping/index.ts";
export { type Problem, problems, unknownFields, validator } from "./validate.ts";
export * from "./view/index.ts";
