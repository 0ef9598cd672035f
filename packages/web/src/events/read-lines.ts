import type { Granularity } from "@spoor/protocol/api/values";

interface ReadOptions {
  /** Only events after this sequence. */
  after?: number;
  granularity?: Granularity;
  signal?: AbortSignal;
}

/** Reads stored events of a run. `each` gets every line as it is stored; false ends the reading. */
export type ReadLines = (options: ReadOptions, each: (line: string) => unknown) => Promise<void>;

/** Reads the events of one run in a single answer, piece by piece, so that the page stays awake meanwhile. */
export const linesOfRun =
  (runId: string): ReadLines =>
  async ({ after = -1, granularity = "delta", signal }, each) => {
    const query = new URLSearchParams({ after_sequence: String(after), granularity });
    const end = new AbortController();
    const answer = await fetch(`/v1/runs/${encodeURIComponent(runId)}/events?${query}`, {
      headers: { Accept: "application/x-ndjson" },
      signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal,
    });
    if (!answer.ok || !answer.body) throw new Error(`The server answered with status ${answer.status}.`);
    for await (const line of lines(answer.body)) {
      if (each(line) !== false) continue;
      end.abort();
      return;
    }
  };

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const pieces = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = pieces.pop() ?? "";
    for (const line of pieces) if (line !== "") yield line;
    if (done) break;
  }
  if (rest !== "") throw new Error("The answer of the server ended in the middle of an event.");
}
