import { createAcpDialect } from "../dialects/acp/index.ts";
import type { Adapter } from "../machine.ts";

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
}

/**
 * Agents that are talked to over ACP alone, as their makers document them. None was run here beyond its handshake, so
 * nothing is said of their ways; one that turns out to have some gets a profile.
 */
const known: readonly KnownAgent[] = [
  {
    ...{ name: "auggie", title: "Auggie", vendor: "Augment Code", homePage: "https://www.augmentcode.com" },
    ...{ package: "@augmentcode/auggie", launch: ["auggie", "--acp"], allow: ["AUGMENT_*"] },
  },
  {
    ...{ name: "claude-agent-acp", title: "Claude Agent over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/claude-agent-acp", launch: ["claude-agent-acp"] },
    ...{ package: "@agentclientprotocol/claude-agent-acp", allow: ["ANTHROPIC_*", "CLAUDE_*"] },
  },
  {
    ...{ name: "cline", title: "Cline", vendor: "Cline", homePage: "https://cline.bot" },
    ...{ package: "cline", launch: ["cline", "--acp"], allow: ["CLINE_*"] },
  },
  {
    ...{ name: "codex-acp", title: "Codex over ACP", vendor: "Agent Client Protocol" },
    ...{ homePage: "https://github.com/agentclientprotocol/codex-acp", launch: ["codex-acp"] },
    ...{ package: "@agentclientprotocol/codex-acp", allow: ["OPENAI_*", "CODEX_*"] },
  },
  {
    ...{ name: "droid", title: "Droid", vendor: "Factory", homePage: "https://factory.ai" },
    ...{ launch: ["droid", "exec", "--output-format", "acp"], allow: ["FACTORY_*"] },
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
    ...{ package: "@kilocode/cli", launch: ["kilo", "acp"], allow: ["KILO_*", "KILOCODE_*"] },
  },
  {
    ...{ name: "kimi", title: "Kimi Code", vendor: "Moonshot AI", homePage: "https://github.com/MoonshotAI/kimi-code" },
    ...{ package: "@moonshot-ai/kimi-code", launch: ["kimi", "acp"], allow: ["KIMI_*", "MOONSHOT_*"] },
  },
  {
    ...{ name: "pi-acp", title: "Pi over ACP", vendor: "community", homePage: "https://www.npmjs.com/package/pi-acp" },
    ...{ package: "pi-acp", launch: ["pi-acp"], allow: ["PI_*"] },
  },
  {
    ...{ name: "qoder", title: "Qoder CLI", vendor: "Qoder", homePage: "https://qoder.com" },
    ...{ package: "@qoder-ai/qodercli", launch: ["qodercli", "--acp"], allow: ["QODER_*"] },
  },
  {
    ...{ name: "vibe", title: "Mistral Vibe", vendor: "Mistral AI" },
    ...{ homePage: "https://github.com/mistralai/mistral-vibe", launch: ["vibe-acp"], allow: ["VIBE_*", "MISTRAL_*"] },
  },
];

export const knownAcpAgents: readonly Adapter[] = known.map((agent) => {
  const { name, title, vendor, homePage, launch, allow = [] } = agent;
  const [command, ...args] = launch;
  return {
    name,
    title,
    isDocumentedOnly: true,
    about: {
      vendor,
      homePage,
      install: agent.package
        ? [{ with: "npm", command: `npm install -g ${agent.package}` }]
        : [{ with: "manual", command: `See ${homePage}` }],
      models: {},
      capabilities: { supportsNativeTools: true },
    },
    dialects: [createAcpDialect({ launch: { command, args, allow, serves: true } })],
  };
});
