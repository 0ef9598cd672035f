import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";

const folder = path.resolve(import.meta.dirname, "../../../protocol/fixtures/envelopes");

/** The names of the golden streams. */
export const golden: readonly string[] = globSync("*.jsonl", { cwd: folder })
  .map((file) => path.basename(file, ".jsonl"))
  .toSorted();

/** The envelopes of a golden stream. */
export const envelopesOf = (name: string): Envelope[] =>
  readFileSync(path.join(folder, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A stream of which some events are lost. */
export const withGap = (envelopes: readonly Envelope[], at: number, count: number): Envelope[] =>
  envelopes.flatMap((envelope, index) => {
    if (index < at || index >= at + count) return [envelope];
    const data = { first_sequence: at, last_sequence: at + count - 1 };
    return index === at ? [{ ...envelope, type: "gap.events_lost", data }] : [];
  });

/** The texts of an agent whose ends are in a stream. */
export const wholeTexts = (envelopes: readonly Envelope[]): unknown[] =>
  envelopes.flatMap(({ type, data }) => (type === "assistant.text_complete" ? [data.text] : []));
