import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { openLogSync } from "../../log/open.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/hostile-claude.mjs", import.meta.url));

it.each([
  ["ends well", ["say", "the end"], 0, "completed", "run.finished"],
  ["fails", ["exit", 7], 12, "failed", "run.failed"],
])(
  "a run that prints more than --max-recorded and %s is recorded up to the limit, with its end",
  {
    timeout: 120_000,
  },
  async (_, last, code, runStatus, endType) => {
    const data = mkdtempSync(path.join(tmpdir(), "spoor-limit-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
    const prompt = JSON.stringify({ do: [["flood", 8], last] });
    const command = ["--command", `"${process.execPath}" "${program}"`, "--max-recorded", "1m"];
    const args = [bin, "run", "claude", prompt, "--data", data, ...command];
    const { status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e9 });
    expect(status).toBe(code);
    const shown = spawnSync(process.execPath, [bin, "show", "--data", data], { encoding: "utf8" }).stdout;
    expect(shown).toMatch(/the recording ended at its limit: The run reached its recording limit/);

    const log = openLogSync({ directory: data });
    onTestFinished(() => log.close());
    const { runs } = await log.runs();
    expect(runs).toMatchObject([{ status: runStatus }]);
    const run_id = runs[0]?.run_id ?? "";
    const envelopes = await envelopesOf(log, run_id);
    let bytes = envelopes.reduce((sum, envelope) => sum + JSON.stringify(envelope.data).length, 0);
    for await (const { text } of log.tapes.read(run_id)) bytes += text.length;
    // The event that reaches the limit is still stored completely.
    expect(bytes).toBeLessThan(1.5 * 1024 ** 2);
    const types = envelopes.map(({ type }) => type);
    expect(types.filter((type) => type === "gap.recording_limited")).toHaveLength(1);
    expect(types.at(-1)).toBe(endType);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  },
);
