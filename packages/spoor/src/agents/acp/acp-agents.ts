import { acpLive } from "../dialects/acp/acp-live.ts";
import { type AcpLaunch, type AcpProfile, createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter, Dialect } from "../machine.ts";
import { opencodeOverAcp } from "../opencode/acp/opencode-acp.ts";
import { askingRules } from "../opencode/asking-rules.ts";

interface KnownAgent {
  name: string;
  title: string;
  vendor: string;
  homePage: string;
  /** Its package on npm. */
  package?: string;
  /** The program and its arguments. */
  launch: readonly [command: string, ...args: string[]];
  /** Names of environment variables that are its own. */
  allow?: readonly string[];
  /** How else it is started. */
  starts?: Omit<AcpLaunch, "command" | "args" | "allow">;
  /** How it is read, where it has ways of its own. */
  profile?: AcpProfile;
  /** What reads it, where that is another agent's. */
  dialect?: (profile: AcpProfile) => Dialect;
  /** It was run here. */
  isRun?: true;
}

/**
 * Agents that are talked to over ACP alone. Those that are not run here are started as their makers document it, and
 * nothing is said of their ways. How each keeps `deny` is said here: who is not known to keep it is refused.
 */
const agents: readonly KnownAgent[] = [
  {
    ...{ name: "auggie", title: "Auggie", vendor: "Augment Code", homePage: "https://www.augmentcode.com" },
    ...{ package: "@augmentcode/auggie", launch: ["auggie", "--acp"], allow: ["AUGMENT_*"] },
    starts: { approving: { deny: { args: ["--ask"] } }, deny: { how: "`--ask`: tools that read" } },
  },
  {
    ...{ name: "claude-agent-acp", title: "Claude Agent over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/claude-agent-acp", launch: ["claude-agent-acp"] },
    ...{ package: "@agentclientprotocol/claude-agent-acp", allow: ["ANTHROPIC_*", "CLAUDE_*"], isRun: true },
    starts: { deny: { how: "asks, and is refused" } },
    profile: { exitInText: /^(?:```\n)?Exit code (?<code>\d+)\n?/ },
  },
  {
    ...{ name: "cline", title: "Cline", vendor: "Cline", homePage: "https://cline.bot" },
    ...{ package: "cline", launch: ["cline", "--acp"], allow: ["CLINE_*"] },
    starts: {
      approving: { ask: { args: ["--auto-approve", "false"] }, deny: { args: ["--auto-approve", "false"] } },
      deny: { how: "`--auto-approve false`: asks, and is refused" },
    },
  },
  {
    ...{ name: "codex-acp", title: "Codex over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/codex-acp", launch: ["codex-acp"] },
    ...{ package: "@agentclientprotocol/codex-acp", allow: ["OPENAI_*", "CODEX_*"], isRun: true },
    starts: {
      approving: {
        ask: { set: { INITIAL_AGENT_MODE: "read-only" } },
        auto: { set: { INITIAL_AGENT_MODE: "agent-full-access" } },
        deny: { set: { INITIAL_AGENT_MODE: "read-only" } },
      },
      deny: { how: "its read-only mode: commands run in a sandbox; what asks to leave it is refused" },
      quietInAuto: true,
    },
    profile: {
      mcpTitle: /^mcp\.(?<server>[^.]+)\.(?<tool>.+)$/,
      tools: { spawnAgent: "subagent" },
      noise: /^(Config warning|Warning): /,
      unnamedIsFailure: true,
    },
  },
  {
    ...{ name: "droid", title: "Droid", vendor: "Factory", homePage: "https://factory.ai" },
    ...{ package: "droid", launch: ["droid", "exec", "--output-format", "acp"], allow: ["FACTORY_*"] },
    starts: { deny: { how: "its default: read-only, and what it asks is refused" } },
  },
  {
    ...{ name: "goose", title: "goose", vendor: "Block", homePage: "https://block.github.io/goose" },
    ...{ launch: ["goose", "acp"], allow: ["GOOSE_*"] },
  },
  {
    ...{ name: "grok", title: "Grok Build", vendor: "xAI", homePage: "https://docs.x.ai/build/overview" },
    ...{ package: "@xai-official/grok", launch: ["grok", "agent", "stdio"], allow: ["XAI_*", "GROK_*"] },
  },
  {
    ...{ name: "junie", title: "Junie", vendor: "JetBrains", homePage: "https://junie.jetbrains.com" },
    ...{ package: "@jetbrains/junie", launch: ["junie", "--acp", "true"], allow: ["JUNIE_*"] },
  },
  {
    ...{ name: "kilo", title: "Kilo Code", vendor: "Kilo", homePage: "https://kilo.ai" },
    ...{ package: "@kilocode/cli", launch: ["kilo", "acp"], allow: ["KILO_*", "KILOCODE_*"], isRun: true },
    // Left to itself it does everything unasked.
    starts: {
      approving: { ask: { set: { KILO_PERMISSION: askingRules } }, deny: { set: { KILO_PERMISSION: askingRules } } },
      deny: { how: "`KILO_PERMISSION`: asks, and is refused" },
    },
    profile: { login: "Run `kilo auth login`, or set the key of the model's provider." },
    dialect: opencodeOverAcp,
  },
  {
    ...{ name: "kimi", title: "Kimi Code", vendor: "Moonshot AI", homePage: "https://github.com/MoonshotAI/kimi-code" },
    ...{ package: "@moonshot-ai/kimi-code", launch: ["kimi", "acp"], allow: ["KIMI_*", "MOONSHOT_*"], isRun: true },
    starts: { deny: { how: "asks, and is refused" }, endsWithInput: true },
    profile: {
      inputInContent: true,
      noise: /^Compact(ing conversation context|ion (is blocked|cancelled|completed))/,
      emptyIsFailure: "Kimi ended the prompt without an answer. It does not tell why; its context may be full.",
    },
  },
  {
    ...{ name: "pi-acp", title: "Pi over ACP", vendor: "community", homePage: "https://www.npmjs.com/package/pi-acp" },
    ...{ package: "pi-acp", launch: ["pi-acp"], allow: ["PI_*"], isRun: true },
    starts: {
      deny: {
        cannot:
          "pi-acp runs every tool without asking and cannot be told not to, so `--approve deny` cannot be kept. " +
          "Run `pi` itself: under `--approve deny` it has only the tools that read.",
      },
      unasked: "pi-acp runs its tools without asking.",
      quietInAuto: true,
      without: ["fork", "mcpServers", "remoteMcpServers", "sseMcpServers"],
    },
    profile: {
      exitInText: /\n*Command exited with code (?<code>\d+)\s*$/,
      emptyIsFailure: "pi-acp ended the prompt without an answer. It does not tell why; `pi` does.",
    },
  },
  {
    ...{ name: "qoder", title: "Qoder CLI", vendor: "Qoder", homePage: "https://qoder.com" },
    ...{ package: "@qoder-ai/qodercli", launch: ["qodercli", "--acp"], allow: ["QODER_*"] },
    starts: {
      approving: { deny: { args: ["--permission-mode", "dont_ask"] } },
      deny: { how: "`--permission-mode dont_ask`: refuses what it would ask" },
    },
  },
  {
    ...{ name: "vibe", title: "Mistral Vibe", vendor: "Mistral AI" },
    ...{ homePage: "https://github.com/mistralai/mistral-vibe", launch: ["vibe-acp"], allow: ["VIBE_*", "MISTRAL_*"] },
  },
];

export const knownAcpAgents: readonly Adapter[] = agents.map((agent) => {
  const { name, title, vendor, homePage, launch, allow = [], starts, profile = {}, dialect } = agent;
  const [command, ...args] = launch;
  const started: AcpLaunch = { deny: unknown(title), ...starts, command, args, allow, serves: true };
  return {
    name,
    title,
    ...(!agent.isRun && { isDocumentedOnly: true }),
    about: {
      vendor,
      homePage,
      install: agent.package
        ? [{ with: "npm", command: `npm install -g ${agent.package}` }]
        : [{ with: "manual", command: `See ${homePage}` }],
      models: {},
      capabilities: { supportsNativeTools: true },
    },
    dialects: [
      dialect ? { ...dialect(profile), live: acpLive(started) } : createAcpDialect({ ...profile, launch: started }),
    ],
  };
});

function unknown(title: string): { cannot: string } {
  const why = `Nobody has checked that ${title} asks before it acts, so \`--approve deny\` cannot be kept.`;
  return { cannot: `${why} Use \`--approve ask\`.` };
}
