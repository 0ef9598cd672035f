import { parseObject } from "../../agents/kit/json-values.ts";

/** Which parts of a run are recorded. */
export interface RecordedParts {
  /** Whether thinking is recorded. */
  record_thinking?: boolean;
  /** Whether the input of a tool call is recorded while it streams. The complete input is always recorded. */
  record_tool_input?: boolean;
}

/** How dialects name the hidden parts, in the fields that give the type of a frame. */
const labels = { thinking: /think|thought|reasoning/i, toolInput: /^input_json_delta$|tool_?call_?delta/i };
/** Every line with a hidden part contains one of these. */
const traces = {
  thinking: "[Tt]hink|[Tt]hought|[Rr]easoning|encrypted_content",
  toolInput: "json_delta|[Cc]all_?[Dd]elta",
};
const labelFields = ["type", "sessionUpdate", "method"];
/** Fields that hold text, in frames of such a type. */
const wordFields = new Set(["text", "thinking", "delta", "content", "summary", "partial_json", "partial"]);
/** Fields that hold thinking in any frame. */
const thoughtFields = new Set(["thinking", "reasoning", "reasoning_content", "thought"]);
const signatureFields = new Set(["signature", "thinkingSignature", "encrypted_content"]);

/** Blanks the parts of a raw line that are not to be recorded. The rest of the line is unchanged, and it stays valid JSON. */
export function createHiding({ record_thinking, record_tool_input }: RecordedParts): (line: string) => string {
  if (record_thinking && record_tool_input) return (line) => line;
  const hidesThinking = !record_thinking;
  const hidden = [...(record_thinking ? [] : [labels.thinking]), ...(record_tool_input ? [] : [labels.toolInput])];
  const mayHide = new RegExp(
    [...(record_thinking ? [] : [traces.thinking]), ...(record_tool_input ? [] : [traces.toolInput])].join("|"),
  );

  /** Whether the current line lost any text. */
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
      // Keep the line when nothing was blanked: serialising it again could change numbers and repeated names.
      return isBlanked ? JSON.stringify(rest) : line;
    } catch {
      // The line is nested too deep to be searched. Drop it rather than record a hidden part.
      return "{}";
    }
  };
}
