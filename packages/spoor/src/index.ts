export * from "@spoor/protocol";
export type {
  Adapter,
  Answer,
  Dialect,
  Driver,
  Frame,
  Launch,
  LaunchRequest,
  LiveWire,
  Machine,
} from "./agents/machine.ts";
export { adapters } from "./agents/registry.ts";
export type { FileFact, McpTool, Signal, ToolEnd } from "./agents/signal.ts";
export { type Client, type ClientOptions, createClient, type RunOptions } from "./mux/client.ts";
export { type Detected, detect } from "./mux/detect.ts";
export { SpoorError } from "./mux/errors.ts";
export type { InteractionChannel, PendingInteraction, Response } from "./mux/interaction-channel.ts";
export { type ParseOptions, parse } from "./mux/parse.ts";
export type { RunHandle, RunState } from "./mux/run-handle.ts";
export { type ExitReason, exitReasons, type RunResult } from "./mux/run-result.ts";
