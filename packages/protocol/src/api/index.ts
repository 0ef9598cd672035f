export * from "./answers.ts";
export * from "./records.ts";
export * from "./requests.ts";
export * from "./stream.ts";
