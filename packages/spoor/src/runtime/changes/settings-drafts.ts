import type { GitGuard } from "../workspace/git-guard.ts";

/** The event about changed settings and hooks of git, if there are some. */
export function settingsDrafts(guard: GitGuard | undefined): { type: string; data: Record<string, unknown> }[] {
  const files = guard?.changes() ?? [];
  return files.length === 0 ? [] : [{ type: "policy.git_settings_changed", data: { files } }];
}
