import type { Envelope } from "@spoor/protocol";
import { zotTranslator } from "../zot.ts";
import type { ZotBlock, ZotEvent } from "../zot-events.ts";

/** What an agent is asked when its conversation shall become shorter. */
export const SUM_UP: string =
  "Sum up our conversation so far for somebody who goes on with it: what was asked, what was found and decided, which files " +
  "matter, and what is left to do. Use no tools, change nothing, and answer with the summary alone.";

/** What came of a run that sums a conversation up. */
export type Summary = { summary: string } | { failure: string };

/** Reads such a run to its end. Half a summary is none: the run must have ended well. */
export async function readSummary(
  run: AsyncIterable<Envelope>,
  take: (event: ZotEvent, envelope: Envelope) => void,
): Promise<Summary> {
  const { translate } = zotTranslator();
  let summary = "";
  let failure = "the run that sums up did not end well";
  try {
    for await (const envelope of run) {
      for (const event of translate(envelope)) {
        take(event, envelope);
        if (event.type === "assistant_message") summary = wordsOf(event) || summary;
        if (event.type === "error") failure = String(event.message);
      }
      if (envelope.type === "run.finished") failure = summary === "" ? "the agent said nothing" : "";
    }
  } catch (error) {
    failure = `the run cannot be followed: ${(error as Error).message}`;
  }
  return failure === "" ? { summary } : { failure };
}

const wordsOf = ({ content }: ZotEvent): string =>
  (content as readonly ZotBlock[]).map((block) => (block.type === "text" ? String(block.text) : "")).join("");
