import type { LaunchRequest, LiveDialect } from "../machine.ts";

/** Runs Cursor on one prompt. */
export const cursorLive: LiveDialect = {
  command: "cursor-agent",
  takes: ["model", "resume"],
  refuses: {
    mcpServers:
      "In this dialect Cursor has only the MCP servers of its own settings. Use `--dialect acp` to pass others.",
  },
  askWarning:
    "Cursor does not ask in this dialect: it refuses what its rules do not allow. It asks with `--dialect acp`.",
  deny: { how: "`--mode ask`: it only reads" },
  launch: ({ prompt, model, resume, approve }) => ({
    args: [
      // Without `--trust` it would wait for confirmation in an unknown folder.
      ...["-p", "--output-format", "stream-json", "--stream-partial-output", "--trust"],
      ...permission[approve],
      ...(model === undefined ? [] : ["--model", model]),
      // The value is optional, so it must be part of the same argument.
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
