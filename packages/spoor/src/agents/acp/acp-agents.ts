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
  /** The agent's package on npm. */
  package?: string;
  /** The program and its arguments. */
  launch: readonly [command: string, ...args: string[]];
  /** Names of the agent's own environment variables. */
  allow?: readonly string[];
  /** Further differences in starting it. */
  launchDetails?: Omit<AcpLaunch, "command" | "args" | "allow">;
  /** Differences in reading it. */
  profile?: AcpProfile;
  /** Makes the dialect, if another agent's is used. */
  dialect?: (profile: AcpProfile) => Dialect;
  /** The agent was run here. */
  wasRun?: true;
}

/**
 * Agents that speak only ACP. An agent that was not run here is started as its documentation says, and has no profile.
 * Each row says how the agent enforces `--approve deny`; if that is unknown, such runs are refused.
 */
const agents: readonly KnownAgent[] = [
  {
    ...{ name: "auggie", title: "Auggie", vendor: "Augment Code", homePage: "https://www.augmentcode.com" },
    ...{ package: "@augmentcode/auggie", launch: ["auggie", "--acp"], allow: ["AUGMENT_*"] },
    launchDetails: {
      approveArguments: { deny: { args: ["--ask"] } },
      deny: { how: "`--ask`: it has only tools that read" },
    },
  },
  {
    ...{ name: "claude-agent-acp", title: "Claude Agent over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/claude-agent-acp", launch: ["claude-agent-acp"] },
    ...{ package: "@agentclientprotocol/claude-agent-acp", allow: ["ANTHROPIC_*", "CLAUDE_*"], wasRun: true },
    launchDetails: { deny: { how: "it asks, and Spoor refuses" } },
    profile: { exitRemark: /^(?:```\n)?Exit code (?<code>\d+)\n?/ },
  },
  {
    ...{ name: "cline", title: "Cline", vendor: "Cline", homePage: "https://cline.bot" },
    ...{ package: "cline", launch: ["cline", "--acp"], allow: ["CLINE_*"] },
    launchDetails: {
      approveArguments: { ask: { args: ["--auto-approve", "false"] }, deny: { args: ["--auto-approve", "false"] } },
      deny: { how: "`--auto-approve false`: it asks, and Spoor refuses" },
    },
  },
  {
    ...{ name: "codex-acp", title: "Codex over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/codex-acp", launch: ["codex-acp"] },
    ...{ package: "@agentclientprotocol/codex-acp", allow: ["OPENAI_*", "CODEX_*"], wasRun: true },
    launchDetails: {
      approveArguments: {
        ask: { set: { INITIAL_AGENT_MODE: "read-only" } },
        auto: { set: { INITIAL_AGENT_MODE: "agent-full-access" } },
        deny: { set: { INITIAL_AGENT_MODE: "read-only" } },
      },
      deny: { how: "its read-only mode: commands run in a sandbox, and Spoor refuses requests to leave it" },
      quietInAuto: true,
    },
    profile: {
      mcpTitle: /^mcp\.(?<server>[^.]+)\.(?<tool>.+)$/,
      tools: { spawnAgent: "subagent" },
      noise: /^(Config warning|Warning): /,
      messageWithoutIdIsFailure: true,
    },
  },
  {
    ...{ name: "droid", title: "Droid", vendor: "Factory", homePage: "https://factory.ai" },
    ...{ package: "droid", launch: ["droid", "exec", "--output-format", "acp"], allow: ["FACTORY_*"] },
    launchDetails: { deny: { how: "its default is read-only, and Spoor refuses what it asks" } },
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
    ...{ package: "@kilocode/cli", launch: ["kilo", "acp"], allow: ["KILO_*", "KILOCODE_*"], wasRun: true },
    // By default it does everything without asking.
    launchDetails: {
      approveArguments: {
        ask: { set: { KILO_PERMISSION: askingRules } },
        deny: { set: { KILO_PERMISSION: askingRules } },
      },
      deny: { how: "`KILO_PERMISSION`: it asks, and Spoor refuses" },
    },
    profile: { login: "Run `kilo auth login`, or set the key of the model's provider." },
    dialect: opencodeOverAcp,
  },
  {
    ...{ name: "kimi", title: "Kimi Code", vendor: "Moonshot AI", homePage: "https://github.com/MoonshotAI/kimi-code" },
    ...{ package: "@moonshot-ai/kimi-code", launch: ["kimi", "acp"], allow: ["KIMI_*", "MOONSHOT_*"], wasRun: true },
    launchDetails: { deny: { how: "it asks, and Spoor refuses" }, endsWithInput: true },
    profile: {
      inputInContent: true,
      noise: /^Compact(ing conversation context|ion (is blocked|cancelled|completed))/,
      emptyPromptError: "Kimi ended the prompt without an answer and reported no reason. Its context may be full.",
    },
  },
  {
    ...{ name: "pi-acp", title: "Pi over ACP", vendor: "community", homePage: "https://www.npmjs.com/package/pi-acp" },
    ...{ package: "pi-acp", launch: ["pi-acp"], allow: ["PI_*"], wasRun: true },
    launchDetails: {
      deny: {
        cannot:
          "pi-acp runs every tool without asking and has no option to change that, so it cannot enforce `--approve deny`. " +
          "Use the agent `pi`: with `--approve deny` it has only tools that read.",
      },
      askWarning: "pi-acp runs its tools without asking.",
      quietInAuto: true,
      unsupported: ["fork", "mcpServers", "remoteMcpServers", "sseMcpServers"],
    },
    profile: {
      exitRemark: /\n*Command exited with code (?<code>\d+)\s*$/,
      emptyPromptError: "pi-acp ended the prompt without an answer. It does not tell why; `pi` does.",
    },
  },
  {
    ...{ name: "qoder", title: "Qoder CLI", vendor: "Qoder", homePage: "https://qoder.com" },
    ...{ package: "@qoder-ai/qodercli", launch: ["qodercli", "--acp"], allow: ["QODER_*"] },
    launchDetails: {
      approveArguments: { deny: { args: ["--permission-mode", "dont_ask"] } },
      deny: { how: "`--permission-mode dont_ask`: it refuses what it would ask" },
    },
  },
  {
    ...{ name: "vibe", title: "Mistral Vibe", vendor: "Mistral AI" },
    ...{ homePage: "https://github.com/mistralai/mistral-vibe", launch: ["vibe-acp"], allow: ["VIBE_*", "MISTRAL_*"] },
  },
];

export const knownAcpAgents: readonly Adapter[] = agents.map((agent) => {
  const { name, title, vendor, homePage, launch, allow = [], launchDetails, profile = {}, dialect } = agent;
  const [command, ...args] = launch;
  const started: AcpLaunch = { deny: unknown(title), ...launchDetails, command, args, allow, hostsActions: true };
  return {
    name,
    title,
    ...(!agent.wasRun && { isDocumentedOnly: true }),
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
  const why = `Nobody has checked that ${title} asks before it acts, so \`--approve deny\` may not be enforced.`;
  return { cannot: `${why} Use \`--approve ask\`.` };
}
