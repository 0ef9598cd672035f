import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CHAIN_START } from "../../log/chunks/chain.ts";
import { envelopesIn, readLines } from "../../log/envelopes.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { runJson } from "../../log/record-json.ts";
import { type BundleFooter, type BundleHeader, Chain } from "./format.ts";

/** An export starts again when the run is pruned meanwhile, at most this many times. */
const MAX_ATTEMPTS = 5;

/**
 * Writes a run to a file, compressed when its name ends in `.gz`. The file appears only when it is complete.
 *
 * @example
 * const { events, head } = await exportBundle(log, run_id, "run.spoor.gz");
 * console.log(events, head);
 */
export async function exportBundle(
  log: Log,
  run_id: string,
  file: string,
  signal?: AbortSignal,
): Promise<BundleFooter> {
  const unfinished = `${file}.${process.pid}.partial`;
  try {
    for (let attempt = 1; ; attempt++) {
      const { footer, isSound } = await write(log, run_id, (lines) => {
        const output = createWriteStream(unfinished, { mode: 0o600 });
        const steps = file.endsWith(".gz") ? [lines, createGzip(), output] : [lines, output];
        return pipeline(steps, optionalSignal(signal));
      });
      // A damaged run is exported with its damage, which `verifyBundle` reports.
      if (!isSound && attempt < MAX_ATTEMPTS) continue;
      await rename(unfinished, file);
      return footer;
    }
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes a run, uncompressed, to a stream and leaves the stream open. Throws when the run is pruned meanwhile.
 *
 * @example
 * await exportTo(log, run_id, process.stdout);
 */
export async function exportTo(
  log: Log,
  run_id: string,
  output: Writable,
  signal?: AbortSignal,
): Promise<BundleFooter> {
  const before = await log.run(run_id);
  const { footer, isSound } = await write(log, run_id, (lines) =>
    pipeline(lines, output, { end: false, ...optionalSignal(signal) }),
  );
  const after = await log.run(run_id);
  if (!isSound && before?.first_sequence !== after?.first_sequence) {
    throw new LogError(
      "run_not_found",
      `${run_id} was pruned during the export, so the output is incomplete. Export it again.`,
    );
  }
  return footer;
}

const optionalSignal = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

async function write(log: Log, run_id: string, send: (lines: Readable) => Promise<void>) {
  const run = await log.run(run_id);
  if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
  const chain_start = (await isPruned(log, run_id)) ? run.chain_start : CHAIN_START;
  const chain = new Chain(chain_start, run);
  const header: BundleHeader = {
    spoor_bundle: 1,
    algorithm: "sha256-chain",
    ...(chain_start !== undefined && { chain_start }),
    run: runJson(run),
  };
  const first = JSON.stringify(header);
  const footer = (): BundleFooter => ({
    spoor_bundle_end: 1,
    header: hash("sha256", first),
    events: chain.events,
    head: chain.head,
    ...(chain.gap !== undefined && { gap: chain.gap }),
  });

  async function* lines(): AsyncGenerator<string> {
    yield `${first}\n`;
    for await (const line of readLines(log, { run_id })) {
      chain.add(Buffer.from(line));
      yield `${line}\n`;
    }
    yield `${JSON.stringify(footer())}\n`;
  }

  await send(Readable.from(lines()));
  return { footer: footer(), isSound: chain_start !== undefined && chain.reachesRunHead };
}

async function isPruned(log: Log, run_id: string): Promise<boolean> {
  const { pieces } = await log.read(run_id, { limit: 1 });
  return pieces.flatMap(envelopesIn)[0]?.type === "gap.events_pruned";
}
