import type { Ending, Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { endingOfError, factsOfParts } from "./opencode-parts.ts";
import { readOpencodeServer } from "./opencode-server.ts";

/** OpenCode tells parts of messages: printed when they are done, listed in a session, or told as they change. */
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

/** What a compaction sums up is printed as if it were said: all between what was too much and the words to go on. */
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

/** Refusals are told as failures. A tool that is not there may have been taken away, which nothing tells. */
function refusalsOf(parts: readonly Value[]): Pick<Facts, "approvals"> {
  if (parts.some((part) => part.at("tool").is("invalid"))) return {};
  const refused = parts.filter((part) => REFUSED.test(part.at("state", "error").text ?? ""));
  return { approvals: refused.map(() => ({ granted: false })) };
}

const REFUSED = /^The user (rejected permission|has specified a rule which prevents)/;

/** A step that is no last one may be followed by nothing for several reasons. */
function endingOf(last: Value | undefined): Ending | undefined {
  if (last?.at("type").is("error")) return endingOfError(last.at("error"));
  const reason = last?.at("part", "reason");
  return reason?.exists && !reason.is("tool-calls") ? "completed" : undefined;
}
