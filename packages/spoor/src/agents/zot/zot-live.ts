import type { Driver, LaunchRequest, LiveDialect } from "../machine.ts";

/** Runs zot as a process that reads its standard input. It stores no session then. */
export const zotLive: LiveDialect = {
  command: "zot",
  takes: ["model", "systemPrompt", "systemPromptReplace", "thinkingEffort", "images"],
  refuses: { resume: "In this dialect zot stores no sessions." },
  askWarning: "zot runs its tools without asking. With `--approve deny` it has only the tool that reads.",
  deny: { how: "it has only the tool that reads" },
  launch: (request) => ({
    args: ["rpc", ...argsOf(request)],
    // ZOTCORE_RPC_TOKEN is not passed on: without it zot requires no token.
    allow: ["ZOT_*", "ANTHROPIC_*", "OPENAI_*", "DEEPSEEK_*", "GEMINI_*", "GOOGLE_*", "KIMI_*", "MOONSHOT_*"],
    stdin: "pipe",
  }),
  createDriver,
};

function argsOf({ model, systemPrompt, systemPromptMode, thinkingEffort, maxTurns, approve }: LaunchRequest): string[] {
  const [, provider, name] = /^([^/]+)\/(.+)$/.exec(model ?? "") ?? [undefined, undefined, model];
  return [
    ...(provider === undefined ? [] : ["--provider", provider]),
    ...(name === undefined ? [] : ["--model", name]),
    ...(systemPrompt === undefined
      ? []
      : [systemPromptMode === "replace" ? "--system-prompt" : "--append-system-prompt", systemPrompt]),
    ...(thinkingEffort === undefined ? [] : ["--reasoning", thinkingEffort]),
    ...(maxTurns === undefined ? [] : ["--max-steps", `${maxTurns}`]),
    ...(approve === "deny" ? ["--tools", "read"] : []),
  ];
}

function createDriver({ prompt, attachments = [] }: LaunchRequest): Driver {
  const images = attachments.flatMap((attachment) =>
    "base64" in attachment ? [{ mime_type: attachment.mimeType, data: attachment.base64 }] : [],
  );
  let follows = 0;
  return {
    endsWithInput: true,
    // The response to `hello` names the model.
    open: () => [
      '{"id":"hello","type":"hello"}',
      JSON.stringify({ id: "prompt", type: "prompt", message: prompt, ...(images.length > 0 && { images }) }),
    ],
    follow: (message) => [JSON.stringify({ id: `prompt-${++follows}`, type: "prompt", message })],
    interrupt: () => ['{"id":"abort","type":"abort"}'],
  };
}
