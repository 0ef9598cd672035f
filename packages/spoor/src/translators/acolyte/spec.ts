import type { ChatRequest } from "@spoor/protocol/api";
import { ValidationError } from "../../failures/errors.ts";
import { findConfigFolders } from "../../options/config/config-folders.ts";
import { readConfiguration } from "../../options/config/configuration-files.ts";
import { type SpecField, specFields } from "../../runtime/specification/fields.ts";

type Spec = Readonly<Record<string, unknown>>;

/** What a request asks of a session that goes on: only what it says. */
export function changesOf({ model, workspace, options = {} }: ChatRequest): Spec {
  const given: Record<string, unknown> = {
    ...(model !== undefined && model !== "" && { model }),
    ...(workspace !== undefined && { workspace }),
    ...options,
  };
  const fields = Object.entries(given).filter(([name, value]) => value !== undefined && name in taken);
  const spec = Object.fromEntries(fields.map(([name, value]) => [name, name === "workspace" ? placeOf(value) : value]));
  const problems = Object.entries(spec).flatMap(([name, value]) => taken[name]?.check(value, name) ?? []);
  if (problems.length > 0) throw new ValidationError(problems);
  return spec;
}

/** What a request asks of a new session: the agent is that of the request, else of the configuration, else our own loop. */
export function specOf(request: ChatRequest): Spec {
  const spec = changesOf(request);
  const { path = process.cwd() } = (spec.workspace ?? {}) as { path?: string };
  const configured = defaultsIn(path);
  const agent = spec.agent ?? configured.agent;
  const model = agent === "loop" && configured.model !== "" && { model: configured.model };
  // Requests of several connections work side by side in one folder, as they do in Acolyte.
  return { workspace: { share: true }, ...model, ...spec, agent };
}

/** The agent and the model of requests in a folder that name none. */
export function defaultsIn(folder: string): { agent: string; model: string } {
  const layers = readConfiguration(findConfigFolders({ cwd: folder, environment: process.env }));
  const first = (name: "agent" | "model") => layers.map((layer) => layer[name]).find((value) => value !== undefined);
  return { agent: String(first("agent") ?? "loop"), model: String(first("model") ?? "") };
}

/** The fields of a task that a request may set. */
const taken: Readonly<Record<string, SpecField>> = Object.fromEntries(
  Object.entries(specFields as Readonly<Record<string, SpecField>>).filter(
    ([name, { kinds }]) =>
      !["kind", "prompt", "history"].includes(name) &&
      (kinds === undefined || kinds.includes("agent") || kinds.includes("agent_loop")),
  ),
);

const placeOf = (given: unknown): unknown => (typeof given === "string" ? { path: given, share: true } : given);
