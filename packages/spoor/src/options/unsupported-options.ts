/** Options of similar tools that no agent supports, each with what to do instead. */
const advice: Readonly<Record<string, string>> = {
  temperature: "agents choose it themselves",
  topP: "agents choose it themselves",
  topK: "agents choose it themselves",
  maxTokens: "use maxOutputTokens",
  thinkingOverride: "use thinkingEffort or thinkingBudgetTokens",
  outputFormat: "a run gives events; ask for a format in the prompt",
  agentsDoc: "use systemPrompt, or put the file where the agent looks for it",
  projectId: "use tags",
};

export const isUnsupported = (name: string): boolean => Object.hasOwn(advice, name);

export const unsupportedMessage = (name: string): string => `No agent supports ${name}: ${advice[name]}.`;
