import type { LaunchRequest, LiveDialect } from "../machine.ts";

/** Cursor on one prompt, printing as it goes. */
export const cursorLive: LiveDialect = {
  command: "cursor-agent",
  takes: ["model", "resume"],
  refuses: {
    mcpServers: "Cursor has the MCP servers of its own settings on this wire; over ACP it can be given others.",
  },
  unasked: "Cursor asks nothing on this wire: what its rules do not allow is refused. Over ACP it asks.",
  deny: { how: "`--mode ask`: it only reads" },
  launch: ({ prompt, model, resume, approve }) => ({
    args: [
      // In a folder it does not know it would wait for trust.
      ...["-p", "--output-format", "stream-json", "--stream-partial-output", "--trust"],
      ...permission[approve],
      ...(model === undefined ? [] : ["--model", model]),
      // The value is optional: it must not be an argument of its own.
      ...(resume === undefined ? [] : [`--resume=${resume}`]),
      prompt,
    ],
    allow: ["CURSOR_*"],
    stdin: "ignore",
  }),
  createDriver: () => ({ endsWithInput: true, open: () => [] }),
};

const permission: Record<LaunchRequest["approve"], readonly string[]> = {
  ask: [],
  auto: ["--force"],
  deny: ["--mode", "ask"],
};
