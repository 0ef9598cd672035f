import { followLinks } from "./paths.ts";
import { parseRules, type Rule } from "./rule.ts";

/** Files with which a repository or a user decides what git runs. */
const gitFiles = [
  "**/.git/hooks/** **/.git/config **/.git/config.worktree **/.git",
  "**/.git/modules/**/hooks/** **/.git/modules/**/config **/.git/worktrees/**/config.worktree",
  "~/.gitconfig ~/.config/git/**",
];

/** Files with which agents decide what they may do and which programs they start. They count even if they do not exist. */
export const agentFiles: readonly string[] = [
  "**/.spoor/policy.rules **/.spoor/config.json **/.spoor/profiles/**",
  "**/.claude/settings.json **/.claude/settings.local.json **/.claude/hooks/** **/.mcp.json ~/.claude.json",
  "**/.codex/config.toml **/.codex/hooks.json **/.codex/rules/**",
  "**/.gemini/settings.json **/.qwen/settings.json **/.pi/settings.json ~/.pi/agent/settings.json ~/.omp/**/settings.json",
  "**/.cursor/mcp.json **/.cursor/hooks.json **/.cursor/cli.json **/.cursor/cli-config.json",
  "**/.github/copilot/settings.json **/.github/copilot/settings.local.json ~/.copilot/**/*.json ~/.copilot/*.json",
  "**/opencode.json **/opencode.jsonc **/.opencode/opencode.json **/.opencode/plugin/** **/.opencode/plugins/**",
  "**/.openclaw/openclaw.json **/.amp/settings.json ~/.config/amp/settings.json **/.hermes/config.yaml",
  "**/{.amazonq,.augment,.cline,.continue,.factory,.goose,.grok,.junie,.kilo,.kilocode,.kimi,.qoder,.roo,.vibe,.windsurf,.zot}/**",
  "**/.aider.conf.yml **/.kilo.json **/kilo.json **/kilo.jsonc **/.roomodes **/.kilocodemodes",
  "**/.vscode/tasks.json **/.vscode/mcp.json **/.vscode/settings.json",
];

/** Rules that hold before all others. `directory` is the data directory: it holds the token and all recorded runs. */
export function builtinRules(directory: string): readonly Rule[] {
  const folders = [...new Set([directory, followLinks(directory)])].map((folder) => `${quoted(folder)}/**`).join(" ");
  const lines = [
    `always block read ${folders}`,
    `always block write ${folders}`,
    ...[...gitFiles, ...agentFiles].map((files) => `always block write ${files}`),
  ];
  return parseRules(lines.join("\n"), "builtin", "built-in rules").rules;
}

const quoted = (folder: string): string => `"${folder.replace(/["\\]/g, "\\$&")}"`;
