import { createRunFold, type Envelope } from "../packages/protocol/src/index.ts";
import { envelopesIn } from "../packages/spoor/src/log/envelopes.ts";
import type { Batch } from "../packages/spoor/src/log/feed/feed.ts";
import { acolyteTranslator } from "../packages/spoor/src/translators/acolyte/acolyte.ts";
import { acpTranslator } from "../packages/spoor/src/translators/acp/acp.ts";
import { agUiTranslator } from "../packages/spoor/src/translators/ag-ui/ag-ui.ts";
import { aiSdkTranslator } from "../packages/spoor/src/translators/ai-sdk/ai-sdk.ts";
import { cloudEventTranslator } from "../packages/spoor/src/translators/cloudevents.ts";
import { glasspaneTranslator } from "../packages/spoor/src/translators/glasspane/glasspane.ts";
import { createFold, piecesOf } from "../packages/spoor/src/translators/html/html.ts";
import { loadRenderer } from "../packages/spoor/src/translators/html/renderer.ts";
import { createShare } from "../packages/spoor/src/translators/html/share.ts";
import { markdownOf } from "../packages/spoor/src/translators/markdown/markdown.ts";
import { fillPage } from "../packages/spoor/src/translators/mcp/answers/page.ts";
import { resultOf } from "../packages/spoor/src/translators/mcp/answers/result.ts";
import { eventItem } from "../packages/spoor/src/translators/mcp/tools/read-run.ts";
import { traceOf } from "../packages/spoor/src/translators/otel/trace.ts";
import type { Translator } from "../packages/spoor/src/translators/translator.ts";
import { zotTranslator } from "../packages/spoor/src/translators/zot/zot.ts";
import { type Case, defineCase } from "./measure.ts";
import { mixedRun, stored } from "./streams.ts";

/** Languages whose messages are written one after the other. */
const translators: Readonly<Record<string, () => Translator<object>>> = {
  "a run as AG-UI": agUiTranslator,
  "a run as UI messages of the AI SDK": aiSdkTranslator,
  "a run as CloudEvents": cloudEventTranslator,
  "a run as events of Acolyte": acolyteTranslator,
  "a run as updates of ACP": acpTranslator,
  "a run as lines of zot": zotTranslator,
  "a run as panes of Glasspane": glasspaneTranslator,
};

/** How many events a feed hands over together. */
const BATCH_EVENTS = 512;

/**
 * Measures a run in each language against its events as they are: parsed, and written again, which is the least that a
 * translation does. All get the run in the batches of a feed, because the garbage of a reader that holds the whole run
 * would scatter the figures.
 */
export async function languageCases(turns: number): Promise<{ floor: Case<unknown>; work: Case<unknown>[] }[]> {
  const lines = stored(mixedRun(turns));
  const batches = lines.flatMap((_, n): Batch[] => {
    if (n % BATCH_EVENTS > 0) return [];
    const some = lines.slice(n, n + BATCH_EVENTS);
    const ranges = [[n, some.length]] as const;
    const bytes = Buffer.from(`${some.join("\n")}\n`);
    return [{ pieces: [{ run_id: "run_1", bytes, sequences: ranges, positions: ranges }], next: n + some.length - 1 }];
  });
  const given = () => batches;
  const translate = (create: () => Translator<object>) => (input: readonly Batch[]) => {
    const translator = create();
    let size = 0;
    for (const envelope of envelopes(input)) {
      for (const message of translator.translate(envelope)) size += JSON.stringify(message).length;
    }
    return size;
  };
  const renderer = await loadRenderer();
  const share = createShare("no such folder");
  const html = (input: readonly Batch[]) => {
    const run = createFold(share);
    for (const envelope of envelopes(input)) run.take(envelope);
    let size = 0;
    for (const piece of piecesOf(run.shown(), renderer, share)) size += piece.length;
    return size;
  };
  const markdown = (input: readonly Batch[]) => {
    const run = createRunFold();
    for (const envelope of envelopes(input)) run.fold(envelope);
    return markdownOf(run.snapshot()).length;
  };
  const trace = (input: readonly Batch[]) => JSON.stringify(traceOf(envelopes(input), { attributes: [] })).length;
  const same: Translator<Envelope> = { translate: (envelope) => [envelope], cut: () => [] };
  const floor = defineCase(
    "its events parsed and written",
    given,
    translate(() => same),
  );
  // The page leaves much garbage, whose collection must not count for the others.
  return [
    { floor, work: Object.entries(translators).map(([name, create]) => defineCase(name, given, translate(create))) },
    {
      floor,
      work: [
        defineCase("a run as a trace of OpenTelemetry", given, trace),
        defineCase("a run as Markdown", given, markdown),
        defineCase("a run as pages of MCP", given, mcpPages),
      ],
    },
    { floor, work: [defineCase("a run as an HTML page", given, html)] },
  ];
}

function* envelopes(batches: readonly Batch[]): Generator<Envelope> {
  for (const { pieces } of batches) yield* pieces.flatMap(envelopesIn);
}

/** The results by which an agent reads a whole run, page by page. */
function mcpPages(input: readonly Batch[]): number {
  let size = 0;
  for (const { pieces } of input) {
    const events = pieces.flatMap(envelopesIn).map(eventItem);
    for (let start = 0; start < events.length; ) {
      const { items, count } = fillPage(events.slice(start, start + 100));
      size += JSON.stringify(resultOf({ words: "", data: { events: items, next_cursor: null } })).length;
      start += count;
    }
  }
  return size;
}
