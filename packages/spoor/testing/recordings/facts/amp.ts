import { readClaude } from "./claude-stream-json.ts";
import type { Facts } from "./facts.ts";
import type { RecordedFrame } from "./frames.ts";

/** Amp prints the same frames as Claude Code; its result counts all model calls, and a command's result is JSON. */
export function readAmp(frames: readonly RecordedFrame[], argv: readonly string[]): Facts {
  const facts = readClaude(frames, argv);
  const usage = frames.findLast(({ frame }) => frame.at("type").is("result"))?.frame.at("usage");
  const sum = (...names: string[]) => names.reduce((all, name) => all + (usage?.at(name).number ?? 0), 0);
  return {
    ...facts,
    tools: (facts.tools ?? []).map((tool) => ({ ...tool, ...(tool.name === "Bash" && exitOf(tool.result)) })),
    ...(usage?.exists && {
      tokens: {
        input: sum("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        output: sum("output_tokens"),
      },
    }),
  };
}

function exitOf(result = ""): { exitCode?: number } {
  const exitCode = /^\{.*"exitCode":(\d+)\}$/s.exec(result)?.[1];
  return exitCode === undefined ? {} : { exitCode: Number(exitCode) };
}
