import type { Facts, FileFact } from "./facts.ts";
import { type RecordedFrame, Value } from "./frames.ts";
import { lineDiff } from "./line-diff.ts";
import { readPi } from "./pi.ts";

/** omp prints the same frames as pi and more: its own questions, nested frames of its subagents, edits by tag. */
export function readOmp(frames: readonly RecordedFrame[]): Facts {
  const plain = frames.map(({ dir, frame }) => ({ dir, frame: confirmed(frame) }));
  const below = frames
    .filter(({ frame }) => frame.at("type").is("subagent_event"))
    .map(({ dir, frame }) => ({ dir, frame: frame.at("payload", "event") }));
  const { endings, ...facts } = readPi(plain);
  const tools = [...(facts.tools ?? []), ...(readPi(below).tools ?? [])].map((tool) => ({
    ...tool,
    ...(tool.name !== undefined && { name: tool.name.replace(/^mcp__([^_]+)_/, "$1/") }),
  }));
  const pieces = frames
    .map(({ frame }) => frame.at("assistantMessageEvent"))
    .filter((event) => event.at("type").is("text_delta"))
    .map((event) => event.at("delta").text ?? "");
  return {
    ...facts,
    // A failed message is repeated without its text.
    ...(pieces.length > 0 && { said: pieces.join("") }),
    tools,
    files: frames.flatMap(({ frame }) => filesOf(frame, facts)),
    subagents: new Set(frames.flatMap(({ frame }) => agentsOf(frame))).size,
    ...(endings && isWhole(frames) && { endings }),
  };
}

/** A choice between these two is a yes-or-no question. */
function confirmed(frame: Value): Value {
  const raw = frame.raw as object;
  if (frame.at("method").is("select") && frame.at("options", 0).is("Approve")) {
    return new Value({ ...raw, method: "confirm" });
  }
  if (frame.at("value").is("Approve")) return new Value({ ...raw, confirmed: true });
  return frame;
}

/** Whether the agent ended as often as it began, apart from attempts that are retried. */
function isWhole(frames: readonly RecordedFrame[]): boolean {
  const marks = frames.filter(({ frame }) => frame.at("type").is("agent_start", "agent_end"));
  return marks.at(-1)?.frame.at("type").is("agent_end") ?? false;
}

/** The subagents that a call started. */
const agentsOf = (frame: Value): (string | undefined)[] =>
  frame.at("type").is("tool_execution_end") && frame.at("toolName").is("task")
    ? frame.at("result", "details", "progress").list.map((agent) => agent.at("id").text)
    : [];

function filesOf(frame: Value, { tools = [] }: Facts): FileFact[] {
  if (!frame.at("type").is("tool_execution_end") || frame.at("isError").raw === true) return [];
  const call = tools.find(({ id }) => id === frame.at("toolCallId").text);
  const path = (call?.input as { path?: string } | undefined)?.path;
  const name = frame.at("toolName");
  if (name.is("read") && path) return [{ op: "read", path }];
  if (name.is("write") && path) return [{ op: "write", path }];
  const details = frame.at("result", "details");
  const changed = details.at("path").text;
  if (!name.is("edit") || changed === undefined) return [];
  return [
    { op: "patch", path: changed, lines: lineDiff(details.at("oldText").text ?? "", details.at("newText").text ?? "") },
  ];
}
