import { stat } from "node:fs/promises";
import type { AuthMethod, CredentialFile } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { type LookupContext, locate } from "../locate.ts";

/** Whether an agent seems to have credentials. */
export interface AuthState {
  agent: string;
  /**
   * `found`: a variable or file with credentials exists; only a run shows whether they are valid. `not_found`: none of the
   * known variables and files exists. `unknown`: credentials may be stored where we cannot look (a keychain), or we have no
   * facts about this agent.
   */
  status: "found" | "not_found" | "unknown";
  /** The credentials found, in the agent's own order of preference. */
  signs: AuthSign[];
  /** One sentence for each way to sign in; empty when credentials were found. */
  guidance: string[];
  checkedAt: string;
}

/** A variable or file that suggests that the agent has credentials. */
export interface AuthSign {
  method: AuthMethod["name"];
  title: string;
  /** The variable that is set. */
  variable?: string;
  /** The file that exists. */
  file?: string;
}

export async function authStateOf(
  { name: agent, about }: Adapter,
  context: LookupContext & { platform?: NodeJS.Platform } = {},
): Promise<AuthState> {
  const checkedAt = new Date().toISOString();
  const facts = about?.auth;
  if (!facts) return { agent, status: "unknown", signs: [], guidance: [], checkedAt };
  const signs = (await Promise.all(facts.methods.map((method) => signsOf(method, context)))).flat();
  if (signs.length > 0) return { agent, status: "found", signs, guidance: [], checkedAt };
  const { unseen } = facts;
  const hidden = unseen && (unseen.platforms?.includes(context.platform ?? process.platform) ?? true);
  const guidance = facts.methods.map(({ how }) => how);
  return hidden
    ? {
        agent,
        status: "unknown",
        signs,
        guidance: [`The credentials may be stored in ${unseen.where}, where Spoor cannot look.`, ...guidance],
        checkedAt,
      }
    : { agent, status: "not_found", signs, guidance, checkedAt };
}

async function signsOf({ name, title, variables = [], files = [] }: AuthMethod, context: LookupContext) {
  const env = context.env ?? process.env;
  const set = variables.filter((variable) => (env[variable] ?? "") !== "");
  const paths = await Promise.all(
    files.map(async (file) => ((await exists(file, context)) ? [locate(file, context)] : [])),
  );
  return [
    ...set.map((variable): AuthSign => ({ method: name, title, variable })),
    ...paths.flat().map((file): AuthSign => ({ method: name, title, file })),
  ];
}

/** Checks existence and size only. The content is never read. */
async function exists(file: CredentialFile, context: LookupContext): Promise<boolean> {
  const found = await stat(locate(file, context)).catch(() => undefined);
  return found?.isFile() === true && found.size > (file.emptySize ?? 0);
}
