import type { Block } from "../script.ts";
import { argumentsText, type Reply } from "./dialect.ts";

/** The complete output item of a block. */
export function wholeItem(reply: Reply, block: Block, index: number) {
  const own = `${reply.id}_${index}`;
  switch (block.type) {
    case "text":
      return {
        type: "message",
        id: `msg_${own}`,
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: block.text, annotations: [], logprobs: [] }],
      };
    case "thinking":
      return {
        type: "reasoning",
        id: `rs_${own}`,
        summary: [{ type: "summary_text", text: block.text }],
        encrypted_content: "c2NyaXB0ZWQ=",
      };
    case "tool": {
      const isFreeform = typeof block.input === "string";
      return {
        type: isFreeform ? "custom_tool_call" : "function_call",
        id: `${isFreeform ? "ctc" : "fc"}_${own}`,
        status: "completed",
        call_id: block.id ?? `call_${own}`,
        ...(block.namespace !== undefined && { namespace: block.namespace }),
        name: block.name,
        [isFreeform ? "input" : "arguments"]: argumentsText(block),
      };
    }
  }
}

/** The same item as it is announced, before its content. */
export function openItem(item: ReturnType<typeof wholeItem>): object {
  const emptied = Object.entries(item).map(([key, value]) => [key, EMPTY[key] ?? value]);
  return Object.fromEntries(emptied);
}

const EMPTY: Record<string, unknown> = { status: "in_progress", content: [], summary: [], arguments: "", input: "" };
