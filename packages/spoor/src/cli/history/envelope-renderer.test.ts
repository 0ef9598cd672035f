import { once } from "node:events";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { envelopeCatalog } from "@spoor/protocol";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { appendGolden, goldenDrafts } from "../../../testing/cli/logs.ts";
import { createPlace } from "../../../testing/cli/process.ts";
import { draft } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";
import { linesByType, silentTypes } from "./envelope-lines.ts";

const place = createPlace("story");
const runs: Record<string, string> = {};

beforeAll(async () => {
  const log = openLogSync({ directory: place.data });
  for (const name of ["success", "pruned", "damaged"]) {
    const drafts = [...goldenDrafts("success")];
    const last = drafts.at(-1)?.timestamp ?? 0;
    drafts.push(draft("A caller was here", "external.event", last), draft("shipped", "acme.deployed", last));
    const run_id = await appendGolden(log, "failing-tools");
    await log.append([{ run_id, epoch: 1, drafts }]);
    runs[name] = run_id;
  }
  await log.upkeep.prune(runs.pruned ?? "", 20, "operator");
  await log.close();
  damage(runs.damaged ?? "");
});
afterAll(() => place.remove());

/** Flips a bit in the first chunk of a run, as a bad disk does. */
function damage(run_id: string): void {
  const database = new DatabaseSync(`${place.data}/spoor.db`);
  const row = database
    .prepare("SELECT last_position, body FROM chunks WHERE run = (SELECT run FROM runs WHERE run_id = ?) LIMIT 1")
    .get(run_id) as { last_position: number; body: Uint8Array };
  const body = Buffer.from(row.body);
  body[body.length >> 1] = (body[body.length >> 1] as number) ^ 1;
  database.prepare("UPDATE chunks SET body = ? WHERE last_position = ?").run(body, row.last_position);
  database.close();
}

describe.each(["tail", "replay"])("spoor %s of a recorded run", { timeout: 60_000 }, (command) => {
  const story = async (name: string) =>
    (await place.spoor([command, runs[name] ?? "", ...(command === "replay" ? ["--speed", "0"] : [])])).stdout;

  it("shows prompts, events of other programs, unknown types, and the end", async () => {
    const text = await story("success");
    expect(text).toMatch(/^❯ \S/m);
    expect(text).toMatch(/^◆ external\.event .*A caller was here/m);
    expect(text).toMatch(/^◆ acme\.deployed .*shipped/m);
    expect(text).toMatch(/^✓ Done in/m);
  });

  it("shows that the beginning of a run was pruned", async () => {
    expect(await story("pruned")).toMatch(/^╱╱ events 0 to 20 were pruned on \d+ \w+ \(operator\)$/m);
  });

  it("shows that events are lost", async () => {
    expect(await story("damaged")).toMatch(/^╱╱ events \d+ to \d+ are lost \(corrupt\)$/m);
  });
});

it("spoor show lists the gaps", { timeout: 60_000 }, async () => {
  expect((await place.spoor(["show", runs.pruned ?? ""])).stdout).toMatch(
    /\nGaps {5}events 0 to 20 were pruned on \d+ \w+ \(operator\)\n/,
  );
});

it("lists every type either with a line or as silent, and none as both", () => {
  const types = envelopeCatalog.map(({ type }) => type);
  const both = types.filter((type) => silentTypes.has(type) && linesByType[type]);
  expect(both).toEqual([]);
  const gaps = types.filter((type) => type.startsWith("gap."));
  // These types are shown as AgentEvents, as in `spoor run`; events of other programs get the general line.
  const asEvents = types.filter((type) => !silentTypes.has(type) && !linesByType[type] && !gaps.includes(type));
  expect([...asEvents].sort()).toEqual(
    [
      ...["assistant.text_delta", "assistant.text_complete", "assistant.tool_call_proposed", "tool.failed"],
      ...["tool.shell.exited", "tool.file.patch", "tool.file.deleted", "subagent.started", "cost.token_usage"],
      ...["limit.context_compacted", "limit.retry_scheduled", "debug.message", "external.event"],
      ...["tool.cancelled", "tool.timed_out", "policy.tool_blocked", "subagent.failed", "limit.rate_limited"],
      // The end of a run has a line of its own.
      ...["run.finished", "run.failed", "run.cancelled"],
    ].sort(),
  );
});

describe("spoor tail of several runs", { timeout: 60_000 }, () => {
  it("begins now or at a given time, and each line names the run and its agent", async () => {
    const log = openLogSync({ directory: place.data });
    const now = Date.now();
    const old = await appendGolden(log, "mcp-ok", { start: now - 3_600_000 });
    const young = await appendGolden(log, "question", { start: now - 60_000 });
    const tail = place.start(["tail", "--since", "10m"]);
    const exited = once(tail, "exit");
    onTestFinished(async () => {
      tail.kill("SIGKILL");
      await exited;
      await log.close();
    });
    const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
    const seen: string[] = [];
    const until = async (text: string) => {
      while (!seen.at(-1)?.includes(text)) seen.push(String((await lines.next()).value));
    };
    await until("✓ Done");
    expect(seen.every((line) => line.startsWith(`${young.slice(-6)} claude   `))).toBe(true);
    expect(seen.join("\n")).not.toContain(old.slice(-6));
    await log.append([{ run_id: old, drafts: [draft("and now this", "acme.noted", Date.now())] }]);
    await until("and now this");
    expect(seen.at(-1)).toBe(`${old.slice(-6)} claude   ◆ acme.noted {"note":"and now this"}`);
    tail.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  });

  it("leaves out deltas on request, and still shows the text", async () => {
    const [first, second] = await Promise.all([
      place.spoor(["tail", runs.success ?? "", "--granularity", "block", "--output", "none"]),
      place.spoor(["events", runs.success ?? "", "--granularity", "turn", "--json"]),
    ]);
    const whole = await place.spoor(["tail", runs.success ?? "", "--output", "none"]);
    expect(first.stdout).toBe(whole.stdout);
    const types = second.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).type]));
    expect(types).toContain("assistant.text_complete");
    expect(types.some((type) => /_delta$|^tool\./.test(type))).toBe(false);
  });

  it("prints nothing of a run that has ended, with --after now", async () => {
    expect(await place.spoor(["tail", runs.success ?? "", "--after", "now"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});
