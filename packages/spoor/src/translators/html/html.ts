import { createHash } from "node:crypto";
import { createRunFold, createSpanFold, type Envelope } from "@spoor/protocol";
import { runJson } from "../../log/record-json.ts";
import type { FileSource } from "../file-source.ts";
import { withStoredParts } from "../stored-parts.ts";
import { createBounds, isShortPiece } from "./bounds.ts";
import { KEPT_OUTPUT_BYTES, withCutOutput, withJoinedOutput } from "./outputs.ts";
import { loadRenderer, type Renderer, type RunDocument } from "./renderer.ts";
import { createShare, type Share } from "./share.ts";

/** Writes a run as one HTML file that shows what the page shows, loads nothing, and is safe to share. */
export async function* htmlOf(lines: AsyncIterable<string>, source: FileSource): AsyncGenerator<string> {
  const renderer = await loadRenderer();
  const share = createShare(source.directory);
  const run = createFold(share);
  for await (const line of lines) run.take(JSON.parse(line));
  const shown = run.shown();
  const { view, diff, omissions } = await withStoredParts(shown.view, source);
  const stored = await source.log.run(source.run_id);
  const all = {
    ...shown,
    record: stored && runJson(stored),
    view,
    diff,
    omissions: [...shown.omissions, ...omissions],
  };
  yield* piecesOf(all, renderer, share);
}

/** What the file shows of a run, before it is made safe to share. */
export type Shown = Omit<RunDocument, "style" | "hashOf">;

/** Folds the envelopes of a run in bounded memory. */
export function createFold(share: Share): { take(envelope: Envelope): void; shown(): Shown } {
  const bounds = createBounds();
  const run = createRunFold({ shellOutputLimit: KEPT_OUTPUT_BYTES });
  const time = createSpanFold();
  let events = 0;
  return {
    take(envelope) {
      events += 1;
      const short = bounds.take(sharedBeforeCut(envelope, share));
      if (!short) return;
      run.fold(short);
      time.fold(short);
    },
    shown: () => ({ view: run.snapshot(), spans: time.snapshot(), omissions: bounds.omissions(), events }),
  };
}

/**
 * Texts are made safe before anything cuts them, since half of a secret is not recognised. Short pieces wait until they are
 * joined, because a secret may be spread over them. The bytes of a picture are no text.
 */
function sharedBeforeCut(envelope: Envelope, share: Share): Envelope {
  if (isShortPiece(envelope)) return envelope;
  const { base64, ...texts } = envelope.data;
  const data = share(texts);
  return { ...envelope, data: base64 === undefined ? data : { ...data, base64 } };
}

/** The file, piece by piece. */
export function piecesOf(
  { record, view, spans, diff, ...rest }: Shown,
  { render, style }: Renderer,
  share: Share,
): Iterable<string> {
  const { images, ...texts } = view;
  const shared = share({ ...texts, shells: texts.shells.map(withJoinedOutput) });
  return render({
    view: {
      ...shared,
      shells: shared.shells.map(withCutOutput),
      // The bytes of a picture are no text.
      images: images.map(({ base64, ...image }) => ({ ...share(image), ...(base64 && { base64 }) })),
    },
    record: share(record),
    spans: share(spans),
    diff: diff === undefined ? undefined : share(diff),
    ...rest,
    style,
    hashOf: (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`,
  });
}
