import type { Ending, Facts, FileFact } from "./facts.ts";
import { type RecordedFrame, Value } from "./frames.ts";
import { readPiLog } from "./pi-log.ts";

/** OpenClaw prints the result of a run as one document, or a session as messages like pi's. */
export function readOpenclawDocument(frames: readonly RecordedFrame[]): Facts {
  const document = frames[0]?.frame ?? new Value(undefined);
  return document.at("messages").exists ? readHistory(document.at("messages").list) : readOutcome(document);
}

/** `agent exec` puts the totals at the top, `agent --local` below. Both only count their tool calls. */
function readOutcome(document: Value): Facts {
  const sums = document.at("ok").exists ? document : document.at("meta", "agentMeta");
  const usage = (...names: string[]) => names.reduce((all, name) => all + (sums.at("usage", name).number ?? 0), 0);
  return {
    said: document
      .at("payloads")
      .list.map((payload) => payload.at("text").text ?? "")
      .join(""),
    endings: [endingOf(document)],
    tokens: { input: usage("input", "cacheRead", "cacheWrite"), output: usage("output") },
    costUsd: sums.at("costUsd").number ?? 0,
  };
}

function endingOf(document: Value): Ending {
  if (document.at("meta", "aborted").raw === true) return "interrupted";
  if (document.at("ok").raw !== false) return "completed";
  return /\b401\b/.test(document.at("error", "message").text ?? "") ? "auth" : "error";
}

function readHistory(messages: readonly Value[]): Facts {
  const entries = messages.map((message) => new Value({ type: "message", message: message.raw }));
  const facts = readPiLog(entries.map((frame) => ({ dir: "out", frame })));
  return { ...facts, files: messages.flatMap((message) => filesOf(message, facts)) };
}

function filesOf(result: Value, { tools = [] }: Facts): FileFact[] {
  if (!result.at("role").is("toolResult") || result.at("isError").raw === true) return [];
  const input = new Value(tools.find(({ id }) => id === result.at("toolCallId").text)?.input);
  const name = result.at("toolName");
  const path = input.at("path").text;
  if (name.is("apply_patch")) return [...(input.at("input").text ?? "").matchAll(ADDED)].map(added);
  if (path === undefined) return [];
  if (name.is("read")) return [{ op: "read", path }];
  if (name.is("write")) return [{ op: result.at("details", "created").raw === true ? "create" : "write", path }];
  return name.is("edit") ? [{ op: "patch", path, lines: linesOf(result.at("details", "diff").text ?? "") }] : [];
}

/** The recordings contain only patches that add files. */
const ADDED = /^\*\*\* Add File: (.*)$/gm;
const added = ([, path = ""]: RegExpExecArray): FileFact => ({ op: "create", path });

/** Each changed line has its number after its sign. */
const linesOf = (diff: string): string[] =>
  diff
    .split("\n")
    .filter((line) => /^[+-]/.test(line))
    .map((line) => line.replace(/^(.)\s*\d+ /, "$1"));
