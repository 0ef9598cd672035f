import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStreamChecker, type Envelope } from "@spoor/protocol";
import { onTestFinished } from "vitest";
import { readEnvelopes } from "../../src/log/envelopes.ts";
import type { Log } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";

/** Opens a log in a temporary folder. The log is closed and the folder deleted after the test. */
export function temporaryLog(): { log: Log; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "spoor-runtime-"));
  const log = openLogSync({ directory, durability: "process" });
  onTestFinished(async () => {
    await log.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { log, directory };
}

export async function envelopesOf(log: Log, run_id: string): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id })) envelopes.push(envelope);
  return envelopes;
}

/** Returns the contract violations in these runs, and notes about fields that no schema defines. */
export async function findingsOf(log: Log, run_ids: readonly string[]): Promise<string[]> {
  const checker = createStreamChecker();
  const findings = [];
  for (const run_id of run_ids) {
    for (const envelope of await envelopesOf(log, run_id)) findings.push(...checker.add(envelope));
  }
  return [...findings, ...checker.end()].map(({ run, finding }) =>
    [run, finding.index, finding.kind === "violation" ? finding.rule : "note", finding.message].join(" "),
  );
}
