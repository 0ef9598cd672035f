import { describe, expect, it } from "vitest";
import { bin, hasTerminal } from "../../../testing/cli/process.ts";
import { createSite } from "../../../testing/runtime/three-places.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

describe.runIf(hasTerminal)("spoor approvals --watch", { timeout: 120_000 }, () => {
  it("asks at a terminal, shows what others decide, and prints lines in a pipe", async () => {
    const site = await createSite(false);
    const run = site.run("claude", "commanded-claude.mjs", "ask ask hang");
    await run.printed(/Allow\? \[y\/N\] /);
    const watch = site.onTerminal("approvals", "--watch");
    const json = site.start(process.execPath, [bin, "approvals", "--watch", "--json"], "ignore");
    const piped = site.start(process.execPath, [bin, "approvals", "--watch"], "ignore");
    await Promise.all([json.printed(/"status":"pending"/), piped.printed(/appr_\w+ .* Bash: rm -rf dist/)]);
    await watch.printed(/run_\w+ asks: Bash\s+rm -rf dist\s+Allow\? \[y\/N\] /);
    watch.type("perhaps\n");
    await watch.printed(/Please answer y \(yes\) or n \(no\): /);
    watch.type("y\n");
    await watch.printed(/approved by cli:/);
    await run.printed(/Approved by cli:\S+\.[\s\S]*Allow\? \[y\/N\] /);
    // The second question is shown everywhere. Somebody else refuses it.
    await watch.printed(/asks: Bash\s+rm -rf dist\s+Allow\? \[y\/N\] /);
    const { code, text } = await site.spoor("approvals");
    expect({ code, lines: text.trim().split("\n") }).toMatchObject({
      code: 0,
      lines: [expect.stringMatching(/^appr_/)],
    });
    const [approval_id = ""] = text.split(" ");
    expect(await site.spoor("deny", approval_id.slice(-6), "-m", "Not again.")).toMatchObject({ code: 0 });
    await watch.printed(/rejected by cli:/);
    await run.printed(/Refused by cli:\S+: Not again\./);
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
    await run.printed(/Allow\? \[y\/N\] /);
    const watch = site.onTerminal("approvals", "--watch");
    await watch.printed(/Allow\? \[y\/N\] /);
    watch.type(CTRL_D);
    expect(await watch.exited).toBe(0);
    expect(await site.spoor("approvals")).toMatchObject({ text: expect.stringMatching(/^appr_/) });
    run.type("n\n");
    await run.printed(/The user said no/);
  });
});
