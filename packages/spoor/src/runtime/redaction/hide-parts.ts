import { parseObject } from "../../agents/kit/json-values.ts";

export interface RecordedParts {
  /** Whether what the agent thinks is recorded. */
  record_thinking?: boolean;
  /** Whether a call's input is recorded while it is being written; complete, it always is. */
  record_tool_input?: boolean;
}

/** How wires name what is hidden, in the fields that say what a frame is. */
const labels = { thinking: /think|thought|reasoning/i, toolInput: /^input_json_delta$|tool_?call_?delta/i };
/** Something of this is in every line that holds such a thing. */
const traces = {
  thinking: "[Tt]hink|[Tt]hought|[Rr]easoning|encrypted_content",
  toolInput: "json_delta|[Cc]all_?[Dd]elta",
};
const labelFields = ["type", "sessionUpdate", "method"];
/** Fields that hold words, of frames so named. */
const wordFields = new Set(["text", "thinking", "delta", "content", "summary", "partial_json", "partial"]);
/** Fields that hold thoughts in any frame. */
const thoughtFields = new Set(["thinking", "reasoning", "reasoning_content", "thought"]);
const signatureFields = new Set(["signature", "thinkingSignature", "encrypted_content"]);

/** Blanks, in a native line, the words of what is not to be recorded. The line stays what it was otherwise, and valid JSON. */
export function createHiding({ record_thinking, record_tool_input }: RecordedParts): (line: string) => string {
  if (record_thinking && record_tool_input) return (line) => line;
  const hidesThinking = !record_thinking;
  const hidden = [...(record_thinking ? [] : [labels.thinking]), ...(record_tool_input ? [] : [labels.toolInput])];
  const mayHide = new RegExp(
    [...(record_thinking ? [] : [traces.thinking]), ...(record_tool_input ? [] : [traces.toolInput])].join("|"),
  );

  /** Whether anything was. */
  let isBlanked = false;

  function blank(value: unknown, isHidden: boolean): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => blank(item, isHidden));
    const here = isHidden || labelFields.some((name) => isLabel((value as Record<string, unknown>)[name]));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        isWord(name, here) ? blankWord(item, here) : blank(item, here),
      ]),
    );
  }

  const isLabel = (label: unknown): boolean =>
    typeof label === "string" && hidden.some((pattern) => pattern.test(label));

  const isWord = (name: string, isHidden: boolean): boolean =>
    (isHidden && wordFields.has(name)) || (hidesThinking && (thoughtFields.has(name) || signatureFields.has(name)));

  function blankWord(value: unknown, isHidden: boolean): unknown {
    if (typeof value === "string") {
      isBlanked ||= value !== "";
      return "";
    }
    if (Array.isArray(value)) return value.map((item) => blankWord(item, isHidden));
    return blank(value, isHidden);
  }

  return (line) => {
    if (!mayHide.test(line)) return line;
    try {
      const frame = parseObject(line);
      if (!frame) return line;
      isBlanked = false;
      const rest = blank(frame, false);
      // Written anew it would not be the same: numbers have digits, and objects names, that no program keeps.
      return isBlanked ? JSON.stringify(rest) : line;
    } catch {
      // Nested without end: better nothing of it than all.
      return "{}";
    }
  };
}
