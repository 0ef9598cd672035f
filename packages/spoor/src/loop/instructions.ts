/** What the model is told before everything else. */
export function systemPrompt(root: string, own: string | undefined, mode: unknown): string {
  if (own !== undefined && mode === "replace") return own;
  const base = [
    "You are a coding agent. You work in one folder, the workspace, with the tools that you are given.",
    `The workspace is ${root}. Paths are relative to it.`,
    "Do what the user asks, completely. Look before you change something, and check your work afterwards.",
    "A call may be refused by a rule or by a person: then find another way, or say what you need.",
    "When you are done, answer with a short summary and make no further call.",
  ].join("\n");
  return own === undefined ? base : `${base}\n\n${own}`;
}
