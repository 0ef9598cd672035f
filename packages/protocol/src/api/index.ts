export { Envelope } from "../envelope/envelope.ts";
export * from "./answers.ts";
export * from "./approvals.ts";
export * from "./records.ts";
export * from "./requests.ts";
export * from "./stream.ts";
export * from "./usage.ts";
export * from "./values.ts";
export * from "./websocket.ts";
