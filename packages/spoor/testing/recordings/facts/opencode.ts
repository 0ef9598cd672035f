import type { Ending, Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { endingOfError, factsOfParts } from "./opencode-parts.ts";
import { readOpencodeServer } from "./opencode-server.ts";

/** OpenCode reports parts of messages: printed when they are finished, listed in a session, or sent as they change. */
export function readOpencode(frames: readonly RecordedFrame[]): Facts {
  const out = frames.map(({ frame }) => frame);
  if (out.some((frame) => frame.at("properties").exists)) return readOpencodeServer(out);
  return out.some((frame) => frame.at("parts").exists) ? readSession(out) : readPrinted(out);
}

function readSession(messages: readonly Value[]): Facts {
  const answers = messages.filter((message) => message.at("info", "role").is("assistant"));
  const last = answers.at(-1)?.at("info");
  const ending = last?.at("error").exists ? endingOfError(last.at("error")) : "completed";
  const parts = answers.flatMap((message) => message.at("parts").list);
  return { ...factsOfParts(parts, () => true), ...refusalsOf(parts), ...(last && { endings: [ending] }) };
}

/**
 * The summary of a compaction is printed like a message: everything between the overflow and the text that continues.
 */
function readPrinted(out: readonly Value[]): Facts {
  const isTooMuch = (frame: Value) => frame.at("error", "name").is("ContextOverflowError");
  const summed = out.findLastIndex((frame) => frame.at("part", "metadata", "compaction_continue").raw === true);
  const from = out.slice(0, Math.max(summed, 0)).findLastIndex(isTooMuch);
  const isSummary = (index: number) => from >= 0 && index > from && index < summed;
  const said = out.filter((frame, index) => !(isSummary(index) && frame.at("type").is("text")));
  const ending = endingOf(out.at(-1));
  const parts = said.map((frame) => frame.at("part"));
  return { ...factsOfParts(parts, () => true), ...refusalsOf(parts), ...(ending && { endings: [ending] }) };
}

/** Refusals are reported as failures. An unknown tool may have been removed by a rule, which nothing shows. */
function refusalsOf(parts: readonly Value[]): Pick<Facts, "approvals"> {
  if (parts.some((part) => part.at("tool").is("invalid"))) return {};
  const refused = parts.filter((part) => REFUSED.test(part.at("state", "error").text ?? ""));
  return { approvals: refused.map(() => ({ granted: false })) };
}

const REFUSED = /^The user (rejected permission|has specified a rule which prevents)/;

/** Several reasons may explain why nothing follows a step that is not the last. */
function endingOf(last: Value | undefined): Ending | undefined {
  if (last?.at("type").is("error")) return endingOfError(last.at("error"));
  const reason = last?.at("part", "reason");
  return reason?.exists && !reason.is("tool-calls") ? "completed" : undefined;
}
