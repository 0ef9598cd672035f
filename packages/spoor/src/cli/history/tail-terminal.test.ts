import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { goldenDrafts } from "../../../testing/cli/logs.ts";
import { bin, createPlace, hasTerminal } from "../../../testing/cli/process.ts";
import { openTerminal } from "../../../testing/cli/terminal.ts";
import { newRunId } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";

const place = createPlace("tail-terminal");
afterAll(() => place.remove());

describe.runIf(hasTerminal)("a recorded run on a terminal", { timeout: 120_000 }, () => {
  it.each(["tail", "replay"])(
    "has one head with the version of its agent in %s, also if its task goes on",
    async (command) => {
      const log = openLogSync({ directory: place.data });
      const run_id = newRunId();
      const drafts = goldenDrafts("success", Date.now()).map((draft) =>
        draft.type === "session.started"
          ? { ...draft, json: JSON.stringify({ ...JSON.parse(draft.json), agent_version: "2.1.325" }) }
          : draft,
      );
      const updated = { type: "task.updated", timestamp: Date.now() + 120_000, json: '{"status":"completed"}' };
      const create = { agent: "claude", kind: "agent", model: "opus" };
      await log.append([{ run_id, create, drafts: [...drafts, updated], facts: { status: "completed" } }]);
      await log.close();
      const env = { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, LANG: "C.UTF-8" };
      const argv = [command, run_id, ...(command === "replay" ? ["--speed", "100"] : [])];
      const line = [process.execPath, bin, ...argv].map((word) => `'${word}'`).join(" ");
      const terminal = await openTerminal(line, { cwd: place.home, env });
      onTestFinished(() => terminal.close());
      expect(await terminal.exited).toBe(0);
      const head = new RegExp(`claude 2\\.1\\.325 · .*…${run_id.slice(-6)}`, "g");
      expect(terminal.text()).toMatch(new RegExp(`^${head.source}`));
      expect(terminal.text().match(head)).toHaveLength(1);
      expect(terminal.rows().at(-1)).toMatch(/^✓ Done in /);
    },
  );
});

describe.runIf(hasTerminal)("spoor tail of a run that works", { timeout: 120_000 }, () => {
  it("is stopped by Ctrl-Z and Ctrl-\\ with the terminal restored, and goes on", async () => {
    const log = openLogSync({ directory: place.data });
    const drafts = goldenDrafts("success", Date.now()).slice(0, 12);
    await log.append([{ run_id: newRunId(), create: { agent: "claude", kind: "agent" }, drafts }]);
    await log.close();
    const env = { PATH: process.env.PATH, HOME: place.home, SPOOR_HOME: place.data, LANG: "C.UTF-8", PS1: "% " };
    const terminal = await openTerminal("sh -im", { cwd: place.home, env, columns: 120 });
    onTestFinished(() => terminal.close());
    terminal.type(`'${process.execPath}' '${bin}' tail last\r`);
    await terminal.shows(/─{119}\n◐ Working .*Ctrl-C stop following$/);
    terminal.type("\u001a");
    await terminal.shows(/Stopped[\s\S]*\n% *$/);
    expect(terminal.modes()).toEqual({ isCursorShown: true, wraps: true });
    expect(terminal.text()).not.toContain("Working");
    terminal.type("fg\r");
    await terminal.shows(/% fg\n[\s\S]*\n─{119}\n◐ Working .*$/);
    terminal.type("\u001c");
    await terminal.shows(/% *$/);
    expect(terminal.modes()).toEqual({ isCursorShown: true, wraps: true });
    expect(terminal.text()).not.toContain("Working");
  });
});
