import type { Client, Json, Understood } from "./clients.ts";

export const readGemini: Pick<Client, "readStream" | "readWhole" | "errorMessage"> = {
  readStream(events) {
    const chunks: Json[] = events.map(({ data }) => JSON.parse(data));
    const last = chunks.at(-1);
    const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
    return this.readWhole({ ...last, candidates: [{ ...last.candidates[0], content: { parts } }] });
  },

  readWhole({ candidates, usageMetadata }): Understood {
    const parts: Json[] = candidates[0].content.parts;
    const said = (isThought: boolean) =>
      parts.filter(({ text, thought = false }) => text !== undefined && thought === isThought).map(({ text }) => text);
    return {
      text: said(false).join(""),
      thinking: said(true).join(""),
      calls: parts
        .filter(({ functionCall }) => functionCall !== undefined)
        .map(({ functionCall: { name, args, id } }) => ({ name, input: args, id })),
      stop: candidates[0].finishReason,
      usage: {
        input: usageMetadata.promptTokenCount,
        output: usageMetadata.candidatesTokenCount + usageMetadata.thoughtsTokenCount,
        cacheRead: usageMetadata.cachedContentTokenCount,
      },
    };
  },

  errorMessage: (body) => body.error.message,
};
