import type { Ability, Adapter } from "../agents/machine.ts";
import { knownProviders } from "./providers/table.ts";

/** What a run of the loop can be asked for besides its prompt. */
const takes: readonly Ability[] = [
  "model",
  "thinkingEffort",
  "thinkingBudgetTokens",
  "maxOutputTokens",
  "systemPrompt",
  "systemPromptReplace",
  "resume",
  "fork",
  "mcpServers",
  "remoteMcpServers",
  "sandbox",
];

const noWire = (): never => {
  throw new Error("The loop has no process, so there are no raw lines to read or write.");
};

/** Our own loop, as an agent among the others. It has no process: a performer carries out its runs. */
export const loopAdapter: Adapter = {
  name: "loop",
  title: "Spoor's own agent loop",
  about: {
    vendor: "Spoor",
    homePage: "https://github.com/spoor-dev/spoor",
    install: [],
    auth: {
      methods: knownProviders.flatMap(({ name, title, keys }) => {
        const how = `Set ${keys.join(" or ")} for models of ${title}: --model ${name}/<model>.`;
        return keys.length === 0 ? [] : [{ name: "api_key" as const, title, variables: keys, how }];
      }),
    },
    models: {
      withProvider: true,
      providers: knownProviders.flatMap(({ prices, api }) =>
        prices === undefined || api === "demo" ? [] : [{ id: prices }],
      ),
    },
    capabilities: {
      canResume: true,
      canFork: true,
      supportsMultiTurn: true,
      sessionPersistence: "sqlite",
      supportsNativeTools: true,
      supportsMCP: true,
      supportsParallelToolCalls: true,
      requiresToolApproval: true,
      supportsThinking: true,
      thinkingEffortLevels: ["low", "medium", "high", "max"],
      supportsThinkingBudgetTokens: true,
      supportsSkills: false,
      supportsAgentsMd: true,
      supportsSubagentDispatch: true,
      supportsStdinInjection: true,
      supportsImageInput: false,
      supportsFileAttachments: false,
      requiresGitRepo: false,
      requiresPty: false,
    },
  },
  dialects: [
    {
      name: "loop",
      recognises: () => false,
      streams: { text: true, toolCalls: true, thinking: true },
      canAsk: true,
      reportsUsage: true,
      createMachine: noWire,
      live: { command: "", takes, launch: noWire, createDriver: noWire },
    },
  ],
};
