export interface SseFrame {
  event: string;
  id: string | undefined;
  data: string;
}

/** Parses server-sent events as the standard says, from text in any portions. Frames without data are dropped. */
export function createSseReader(): { feed(text: string): SseFrame[]; comments: string[]; retry: number | undefined } {
  let rest = "";
  let event = "";
  let id: string | undefined;
  let data: string[] = [];
  const reader = { feed, comments: [] as string[], retry: undefined as number | undefined };

  function feed(text: string): SseFrame[] {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    return lines.flatMap((line) => {
      if (line === "") {
        const frame = { event: event || "message", id, data: data.join("\n") };
        const isFrame = data.length > 0;
        event = "";
        id = undefined;
        data = [];
        return isFrame ? [frame] : [];
      }
      const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "") reader.comments.push(value);
      if (field === "event") event = value;
      if (field === "id") id = value;
      if (field === "data") data.push(value);
      if (field === "retry") reader.retry = Number(value);
      return [];
    });
  }
  return reader;
}

/** All frames of a response that ends. */
export async function framesOf(response: Response): Promise<SseFrame[]> {
  return createSseReader().feed(await response.text());
}

/** Yields the frames of a stream that stays open. Leaving the loop closes the connection. */
export async function* liveFrames(response: Response): AsyncGenerator<SseFrame> {
  const reader = createSseReader();
  const decoder = new TextDecoder();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    yield* reader.feed(decoder.decode(chunk, { stream: true }));
  }
}
