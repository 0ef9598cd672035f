import { readAcp } from "./acp.ts";
import type { Facts } from "./facts.ts";
import type { RecordedFrame } from "./frames.ts";

/**
 * Over ACP Copilot reports its own remarks as messages of the model, each in one piece, and ends a failed prompt as
 * successful.
 */
export function readCopilotAcp(frames: readonly RecordedFrame[]): Facts {
  const texts = frames.map(({ frame }) => frame.at("params", "update", "content", "text").text ?? "");
  const facts = readAcp(frames.filter((_, index) => !/^(Info|Error): /.test(texts[index] ?? "")));
  const failure = texts.findLast((text) => text.startsWith("Error: "));
  if (failure === undefined) return facts;
  return { ...facts, endings: [/\b401\b/.test(failure) ? "auth" : "error"] };
}
