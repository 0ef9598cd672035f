import { basename, resolve } from "node:path";
import type { HostAction } from "../../../host.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../../kit/json-values.ts";
import { commandLine, diffsIn, textIn } from "../calls/call-content.ts";

/** The files and commands that a call has named. A permission request for the call covers these. */
interface Plan {
  paths: Set<string>;
  commands: Set<string>;
}

/**
 * The actions for which the agent asked and received permission. A granted call covers the files and commands that it
 * had named when it asked, until it ends.
 */
export class Grants {
  readonly #cwd: string;
  readonly #plans = new Map<string, Plan>();
  readonly #asked = new Map<unknown, Plan>();
  readonly #granted = new Map<string, Plan>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Notes what a frame says about a call. */
  see(call: Json): void {
    const id = asText(call.toolCallId);
    if (id === undefined) return;
    if (call.status === "completed" || call.status === "failed") {
      this.#plans.delete(id);
      this.#granted.delete(id);
      return;
    }
    const plan = this.#plans.get(id) ?? { paths: new Set(), commands: new Set() };
    this.#plans.set(id, plan);
    for (const path of pathsIn(call)) plan.paths.add(resolve(this.#cwd, path));
    for (const command of commandsIn(call)) plan.commands.add(command);
  }

  asked(request: Json): void {
    const call = callIn(request);
    this.see(call);
    const plan = this.#plans.get(asText(call.toolCallId) ?? "");
    if (plan) this.#asked.set(request.id, { paths: new Set(plan.paths), commands: new Set(plan.commands) });
  }

  granted(request: Json): void {
    const plan = this.#asked.get(request.id);
    const id = asText(callIn(request).toolCallId);
    this.#asked.delete(request.id);
    if (plan && id !== undefined) this.#granted.set(id, plan);
  }

  cover(action: HostAction): boolean {
    const plans = [...this.#granted.values()];
    if (action.do === "write") return plans.some(({ paths }) => paths.has(resolve(this.#cwd, action.path)));
    if (action.do !== "run") return true;
    const lines = [commandLine([action.command, ...action.args])];
    // The agent may ask for the command that it passes to a shell, which first changes to the workspace.
    if (shells.test(basename(action.command))) lines.push(this.#withoutCd(action.args.at(-1) ?? ""));
    return plans.some(({ commands }) => lines.some((line) => commands.has(line)));
  }

  #withoutCd(line: string): string {
    const { folder, rest } = /^cd (['"]?)(?<folder>[^'"]+)\1 && (?<rest>.+)$/s.exec(line)?.groups ?? {};
    return folder !== undefined && rest !== undefined && resolve(folder) === resolve(this.#cwd) ? rest : line;
  }
}

const callIn = (request: Json): Json => asObject(asObject(request.params)?.toolCall) ?? {};

function pathsIn({ locations, content, rawInput }: Json): string[] {
  const places = [...asObjects(locations), ...diffsIn(content)].map(({ path }) => path);
  const inputs = Object.entries(asObject(rawInput) ?? {}).filter(([name]) => /path|file/i.test(name));
  return [...places, ...inputs.map(([, value]) => value)].filter((path) => typeof path === "string");
}

/** The title of a command is often the command itself, with or without backticks. */
function commandsIn({ title, kind, rawInput, content }: Json): string[] {
  const input = asObject(rawInput) ?? parseObject(textIn(content));
  const named = [commandLine(input?.command), commandLine(input?.cmd)];
  if (Array.isArray(input?.args)) named.push(commandLine([input.command, ...input.args]));
  if (kind === "execute") named.push((asText(title) ?? "").replaceAll(/^`|`$/g, ""));
  return named.filter((command) => command !== "");
}

const shells = /^((ba|z|da|k|fi)?sh|cmd|powershell|pwsh)(\.exe)?$/i;
