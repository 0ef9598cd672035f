import { describe, expect, it } from "vitest";
import { hasTerminal } from "../../../testing/cli/process.ts";
import { createSite } from "../../../testing/runtime/three-places.ts";

describe.runIf(hasTerminal)("the terminal of a run", { timeout: 120_000 }, () => {
  it("shows who paused and cancelled it from elsewhere, and why", async () => {
    const site = await createSite(false);
    const run = site.run("claude", "commanded-claude.mjs", "hello hang");
    await run.printed(/Heard hello\./);
    expect(await site.spoor("pause", "last", "-m", "Lunch")).toMatchObject({ code: 0 });
    await run.printed(/Paused by cli:\S+: Lunch\./);
    expect(await site.spoor("unpause", "last")).toMatchObject({ code: 0 });
    await run.printed(/Unpaused by cli:\S+\./);
    expect(await site.spoor("cancel", "last", "-m", "Enough.")).toMatchObject({ code: 0 });
    await run.printed(/Cancelled by cli:\S+: Enough\.[\s\S]*■ Aborted[\s\S]*The run was aborted\./);
    expect(await run.exited).toBe(13);
  });
});

describe.runIf(hasTerminal)("spoor approve last", { timeout: 120_000 }, () => {
  it("answers the only open approval, and names them if there are several", async () => {
    const site = await createSite(false);
    // Nothing is recorded yet.
    expect(await site.spoor("approvals")).toEqual({ code: 0, text: "Nothing waits for permission.\n" });
    expect(await site.spoor("approvals", "--json")).toEqual({ code: 0, text: "" });
    const first = site.run("claude", "commanded-claude.mjs", "ask");
    await first.printed(/what led here › /);
    const second = site.run("claude", "commanded-claude.mjs", "ask hang");
    await second.printed(/what led here › /);
    const { code, text } = await site.spoor("approve", "last");
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringMatching(/`last` needs one open .* 2 wait:/) });
    const ids = text.match(/appr_\w+/g) ?? [];
    expect(ids).toHaveLength(2);
    expect(await site.spoor("approve", ids[0] ?? "")).toMatchObject({ code: 0 });
    expect(await site.spoor("deny", "last", "No more.")).toMatchObject({ code: 0 });
    await Promise.race([first.printed(/allowed|refused/), second.printed(/allowed|refused/)]);
    expect(await site.spoor("deny", "last")).toEqual({ code: 1, text: "Nothing waits for permission.\n" });
    // Whoever answers again by the end of the id is told that somebody else was first.
    const again = await site.spoor("deny", (ids[0] ?? "").slice(-6));
    expect(again).toMatchObject({ text: expect.stringContaining("approved") });
    expect(again.code).not.toBe(0);
    expect(await site.spoor("approve", "zzzzzz")).toMatchObject({
      code: 1,
      text: expect.stringContaining("No open approval matches"),
    });
  });
});
