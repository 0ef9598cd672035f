import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { openLogSync } from "../../log/open.ts";
import { renormalize } from "../../runtime/renormalize.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/hostile-claude.mjs", import.meta.url));

it.each([
  ["JSON on standard output", [["longLine", 80]], 80],
  ["no JSON on standard error", [["longLine", 40, false, 2]], 40],
])(
  "a line of many megabytes, %s, is reported and stored in pieces, and the run continues",
  {
    timeout: 240_000,
  },
  async (_, tricks, megabytes) => {
    const data = mkdtempSync(path.join(tmpdir(), "spoor-long-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
    const prompt = JSON.stringify({ do: [["say", "before"], ...tricks, ["say", "after"]] });
    const command = ["--command", `"${process.execPath}" "${program}"`];
    // The process is killed if it allocates more than this; the line alone would need more.
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--max-old-space-size=200", bin, "run", "claude", prompt, "--data", data, ...command],
      { encoding: "utf8" },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^before\n.*\nafter\n$/s) });

    const log = openLogSync({ directory: data });
    onTestFinished(() => log.close());
    const { run_id = "" } = (await log.runs()).runs[0] ?? {};
    const envelopes = await envelopesOf(log, run_id);
    const warnings = envelopes.filter(({ type, data }) => type === "debug.message" && data.level === "warn");
    expect(warnings).toHaveLength(1);
    const [, bytes] = /a line of (\d+) bytes/.exec(String(warnings[0]?.data.message)) ?? [];
    expect(Number(bytes)).toBeGreaterThanOrEqual(megabytes * 1024 * 1024);
    expect(await findingsOf(log, [run_id])).toEqual([]);

    let kept = 0;
    for await (const { text } of log.tapes.read(run_id)) {
      if (text.startsWith('{"spoor_piece":')) kept += Buffer.byteLength(JSON.parse(text).spoor_piece.text);
    }
    expect(kept).toBe(Number(bytes));
    expect((await renormalize(log, run_id)).types).toEqual([]);
  },
);
