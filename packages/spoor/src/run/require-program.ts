import type { Adapter, LaunchRequest } from "../agents/machine.ts";
import { SpoorError } from "../failures/errors.ts";
import { resolveCommand } from "../process/resolve-command.ts";
import { agentEnvironment } from "./agent-environment.ts";
import type { ProgramSetup } from "./run-setup.ts";

/** Throws an error that says how to install the agent, if its program is not on this machine. */
export function requireProgram(options: ProgramSetup & { adapter: Adapter; request: LaunchRequest }): void {
  const { adapter, dialect, command, request } = options;
  const program = command?.[0] ?? dialect.live.command;
  const { cwd } = request;
  if (resolveCommand(program, agentEnvironment(options), process.platform, { cwd })) return;
  throw new SpoorError("AGENT_NOT_INSTALLED", command ? noCommand(program, cwd) : notInstalled(adapter, program));
}

function noCommand(program: string, cwd: string): string {
  const where = /[\\/]/.test(program) ? `at that path (looked up from ${cwd})` : "of that name on the PATH";
  return `The command "${program}" cannot be run: there is no program ${where}.`;
}

function notInstalled({ title, about }: Adapter, program: string): string {
  const methods = about?.install.filter(({ platforms }) => platforms?.includes(process.platform) ?? true) ?? [];
  const problem = `${title} is not installed: there is no program "${program}" on the PATH.`;
  if (methods.length === 0) return `${problem} Install it, or give its path with \`command\`.`;
  return [`${problem} Install it:`, ...methods.map(({ command }) => `  ${command}`)].join("\n");
}
