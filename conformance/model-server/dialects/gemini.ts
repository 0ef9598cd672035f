import type { Block, Stop, Usage } from "../script.ts";
import { type Dialect, pieces, type Reply } from "./dialect.ts";

/** Gemini generateContent and streamGenerateContent. Gemini never splits a tool call. */
export const gemini: Dialect = {
  name: "gemini",

  stream(reply) {
    return [
      ...reply.blocks.flatMap(streamedParts).map((part) => ({ data: response(reply, [part]), isDelta: true })),
      { data: reply.failure ? this.refuse({ status: 503, ...reply.failure }) : response(reply, [{ text: "" }], true) },
    ];
  },

  whole(reply) {
    return response(reply, reply.blocks.map(wholePart), true);
  },

  refuse({ status, message, code }) {
    return { error: { code: status, message, status: code ?? ERRORS[status] ?? "INTERNAL" } };
  },
};

function streamedParts(block: Block): object[] {
  if (block.type === "tool") return [wholePart(block)];
  return pieces(block.text, block.deltas).map((text) => wholePart({ ...block, text }));
}

function wholePart(block: Block): object {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "thinking":
      return { text: block.text, thought: true };
    case "tool":
      if (typeof block.input === "string") {
        throw new Error(`Gemini calls "${block.name}" with an object, never a string. Give the script an object.`);
      }
      return {
        functionCall: { ...(block.id !== undefined && { id: block.id }), name: block.name, args: block.input },
        ...(block.signature !== undefined && { thoughtSignature: block.signature }),
      };
  }
}

function response(reply: Reply, parts: readonly object[], isLast = false) {
  const candidate = {
    content: { role: "model", parts },
    ...(isLast && { finishReason: STOPS[reply.stop] }),
    index: 0,
  };
  return {
    candidates: [candidate],
    ...(isLast && { usageMetadata: usage(reply.usage) }),
    modelVersion: reply.model,
    responseId: `response-${reply.id}`,
  };
}

function usage({ input, output, cacheRead, thinking }: Usage) {
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - thinking,
    thoughtsTokenCount: thinking,
    totalTokenCount: input + output,
  };
}

const STOPS: Record<Stop, string> = { end: "STOP", tool: "STOP", length: "MAX_TOKENS", refused: "SAFETY" };

const ERRORS: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
