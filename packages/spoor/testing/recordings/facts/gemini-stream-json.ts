import { distinct, type Ending, type Facts, type FileFact } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { type ToolFact, ToolList, wordsOf } from "./tool-facts.ts";

/** Gemini CLI prints pieces of messages, calls and results, and one result per prompt. It reports no cost. */
export function readGemini(frames: readonly RecordedFrame[]): Facts {
  const out = frames.map(({ frame }) => frame);
  const said = out.filter((frame) => frame.at("type").is("message") && frame.at("role").is("assistant"));
  const results = out.filter((frame) => frame.at("type").is("result"));
  const tools = toolsOf(out);
  const sum = (field: string) => results.reduce((all, frame) => all + (frame.at("stats", field).number ?? 0), 0);
  return {
    said: said.map((frame) => frame.at("content").text ?? "").join(""),
    tools,
    files: tools.flatMap(fileOf),
    // A prompt that ends successfully without text has failed; only the adapter infers how.
    ...(results.length > 0 &&
      out.at(-2)?.at("type").is("tool_result") !== true && { endings: distinct(results.map(endingOf)) }),
    ...(results.length > 0 && {
      tokens: { input: sum("input_tokens"), output: sum("output_tokens") },
    }),
  };
}

function toolsOf(out: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const frame of out) {
    const id = frame.at("tool_id").text;
    if (id === undefined) continue;
    if (frame.at("type").is("tool_use")) {
      tools.tell({ id, name: nameOf(frame.at("tool_name").text ?? ""), input: frame.at("parameters").raw });
    }
    if (frame.at("type").is("tool_result")) {
      const result = wordsOf(frame.at("error", "message").raw ?? frame.at("output").raw);
      tools.tell({ id, failed: !frame.at("status").is("success"), ...(result !== undefined && { result }) });
    }
  }
  return tools.all;
}

const nameOf = (name: string): string => name.replace(/^mcp_([^_]+)_(.+)$/, "$1/$2");

/** Only the input names files; nothing shows whether a written file was new. */
function fileOf({ name, input, failed }: ToolFact): FileFact[] {
  const { file_path: path } = (input ?? {}) as { file_path?: string };
  const op = ({ read_file: "read", write_file: "write", replace: "patch" } as const)[name ?? ""];
  return failed === false && op && path ? [{ op, path }] : [];
}

function endingOf(result: Value): Ending {
  if (result.at("status").is("success")) return "completed";
  const words = JSON.stringify(result.at("error").raw ?? "");
  if (/API_KEY_INVALID|UNAUTHENTICATED|\b401\b/.test(words)) return "auth";
  if (/RESOURCE_EXHAUSTED|quota|\b429\b/i.test(words)) return "rate_limit";
  if (/token count|exceeds the maximum/i.test(words)) return "context";
  if (/max.*turns/i.test(words)) return "turn_limit";
  return "error";
}
