import type { Estimate } from "../assemble/prices.ts";
import type { RunExecutor } from "../log/records.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import type { LoopModel, ModelFailure } from "./providers/provider.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { LoopTool } from "./tools/tool.ts";

/** Where the commands of a run are executed. */
export interface SandboxPlace {
  execution: Execution;
  /** The real path of the workspace. */
  root: string;
  environment: NodeJS.ProcessEnv;
}

/** What the loop works with. Everything has a default, so that tests and programs replace only what they need. */
export interface LoopOptions {
  /** What performs the runs. Default: `worker`. */
  name?: RunExecutor;
  /** The environment that holds the keys. Default: that of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Finds a model by its name `provider/model`. */
  findModel?(name: string, environment: NodeJS.ProcessEnv): Promise<LoopModel>;
  /** Says what an error of a provider means. */
  failureOf?(error: unknown): ModelFailure;
  /** The tools that the model may call, beside those of MCP servers. */
  tools?(): readonly LoopTool[];
  /** Opens what holds the commands of a run. */
  openSandbox?(place: SandboxPlace): Promise<Sandbox>;
  /** Loads what the calls of a model cost. */
  loadPrices?(model: LoopModel): Promise<Estimate>;
  /** How long to wait before a retry, in milliseconds, unless the provider says it. */
  backoffMs?(attempt: number): number;
}
