import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openLogSync } from "../../log/open.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const agent = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));
const native = "5f2c1c1e-0000-4000-8000-000000000001";
const slow = { timeout: 120_000 };

it("a run that is renormalized right after its end shows no difference, and no second row in ls", slow, async () => {
  const { spoor, claude, data } = place({ SERVICE_API_TOKEN: "wonderful-9f8e7d6c5b4a" });
  // The text ends like the beginning of the secret, so the live run stored its last letters as a separate piece.
  await claude("Hello, won");
  const log = openLogSync({ directory: data });
  const { run_id = "" } = (await log.runs()).runs[0] ?? {};
  await log.append([{ run_id, drafts: [{ type: "acme.deployed", timestamp: Date.now(), json: "{}" }] }]);
  await log.close();

  const [reread] = await spoor("renormalize", "last", "--json");
  expect(reread).toMatchObject({ read_run_id: run_id, types: [] });
  expect(await spoor("ls", "--json")).toMatchObject([{ run_id }]);
  expect(await spoor("ls", "--json", "--all")).toMatchObject([
    { run_id: reread?.run_id, renormalized_from_run_id: run_id },
    { run_id },
  ]);
});

it("a renormalized run contains the same warning that its agent does not ask", slow, async () => {
  const { spoor, run, data } = place();
  const recording = fileURLToPath(new URL("../../../fixtures/zot/documented/shell_ok.jsonl", import.meta.url));
  const script = path.join(data, "zot.sh");
  writeFileSync(script, `cat "${recording}"\n`);
  await run("run", "zot", "Go.", "--command", `sh "${script}"`).catch(() => {});
  const [reread] = await spoor("renormalize", "last", "--json");
  expect(reread).toMatchObject({ types: [] });
  const warned = await spoor("events", reread?.run_id as string, "--type", "debug.message", "--json");
  expect(JSON.stringify(warned)).toContain("zot runs its tools without asking");
});

it(
  "the third run of a chain includes the cost of the first two, also after one of them was renormalized",
  slow,
  async () => {
    const { spoor, claude } = place();
    await claude("This costs 0.01");
    await claude("This costs 0.02", "--resume", native);
    await spoor("renormalize", "last", "--json");
    await claude("This costs 0.04", "--resume", native);
    const [third, second] = await spoor("ls", "--json");
    expect(third).toMatchObject({
      cost_micros_usd: 40_000,
      prior_cost_micros_usd: 30_000,
      prior_run_id: second?.run_id,
    });
    const resumed = await spoor("events", "--json", "--run", "last", "--type", "run.resumed_from_event");
    expect(resumed).toMatchObject([{ data: { prior_cost_micros_usd: 30_000 } }]);
  },
);

/** Creates a data directory for the test, and runs commands on it. */
function place(env: Record<string, string> = {}) {
  const data = mkdtempSync(path.join(tmpdir(), "spoor-reread-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [bin, ...args, "--data", data], { env: { ...process.env, ...env } });
  return {
    data,
    run,
    claude: (prompt: string, ...args: string[]) =>
      run("run", "claude", prompt, "--command", `"${process.execPath}" "${agent}"`, ...args),
    spoor: async (...args: string[]): Promise<Record<string, unknown>[]> =>
      (await run(...args)).stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
}
