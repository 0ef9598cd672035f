import { stat } from "node:fs/promises";
import type { AuthMethod, CredentialFile } from "../../agents/agent-about.ts";
import type { Adapter } from "../../agents/machine.ts";
import { locate, type Surroundings } from "../locate.ts";

export interface AuthState {
  agent: string;
  /**
   * `found`: there is a sign of credentials; whether they are accepted only a run can tell. `not_found`: there is none
   * where we look. `unknown`: they may be where we cannot look, or nothing is known of this agent.
   */
  status: "found" | "not_found" | "unknown";
  /** The ways in that there is a sign of, the agent's own order. */
  signs: AuthSign[];
  /** Ways to sign in, a sentence each; none when a sign was found. */
  guidance: string[];
  checkedAt: string;
}

export interface AuthSign {
  method: AuthMethod["name"];
  title: string;
  /** The variable that is set, or the file that is there. */
  variable?: string;
  file?: string;
}

export async function authStateOf(
  { name: agent, about }: Adapter,
  around: Surroundings & { platform?: NodeJS.Platform } = {},
): Promise<AuthState> {
  const checkedAt = new Date().toISOString();
  const facts = about?.auth;
  if (!facts) return { agent, status: "unknown", signs: [], guidance: [], checkedAt };
  const signs = (await Promise.all(facts.methods.map((method) => signsOf(method, around)))).flat();
  if (signs.length > 0) return { agent, status: "found", signs, guidance: [], checkedAt };
  const { unseen } = facts;
  const hidden = unseen && (unseen.platforms?.includes(around.platform ?? process.platform) ?? true);
  const guidance = facts.methods.map(({ how }) => how);
  return hidden
    ? { agent, status: "unknown", signs, guidance: [`They may be in ${unseen.where}.`, ...guidance], checkedAt }
    : { agent, status: "not_found", signs, guidance, checkedAt };
}

async function signsOf({ name, title, variables = [], files = [] }: AuthMethod, around: Surroundings) {
  const env = around.env ?? process.env;
  const set = variables.filter((variable) => (env[variable] ?? "") !== "");
  const paths = await Promise.all(
    files.map(async (file) => ((await holds(file, around)) ? [locate(file, around)] : [])),
  );
  return [
    ...set.map((variable): AuthSign => ({ method: name, title, variable })),
    ...paths.flat().map((file): AuthSign => ({ method: name, title, file })),
  ];
}

/** Only whether it is there and how large: what is in it is nobody's business. */
async function holds(file: CredentialFile, around: Surroundings): Promise<boolean> {
  const found = await stat(locate(file, around)).catch(() => undefined);
  return found?.isFile() === true && found.size > (file.emptySize ?? 0);
}
