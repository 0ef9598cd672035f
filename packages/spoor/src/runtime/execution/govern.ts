import { readFileSync } from "node:fs";
import path from "node:path";
import type { Adapter, Dialect, LaunchRequest } from "../../agents/machine.ts";
import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { readHooks } from "../../options/config/configuration-files.ts";
import type { Govern, Governed, RewrittenModel, WantedRun } from "../../run/govern.ts";
import { readModelPolicy } from "../policy/load.ts";
import { findProjectFiles } from "../policy/project-files.ts";

/** Where the rules of a run are. */
export interface GovernOptions {
  /** The data directory, which holds the user's rules. */
  directory: string;
  /** The rules of the task. */
  task?: readonly string[];
  /** Whether somebody has already allowed the model of this run. */
  isModelAllowed?: boolean;
}

/**
 * Returns what applies the user's rules to a run before its agent starts. Rules about models replace or refuse the model. An
 * agent that may do everything is made to ask if rules or hooks could forbid something; an agent that cannot ask is not held.
 */
export const createGovernor =
  (options: GovernOptions): Govern =>
  (wanted) => {
    const modelled = withModel(wanted, options);
    return { ...modelled, ...hold(wanted, modelled.request, options) };
  };

function withModel({ adapter, request }: WantedRun, options: GovernOptions): Governed {
  const { model, cwd } = request;
  if (model === undefined) return { request };
  const wanted = { model, agent: adapter.name, cwd, yolo: request.approve === "auto" };
  const { model: chosen, rewrite } = governModel(wanted, options);
  return rewrite ? { request: { ...request, model: chosen }, rewrite } : { request };
}

/** A model that a run wants. */
export interface WantedModel {
  model: string;
  agent: string;
  cwd: string;
  /** Whether nobody wants to be asked. */
  yolo: boolean;
}

/** Applies the rules about models. Throws if a rule forbids the model. */
export function governModel(
  { model, agent, cwd, yolo }: WantedModel,
  { directory, task, isModelAllowed }: GovernOptions,
): { model: string; rewrite?: RewrittenModel } {
  const policy = readModelPolicy({ directory, cwd, ...(task && { task }), yolo });
  const found = policy.rewriteModel(model, agent);
  const chosen = found?.model ?? model;
  const { decision, reason, rule } = policy.decide({ subject: "model", model: chosen, agent, cwd });
  if (decision === "block") {
    const message = `A rule blocks the model ${chosen}: ${reason} Choose another model, or change the rule.`;
    throw new ValidationError([{ field: "model", message }]);
  }
  if (decision === "ask" && rule && rule.source !== "default" && !isModelAllowed) {
    const how = "Start the run as a task with --detach and answer with `spoor approve`, or change the rule.";
    throw new SpoorError("APPROVAL_NEEDED", `A rule asks before the model ${chosen} is used: ${reason} ${how}`);
  }
  if (!found) return { model };
  const { reason: why, policy_id } = found;
  return { model: chosen, rewrite: { from_model: model, to_model: chosen, reason: why, policy_id } };
}

function hold(
  { adapter, dialect: name, configFolder }: WantedRun,
  request: LaunchRequest,
  options: GovernOptions,
): Pick<Governed, "isHeld" | "warning"> & Partial<Governed> {
  if (request.approve !== "auto") return {};
  const asked = askers(request.cwd, configFolder, options);
  if (asked === undefined) return {};
  const asking = askingDialect(adapter, name);
  if (asking) {
    const limits = asking.live?.askWarning;
    const warning = limits !== undefined && { warning: `${limits} So ${asked} hold it only in part.` };
    return { request: { ...request, approve: "ask" }, isHeld: true, ...warning };
  }
  const hint = "`spoor agents` lists the agents that can be asked.";
  return { warning: `${adapter.name} acts without asking, so ${asked} cannot hold it. ${hint}` };
}

const askingDialect = (adapter: Adapter, name: string | undefined): Dialect | undefined =>
  adapter.dialects.find((dialect) => dialect.canAsk && dialect.live && (name === undefined || dialect.name === name));

/** What wants to be asked before the agent acts. */
function askers(cwd: string, configFolder: string, { directory, task = [] }: GovernOptions): string | undefined {
  const files = [path.join(directory, "policy.rules"), ...findProjectFiles(path.resolve(cwd), path.resolve(directory))];
  if ([...task, ...files.map(read)].some((text) => BLOCKS.test(text))) return "your rules that block something";
  const { PreToolUse = [] } = readHooks({ global: configFolder });
  return PreToolUse.length > 0 ? "your hooks" : undefined;
}

const BLOCKS = /(^|;)\s*(always\s+)?block\s/m;

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
