import type { Writable } from "node:stream";
import { createDecoder, type Envelope, isEnvelopeType } from "@spoor/protocol";
import { brief, createRenderer } from "../output/event-renderer.ts";
import { createScreen, type Screen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { linesByType, silentTypes } from "./envelope-lines.ts";

export interface RenderOptions {
  /** The run's agent; a reader may join after the event that names it. */
  agent: string;
  screen?: Screen;
}

/**
 * Shows a recorded run to a person: what the agent said and did, as `spoor run` shows it, and what only the log contains:
 * prompts, decisions, gaps, and events of other programs or newer versions. Every type is shown unless it is listed as silent.
 */
export function createEnvelopeRenderer(output: Writable, { agent, screen = createScreen(output) }: RenderOptions) {
  const decoder = createDecoder({ state: { agent, session: "open", texts: [] } });
  const render = createRenderer(output, screen);

  return (envelope: Envelope): void => {
    const { type, data } = envelope;
    // The decoder keeps state, so it must see every envelope.
    const event = decoder.decode(envelope);
    if (type.startsWith("gap.")) screen.line(`━━━ gap: ${terminalSafe(gapOf(envelope))} ━━━`);
    else if (isEnvelopeType(type) && silentTypes.has(type)) return;
    else if (isEnvelopeType(type) && linesByType[type]) for (const line of linesByType[type](data)) screen.line(line);
    else if (event) render(event);
    else screen.line(`◆ ${terminalSafe(type)} ${brief(JSON.stringify(data))}`);
  };
}

/** Says what is missing, or what went wrong with the recording. */
function gapOf({ type, data }: Envelope): string {
  const { reason, message, first_pruned_sequence, last_pruned_sequence, first_lost_sequence, last_lost_sequence } =
    data;
  if (type === "gap.events_pruned") {
    return `events ${first_pruned_sequence} to ${last_pruned_sequence} were pruned (${reason}, ${data.pruned_at})`;
  }
  if (type === "gap.events_lost") return `events ${first_lost_sequence} to ${last_lost_sequence} are lost (${reason})`;
  if (type === "gap.run_disconnected") return `the run lost its process (${reason})${message ? `: ${message}` : ""}`;
  if (type === "gap.artifact_capped") {
    return `${data.size_bytes} bytes exceed the limit of ${data.limit_bytes}${message ? `: ${message}` : ""}`;
  }
  return `${type.slice("gap.".length)} ${brief(JSON.stringify(data))}`;
}
