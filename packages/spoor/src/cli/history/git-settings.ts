import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { ChangedSetting } from "../../runtime/workspace/git-guard.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** The type of the event. */
export const GIT_SETTINGS = "policy.git_settings_changed";

/** What a run changed in the settings and hooks of git, which is in no diff. */
export async function gitSettingsOf(log: Log, run_id: string): Promise<ChangedSetting[]> {
  const found: ChangedSetting[] = [];
  for await (const { data } of readEnvelopes(log, { run_id, match: (type) => type === GIT_SETTINGS }))
    found.push(...filesIn(data));
  return found;
}

/** The same for a person. */
export function gitSettingsLines(data: Readonly<Record<string, unknown>>): string[] {
  const files = filesIn(data);
  if (files.length === 0) return [];
  return [
    "Git takes settings from these files or runs them. Look at them before you use git there:",
    ...files.map(({ path, change }) => `  ${terminalSafe(change)} ${terminalSafe(path)}`),
  ];
}

const filesIn = ({ files }: Readonly<Record<string, unknown>>): ChangedSetting[] =>
  Array.isArray(files) ? (files as ChangedSetting[]) : [];
