import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { hostileTexts } from "./runs/hostile.ts";
import { addChange, patchedRun, type TestChange, type TestRun } from "./runs/patches.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

const lines = (count: number) => Array.from({ length: count }, (_, at) => `const line${at} = ${at};\n`);
const before = lines(30).join("");
const after = lines(30).with(2, "const two = 2;\n").with(25, "const last = 25;\n").join("");
const conflict = [/409/, /Failed to load resource/];

async function workspace(changes: readonly TestChange[], run: TestRun = {}) {
  const root = mkdtempSync(path.join(place.home, "workspace-"));
  const made = await patchedRun(place.data, root, changes, run);
  const read = (name: string) => (existsSync(path.join(root, name)) ? readFileSync(path.join(root, name), "utf8") : "");
  return { ...made, read, target: `/runs/${made.run_id}/changes` };
}

const cardOf = (page: Page, name: string) => page.locator(`[data-path="${name}"]`);
const chipOf = (page: Page, name: string, word: string) =>
  cardOf(page, name).locator("header .chip", { hasText: word });
const button = (page: Page, name: string, verb: string) => cardOf(page, name).locator(`header [data-verb="${verb}"]`);

describe("the changes of a run", () => {
  it("are applied and reverted by file and by hunk, in the files on disk, and two tabs agree", async () => {
    const { target, read } = await workspace([
      { path: "src/a.ts", before, after },
      { path: "new.ts", after: "export {};\n", tool: "Write" },
      { path: "old.txt", before: "gone\n", tool: "Bash", isProposed: true },
    ]);
    const { page } = await place.open(target);
    const other = await place.open(target);
    await chipOf(page, "src/a.ts", "Applied").waitFor();
    await chipOf(other.page, "src/a.ts", "Applied").waitFor();

    await cardOf(page, "src/a.ts").getByRole("button", { name: "Revert hunk" }).nth(1).click();
    await chipOf(page, "src/a.ts", "Partly applied").waitFor();
    expect(read("src/a.ts")).toBe(after.replace("const last = 25;", "const line25 = 25;"));
    await chipOf(other.page, "src/a.ts", "Partly applied").waitFor();
    await cardOf(other.page, "src/a.ts").getByRole("button", { name: "Apply hunk" }).click();
    await chipOf(page, "src/a.ts", "Applied").and(page.locator(":not(:text('Partly'))")).waitFor();
    expect(read("src/a.ts")).toBe(after);

    await button(page, "src/a.ts", "revert").click();
    await chipOf(other.page, "src/a.ts", "Reverted").waitFor();
    expect(read("src/a.ts")).toBe(before);
    await button(other.page, "src/a.ts", "apply").click();
    await chipOf(page, "src/a.ts", "Applied").waitFor();
    expect(read("src/a.ts")).toBe(after);

    await button(page, "old.txt", "apply").click();
    await chipOf(page, "old.txt", "Applied").waitFor();
    expect(read("old.txt")).toBe("");

    await page.getByRole("button", { name: "Revert all 3 applied" }).click();
    const dialog = page.getByRole("dialog");
    await expect
      .poll(() => dialog.getByRole("listitem").allTextContents())
      .toEqual(["src/a.ts+2 −2", "new.ts+1", "old.txt−1"]);
    await dialog.getByRole("button", { name: "Revert 3 files" }).click();
    await chipOf(other.page, "new.ts", "Reverted").waitFor();
    expect([read("src/a.ts"), read("new.ts"), read("old.txt")]).toEqual([before, "", "gone\n"]);
  });

  it("say a conflict on the file, write nothing, and show what is in the file now", async () => {
    const { target, read, root } = await workspace([
      { path: "a.ts", before, after },
      { path: "b.ts", before, after },
    ]);
    writeFileSync(path.join(root, "a.ts"), `${after}// mine\n`);
    const { page } = await place.open(target, { expected: conflict });
    await button(page, "a.ts", "revert").click();
    await cardOf(page, "a.ts").getByRole("alert").getByText("Nothing was written").waitFor();
    expect(read("a.ts")).toBe(`${after}// mine\n`);
    await chipOf(page, "a.ts", "Applied").waitFor();
    await cardOf(page, "a.ts").getByRole("button", { name: "Show what changed" }).click();
    await cardOf(page, "a.ts").getByText("// mine").waitFor();
    expect(await axe(page)).toEqual([]);
    // Nor is anything written when one of several files is in the way.
    await page.getByRole("button", { name: "Revert all 2 applied" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revert 2 files" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText('"a.ts"').waitFor();
    expect(read("b.ts")).toBe(after);
  });

  it("take a word with a rejection, which the run keeps, and say why nothing is changed while it works", async () => {
    const { target, run_id, read } = await workspace([{ path: "a.ts", before, after, isProposed: true }], {
      isOver: false,
    });
    const { page } = await place.open(target, { expected: conflict });
    await button(page, "a.ts", "apply").click();
    await cardOf(page, "a.ts").getByText("A run works in this folder now").waitFor();
    expect(read("a.ts")).toBe(before);

    const over = await workspace([{ path: "a.ts", before, after, isProposed: true }]);
    await page.goto(over.target);
    await button(page, "a.ts", "reject").click();
    await page.getByRole("dialog").getByRole("textbox").fill("Keep the old names.");
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await chipOf(page, "a.ts", "Rejected").waitFor();
    const events: Envelope[] = [];
    for await (const list of place.client.events.list(over.run_id)) events.push(...list.data);
    expect(events.at(-1)).toMatchObject({
      type: "artifact.updated",
      data: { new_value: "rejected", reason: "Keep the old names." },
    });
    expect(run_id).not.toBe(over.run_id);
  });

  it("of one file are one diff with a switch, lead to the conversation, and a look at them ends with the next change", async () => {
    const middle = before.replace("line2 =", "second =");
    const first = await workspace(
      [
        { path: "a.ts", before, after: middle },
        { path: "a.ts", before: middle, after },
      ],
      { isOver: false },
    );
    const { page } = await place.open(first.target);
    const card = cardOf(page, "a.ts");
    await card.getByRole("button", { name: "All changes" }).waitFor();
    expect(await card.getByRole("row", { name: /second/ }).count()).toBe(0);
    await card.getByRole("button", { name: "turn 1 · Edit" }).click();
    await card.getByRole("row", { name: /second/ }).waitFor();
    expect(await card.locator("header a").getAttribute("href")).toMatch(new RegExp(`/runs/${first.run_id}#e\\d+$`));

    await card.getByLabel("Looked at").check();
    await page.getByText("1 of 1 looked at").last().waitFor();
    await page.reload();
    await page.getByText("1 of 1 looked at").last().waitFor();
    await addChange(place.data, first, { path: "a.ts", before: after, after: `${after}more();\n` });
    await page.getByText("0 of 1 looked at").last().waitFor();
    await card.getByRole("row", { name: /more/ }).waitFor();
  });

  it("of one file that were reverted are shown one after the other, and applied again together", async () => {
    const middle = before.replace("line2 =", "second =");
    const { target, read } = await workspace([
      { path: "a.ts", before, after: middle },
      { path: "a.ts", before: middle, after },
    ]);
    const { page } = await place.open(target);
    await button(page, "a.ts", "revert").click();
    await chipOf(page, "a.ts", "Reverted").waitFor();
    expect(read("a.ts")).toBe(before);
    await expect.poll(() => cardOf(page, "a.ts").getByRole("button", { name: "Apply hunk" }).count()).toBe(3);
    await button(page, "a.ts", "apply").click();
    await chipOf(page, "a.ts", "Applied").waitFor();
    expect(read("a.ts")).toBe(after);
  });

  it("include those of subagents, with their name, and revert them too", async () => {
    const child = await workspace([{ path: "lib/help.ts", before, after }]);
    const { target } = await workspace([{ path: "a.ts", before, after }], {
      subagents: [{ name: "helper", run_id: child.run_id }],
    });
    const { page } = await place.open(target);
    const card = cardOf(page, "lib/help.ts");
    await expect.poll(() => card.locator("header a").textContent()).toBe("turn 1 · helper");
    await button(page, "lib/help.ts", "revert").click();
    await chipOf(page, "lib/help.ts", "Reverted").waitFor();
    expect(child.read("lib/help.ts")).toBe(before);
  });

  it("of several runs that are reverted in part are told as such, and the rest can be tried again", async () => {
    const child = await workspace([{ path: "lib/help.ts", before, after }]);
    const parent = await workspace([{ path: "a.ts", before, after }], {
      subagents: [{ name: "helper", run_id: child.run_id }],
    });
    writeFileSync(path.join(child.root, "lib/help.ts"), `${after}// mine\n`);
    const { page } = await place.open(parent.target, { expected: conflict });
    await page.getByRole("button", { name: "Revert all 2 applied" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Revert 2 files" }).click();
    await dialog.getByRole("alert").getByText("Already reverted: a.ts. Not reverted: lib/help.ts.").waitFor();
    expect(await dialog.getByRole("alert").textContent()).not.toContain("Nothing was written");
    expect([parent.read("a.ts"), child.read("lib/help.ts")]).toEqual([before, `${after}// mine\n`]);
    await expect.poll(() => dialog.getByRole("listitem").allTextContents()).toEqual(["lib/help.ts+2 −2"]);
    writeFileSync(path.join(child.root, "lib/help.ts"), after);
    await dialog.getByRole("button", { name: "Revert", exact: true }).click();
    await chipOf(page, "lib/help.ts", "Reverted").waitFor();
    expect(child.read("lib/help.ts")).toBe(before);
  });

  it("can be read and decided by the keyboard alone", async () => {
    const { target, read } = await workspace([
      { path: "a.ts", before, after },
      { path: "b.ts", before, after },
    ]);
    const { page } = await place.open(`${target}#b.ts`);
    const current = page.locator("nav[aria-label=Files] [aria-current]");
    await current.getByText("b.ts").waitFor();
    await page.keyboard.press("[");
    await current.getByText("a.ts").waitFor();
    await page.keyboard.press("v");
    await page.getByText("1 of 2 looked at").last().waitFor();
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-hunk") === "0");
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-hunk") === "1");
    await page.keyboard.press("k");
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-hunk") === "0");
    await page.keyboard.press("s");
    await page.locator("[data-layout=unified]").first().waitFor();
    await page.keyboard.press("u");
    await page.getByRole("dialog").getByText("a.ts").waitFor();
    expect(read("a.ts")).toBe(after);
    await page.keyboard.press("Enter");
    await chipOf(page, "a.ts", "Reverted").waitFor();
    expect(read("a.ts")).toBe(before);
    await page.keyboard.press("Shift+A");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Enter");
    await chipOf(page, "a.ts", "Applied").waitFor();
    expect(read("a.ts")).toBe(after);
    await page.reload();
    await page.locator("[data-layout=unified]").first().waitFor();
  });

  it("show hostile names and content as text, on a laptop and on a phone", async () => {
    const names = Object.values(hostileTexts).map((text, at) => `${at} ${text.replaceAll(/[/\0]/g, "_").slice(0, 60)}`);
    const texts = Object.values(hostileTexts);
    const { target } = await workspace(
      names.map((name, at) => ({ path: `src/${name}`, before: "a\n", after: `${texts[at]}\n`, tool: name })),
    );
    for (const [size, theme] of [
      ["laptop", "dark"],
      ["phone", "light"],
    ] as const) {
      const { page } = await place.open(target, { size, theme });
      await page.locator("[data-path] table").first().waitFor();
      await page.locator("[data-path] h3", { hasText: "<script>alert" }).waitFor();
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
    }
  });

  it("stay quick with a diff of 20,000 lines: it is closed, says why, and scrolls when it is opened", async () => {
    const old = Array.from({ length: 10_000 }, (_, at) => `old line ${at}\n`).join("");
    const { target } = await workspace([{ path: "big.ts", before: old, after: old.replaceAll("old", "new") }]);
    const { page } = await place.open(target);
    await page.getByText("20,000 changed lines").waitFor();
    await page.getByRole("button", { name: "Show the diff" }).click();
    await page.getByText("old line 0", { exact: true }).waitFor();
    expect(await page.locator("[data-path] tr").count()).toBeLessThan(2_000);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByText("new line 9999", { exact: true }).waitFor();
    expect(await page.locator("[data-path] tr").count()).toBeLessThan(2_000);
  });
});
