import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bin, hasTerminal } from "../../../testing/cli/process.ts";
import { createSite } from "../../../testing/runtime/three-places.ts";

/** Keys count from half a second after a question was drawn. */
const read = () => sleep(600);
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

describe.runIf(hasTerminal)("spoor approvals --watch", { timeout: 120_000 }, () => {
  it("asks at a terminal, shows what others decide, and prints lines in a pipe", async () => {
    const site = await createSite(false);
    const run = site.run("claude", "commanded-claude.mjs", "ask ask hang");
    await run.printed(/what led here › /);
    const watch = site.onTerminal("approvals", "--watch");
    const json = site.start(process.execPath, [bin, "approvals", "--watch", "--json"], "ignore");
    const piped = site.start(process.execPath, [bin, "approvals", "--watch"], "ignore");
    await Promise.all([json.printed(/"status":"pending"/), piped.printed(/appr_\w+ .* Bash: rm -rf dist/)]);
    await watch.printed(/…\w{6}: May it run this command\?[^›]*rm -rf dist[^›]*› /);
    await read();
    watch.type("y");
    await watch.printed(/approved by cli:/);
    await run.printed(/approved from another terminal \(cli:\S+\)[\s\S]*what led here › /);
    // The second question is shown everywhere. Somebody else refuses it.
    await watch.printed(/May it run this command\?[^›]*rm -rf dist[^›]*› /);
    const { code, text } = await site.spoor("approvals");
    const [, approval_id = ""] = /^▲ (\w{4}) /.exec(text) ?? [];
    expect({ code, approval_id }).toMatchObject({ code: 0, approval_id: expect.stringMatching(/./) });
    expect(await site.spoor("deny", approval_id, "-m", "Not again.")).toMatchObject({ code: 0 });
    await watch.printed(/rejected by cli:/);
    await run.printed(/denied from another terminal \(cli:\S+\): Not again\./);
    await Promise.all([json.printed(/"status":"rejected"/), piped.printed(/rejected by cli:/)]);
    watch.type(CTRL_C);
    expect(await watch.exited).toBe(0);
    for (const each of [json, piped]) each.child.kill("SIGINT");
    expect(await Promise.all([json.exited, piped.exited])).toEqual([0, 0]);
    const lines = json.output.text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).status)).toEqual(["pending", "approved", "pending", "rejected"]);
    expect(piped.output.text.trim().split("\n")).toHaveLength(4);
  });

  it("ends with the input, and leaves the question to others", async () => {
    const site = await createSite(false);
    const run = site.run("claude", "commanded-claude.mjs", "ask hang");
    await run.printed(/what led here › /);
    const watch = site.onTerminal("approvals", "--watch");
    await watch.printed(/what led here › /);
    watch.type(CTRL_D);
    expect(await watch.exited).toBe(0);
    expect(await site.spoor("approvals")).toMatchObject({ text: expect.stringMatching(/^▲ /) });
    await read();
    run.type("n");
    await run.printed(/The user said no/);
  });
});
