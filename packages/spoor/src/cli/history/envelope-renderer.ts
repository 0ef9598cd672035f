import { createDecoder, type Envelope, isEnvelopeType, isTerminalRunType } from "@spoor/protocol";
import { fits } from "../output/line.ts";
import type { Screen } from "../output/screen.ts";
import { brief } from "../render/brief.ts";
import { type RenderOptions, RunRenderer } from "../render/run-renderer.ts";
import { endLine } from "../render/status-line.ts";
import { linesByType, type Shown, silentTypes } from "./envelope-lines.ts";
import { gapText } from "./gap-text.ts";

/**
 * Shows a recorded run to a person: what the agent said and did, as `spoor run` shows it, and what only the log contains:
 * prompts, decisions, gaps, and events of other programs or newer versions. Every type is shown unless it is listed as silent.
 */
export class EnvelopeRenderer {
  readonly run: RunRenderer;
  readonly #decoder: ReturnType<typeof createDecoder>;

  /** `agent` is the run's agent; a reader may join after the event that names it. */
  constructor(screen: Screen, { agent, ...options }: RenderOptions & { agent: string }) {
    this.#decoder = createDecoder({ state: { agent, session: "open", texts: [] } });
    this.run = new RunRenderer(screen, { ...options, isLog: true });
  }

  envelope(envelope: Envelope): void {
    const { type, data, occurred_at } = envelope;
    const { run } = this;
    const at = Date.parse(occurred_at);
    run.facts.startedAt ??= at;
    run.facts.lastAt = at;
    // The decoder keeps state, so it must see every envelope.
    const event = this.#decoder.decode(envelope);
    if (event) run.event(event);
    if (type.startsWith("gap.")) run.line([{ text: `╱╱ ${gapText(envelope)}`, role: "magenta", shrinks: "end" }]);
    else if (isTerminalRunType(type)) this.#end(envelope, at);
    else if (isEnvelopeType(type) && linesByType[type]) {
      for (const shown of linesByType[type](data)) this.#show(shown);
    } else if (!event && !(isEnvelopeType(type) && silentTypes.has(type)))
      run.line([
        "◆",
        { text: type, role: "strong" },
        { text: brief(JSON.stringify(data)), role: "dim", shrinks: "end" },
      ]);
  }

  #show(shown: Shown): void {
    const { run } = this;
    if ("whole" in shown) {
      if (fits(shown.whole, run.screen.style)) run.line(shown.whole);
      else for (const each of shown.otherwise) this.#show(each);
    } else if ("text" in shown) {
      run.flush();
      run.screen.paragraph(shown.text, shown.indent);
    } else run.line(shown);
  }

  #end({ type, data }: Envelope, at: number): void {
    const { run } = this;
    const { turns, cost_micros_usd, duration_ms, code, message, reason, by } = data as Record<string, unknown>;
    run.end();
    if (typeof turns === "number") run.facts.turn = turns;
    if (typeof cost_micros_usd === "number") run.facts.usd = cost_micros_usd / 1_000_000;
    if (typeof duration_ms === "number") run.facts.startedAt = at - duration_ms;
    const how = type === "run.failed" ? "failed" : type === "run.cancelled" ? "cancelled" : "completed";
    const why = [code, by && `by ${by}`, reason].filter((part) => typeof part === "string" && part !== "").map(brief);
    run.line([
      ...endLine(run.facts, { how, now: at }),
      ...why.map((text) => ({ text, join: " · ", shrinks: "end" as const })),
    ]);
    if (typeof message === "string" && message.trim() !== "") run.screen.paragraph(message.trimEnd(), "    ");
  }
}
