import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { noteOfPress } from "./pressed.ts";
import { manyRuns } from "./runs/many.ts";

let place: Place;
const programs = mkdtempSync(path.join(tmpdir(), "spoor-programs-"));
const PATIENCE = { timeout: 60_000 };
const originalPath = process.env.PATH;

/** Starts a run of the installed agent that asks for permission to run a command, and waits until it asks. */
async function asks(title: string, command: string): Promise<string> {
  const known = (await place.client.approvals.list({ status: "pending" })).data.map(({ approval_id }) => approval_id);
  const workspace = { path: mkdtempSync(path.join(place.home, "work-")) };
  const prompt = `${title}\nrun: ${command}`;
  await place.client.tasks.create({ agent: "claude", prompt, approve: "ask", workspace, start: true });
  return vi.waitFor(async () => {
    const { data } = await place.client.approvals.list({ status: "pending" });
    const fresh = data.find(({ approval_id }) => !known.includes(approval_id));
    if (!fresh) throw new Error(`${title} has not asked yet.`);
    return fresh.approval_id;
  }, PATIENCE);
}

/** A `claude` that speaks just enough of the dialect, found on the PATH of the server. */
function installClaude(): void {
  const program = fileURLToPath(new URL("runs/plain-claude.mjs", import.meta.url));
  const file = path.join(programs, "claude");
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *--version*) echo "2.1.325 (Claude Code)"; exit;; esac\nexec '${process.execPath}' '${program}'\n`,
  );
  chmodSync(file, 0o755);
}

beforeAll(async () => {
  installClaude();
  process.env.PATH = `${programs}${path.delimiter}${originalPath}`;
  place = await openPlace();
});

afterAll(() => {
  process.env.PATH = originalPath;
  rmSync(programs, { recursive: true, force: true });
});

const row = (page: Page, title: string) => page.locator("[data-run]", { hasText: title });
const group = (page: Page, name: string) => page.getByRole("region", { name });
const shown = (page: Page) => group(page, "Today").getByRole("link", { name: "Chore 69" }).waitFor();
const focusedTitle = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

it("shows the first visit on an empty log, and the demo starts with one press", async () => {
  const { page } = await place.open("/");
  await page.getByRole("heading", { name: "No tracks yet" }).waitFor();
  await page.getByText("2.1.325").waitFor();
  expect(await page.title()).toBe("Runs · Spoor");
  expect(await axe(page)).toEqual([]);
  await page.getByRole("button", { name: "Copy “npx spoor tail”" }).click();
  await page.getByRole("button", { name: "Start the demo run" }).click();
  await page.waitForURL("**/runs/run_*");
  await page.getByRole("link", { name: "Spoor, all runs" }).click();
  await group(page, "Needs you").getByRole("link", { name: "Demo" }).waitFor();
  await page.waitForFunction(() => document.title === "▲ 1 · Spoor");
  await expect.poll(() => page.locator('link[rel~="icon"]').first().getAttribute("href")).toBe("/icon-waiting.svg");
  const [approval] = (await place.client.approvals.list({ status: "pending" })).data;
  await place.client.approvals.resolve(approval?.approval_id ?? "", { decision: "reject" });
  await group(page, "Needs you").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.title === "Runs · Spoor");
  await expect.poll(() => page.locator('link[rel~="icon"]').first().getAttribute("href")).toBe("/icon.svg");
});

it("groups runs, shows what each asks, and moves a row only when no pointer is over the list", async () => {
  await manyRuns(place.data, 70, {
    prompt: (index) => (index === 0 ? "The oldest of all\nIt hides a needle in its second line." : `Chore ${index}`),
  });
  const { page } = await place.open("/");
  const approval = await asks("Fix add() and create a test", "rm notes.txt");
  const waiting = group(page, "Needs you");
  await waiting.getByText("Asks to run rm notes.txt").waitFor();
  await waiting.getByText(/\d+ min left/).waitFor();
  await shown(page);
  await expect.poll(() => page.locator("[data-region=assertive]").textContent()).toMatch(/^Needs you: /);
  await page.getByRole("button", { name: "Needs you 1" }).waitFor();

  await row(page, "Fix add()").hover();
  await place.client.approvals.resolve(approval, { decision: "approve" });
  await row(page, "Fix add()").getByText("Done").waitFor();
  expect(await waiting.getByRole("link", { name: "Fix add()" }).count()).toBe(1);
  await page.mouse.move(5, 5);
  await waiting.waitFor({ state: "detached" });
  await group(page, "Today").getByRole("link", { name: "Fix add()" }).waitFor();
  expect(await axe(page)).toEqual([]);
});

it("filters the whole log by words and keys, keeps the filter in the address, and says what it does not know", async () => {
  const { page } = await place.open("/");
  await shown(page);
  expect(await row(page, "The oldest of all").count()).toBe(0);
  await page.keyboard.press("/");
  await page.keyboard.type("needle agent:cod");
  await row(page, "The oldest of all").waitFor();
  await expect.poll(() => page.locator("[data-run]").count()).toBe(1);
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("needle agent:cod");
  await page.reload();
  await row(page, "The oldest of all").waitFor();

  await page.keyboard.press("/");
  await page.keyboard.press("End");
  await page.keyboard.type(" colour:red");
  await page.getByText("“colour:” narrows nothing.").waitFor();
  await page.getByRole("searchbox", { name: "Filter runs" }).fill("there is no such run");
  await page.getByText("No run matches the filter.").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await shown(page);
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("state")).toBe("done");
});

it("reads more runs on scrolling, down to the oldest", async () => {
  const { page } = await place.open("/");
  await shown(page);
  // The wheel turns over the list, whose rows stay in place under a pointer.
  await page.mouse.move(700, 600);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 5_000);
      return row(page, "The oldest of all").count();
    }, PATIENCE)
    .toBe(1);
});

it("can be used with the keyboard alone", async () => {
  const { page } = await place.open("/");
  await shown(page);
  await page.keyboard.press("Tab");
  expect(await focusedTitle(page)).toBe("Skip to content");
  await page.keyboard.press("j");
  const first = await focusedTitle(page);
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const second = await focusedTitle(page);
  expect(second).not.toBe(first);
  await page.keyboard.press("k");
  expect(await focusedTitle(page)).toBe(first);
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("c");
  await page.waitForURL(/\/compare\?run=.*&run=/);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL((url) => url.pathname === "/");
  await shown(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs/run_*");
  await page.goBack();
  await shown(page);
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await page.waitForURL("**/runs/run_*");
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await page.waitForURL("**/usage");
});

it("says that the runs and what waits could not be read, and never that there is nothing", async () => {
  const { page } = await place.open("/usage", { expected: [/status of 500/] });
  const fails = { status: 500, json: { error: { code: "internal", message: "The disk is full." } } };
  const isPressed = await noteOfPress(page, "Try again");
  for (const list of ["runs", "approvals"])
    await page.route(`**/v1/${list}?**`, async (route) =>
      (await isPressed()) ? route.continue() : route.fulfill(fails),
    );
  await page.goto(new URL("/", page.url()).href);
  await page.getByText("The runs could not be read. The disk is full.").waitFor(PATIENCE);
  await page.goto(new URL("/approvals", page.url()).href);
  await page.getByRole("heading", { name: "What waits could not be read" }).waitFor(PATIENCE);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "What waits could not be read" }).waitFor({ state: "hidden" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

it("says that the agents could not be read, and never that there is none", async () => {
  const { page } = await place.open("/usage", { expected: [/status of 500/] });
  const fails = { status: 500, json: { error: { code: "internal", message: "The disk is full." } } };
  await page.route("**/v1/agents", (route) => route.fulfill(fails));
  await page.goto(new URL("/?new", page.url()).href);
  const form = page.getByRole("dialog", { name: "New run" });
  await form.getByText("The agents could not be read: The disk is full.").waitFor(PATIENCE);
  expect(await form.getByText("No agent was found").count()).toBe(0);
  expect(await axe(page)).toEqual([]);
  await page.unroute("**/v1/agents");
  await form.getByRole("button", { name: "Try again" }).click();
  await form.getByRole("radio", { name: /Claude/ }).waitFor();
});

it("shows all keys, turns single keys off, and remembers the theme without a flash", async () => {
  const { page } = await place.open("/");
  await shown(page);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys and settings" });
  await help.waitFor();
  expect(await axe(page)).toEqual([]);
  await help.getByRole("switch", { name: /Single keys/ }).click();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search runs and commands" }).waitFor();
  await page.keyboard.type("keys and settings");
  await page.keyboard.press("Enter");
  await help.getByRole("switch", { name: /Single keys/ }).click();
  await help.getByRole("button", { name: "Close" }).click();

  await page.keyboard.press("Shift+T");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  // The body is not there yet when the theme is set, so nothing was painted before.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      sessionStorage.setItem("theme-at-body", document.documentElement.dataset.theme ?? "none");
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await shown(page);
  expect(await page.evaluate(() => sessionStorage.getItem("theme-at-body"))).toBe("dark");
  expect(await axe(page)).toEqual([]);
});

it("takes a double click on a dialog for one press, and nothing beneath the dialog gets the second", async () => {
  const { page } = await place.open("/");
  await shown(page);
  await page.keyboard.press("?");
  const close = page.getByRole("dialog").getByRole("button", { name: "Close" });
  await close.waitFor();
  await page.evaluate(() => {
    document.addEventListener("click", ({ detail }) => {
      document.documentElement.dataset.clicks = `${document.documentElement.dataset.clicks ?? ""}${detail}`;
    });
  });
  await close.dblclick();
  await close.waitFor({ state: "detached" });
  // The next click is a press of its own again.
  await page.locator("h1").click();
  await page.locator('html[data-clicks="11"]').waitFor();
});

it("finds an old run and commands with one key", async () => {
  const { page } = await place.open("/usage");
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search runs and commands" });
  await field.waitFor();
  await page.getByRole("option", { name: "New run" }).waitFor();
  await page.keyboard.type("hides needle");
  await page.getByRole("option", { name: /The oldest of all/ }).waitFor();
  expect(await axe(page)).toEqual([]);
  const active = await field.getAttribute("aria-activedescendant");
  expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => field.getAttribute("aria-activedescendant")).not.toBe(active);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/runs/run_*");
  await page.getByText("The oldest of all").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("' OR 1=1 --");
  await page.getByText("No run matches.").waitFor();
  // The keys of the list narrow here, too.
  await field.fill("agent:codex hides needle");
  await page.getByRole("option", { name: /The oldest of all/ }).waitFor();
  await field.fill("agent:claude hides needle");
  await page.getByText("No run matches.").waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});

it("opens what was typed last, however early Enter is pressed, and keeps what was chosen when answers arrive", async () => {
  const { page } = await place.open("/usage");
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/v1\/runs\?.*needle/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search runs and commands" });
  await field.fill("a");
  await page.getByRole("group", { name: "Runs" }).getByRole("option").first().waitFor();
  const asked = page.waitForRequest(/\/v1\/runs\?.*needle/);
  await field.fill("hides needle");
  await page.keyboard.press("Enter");
  await asked;
  expect(new URL(page.url()).pathname).toBe("/usage");
  answer();
  await page.waitForURL("**/runs/run_*");
  await page.getByText("The oldest of all").first().waitFor();

  await page.unrouteAll();
  await page.keyboard.press("Control+k");
  await field.fill("hides needle");
  await page.getByRole("option", { name: /in the list/ }).hover();
  await page.getByRole("option", { name: /The oldest of all/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/?q=hides+needle");
});

it("starts a run of an agent that is installed, and shows at its field what the server refuses", async () => {
  const { page } = await place.open("/", { expected: [/the server responded with a status of 4\d\d/] });
  const work = path.join(place.home, "new-run-work");
  mkdirSync(work);
  await shown(page);
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "New run" });
  await form.getByRole("radio", { name: /Claude/ }).check();
  await form.getByLabel("What shall it do?").fill("Look at everything");
  await form.getByLabel("Folder").fill("/there/is/no/such/folder");
  await page.keyboard.press("Control+Enter");
  const folder = form.getByLabel("Folder");
  await form.getByText("must be a folder that exists").waitFor();
  expect(await folder.getAttribute("aria-invalid")).toBe("true");
  expect(await axe(page)).toEqual([]);
  // The draft survives the page.
  await page.reload();
  await expect.poll(() => form.getByLabel("What shall it do?").inputValue()).toBe("Look at everything");
  await folder.fill(work);
  await form.getByText("Model, budget, permission, limits").click();
  const rules = form.getByLabel("Rules for this run");
  await rules.fill("ask shell rm **\nfrob shell ls");
  await page.keyboard.press("Control+Enter");
  await form.getByText('Line 2: "frob" is not an action.').waitFor();
  expect(await rules.getAttribute("aria-invalid")).toBe("true");
  // The field stays where it is when it is emptied.
  await rules.fill("");
  expect(await rules.isVisible()).toBe(true);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/runs/run_*");
  await page.getByText("I looked at everything.").first().waitFor();
});

it("starts a run with the first agent that is here, also if the server still looks for agents", async () => {
  const { page } = await place.open("/");
  await shown(page);
  const work = path.join(place.home, "new-run-early");
  mkdirSync(work);
  let answer = () => {};
  const isAsked = new Promise<void>((asked) => {
    void page.route("**/v1/agents", async (route) => {
      asked();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
  });
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "New run" });
  await form.getByLabel("What shall it do?").fill("Look at everything");
  await form.getByLabel("Folder").fill(work);
  await page.keyboard.press("Control+Enter");
  await isAsked;
  await form.getByRole("button", { name: "Starting" }).waitFor();
  expect(await form.getByText("Choose an agent.").count()).toBe(0);
  answer();
  await page.waitForURL("**/runs/run_*");
  await page.getByText("I looked at everything.").first().waitFor();
});

it("starts our own loop with a model of the demo", async () => {
  const { page } = await place.open("/?new", { expected: [/the server responded with a status of 4\d\d/] });
  const form = page.getByRole("dialog", { name: "New run" });
  await form.getByRole("radio", { name: /loop/i }).check();
  await form.getByLabel("What shall it do?").fill("Show me around");
  const work = path.join(place.home, "new-run-loop");
  mkdirSync(work);
  await form.getByLabel("Folder").fill(work);
  await form.getByRole("button", { name: /Start/ }).click();
  await form.getByText("model is missing").waitFor();
  await form.getByLabel("Model").fill("demo/tour");
  await form.getByRole("button", { name: /Start/ }).click();
  await page.waitForURL("**/runs/run_*");
  const { pathname } = new URL(page.url());
  const run = await place.client.runs.get(pathname.split("/")[2] ?? "");
  expect(run).toMatchObject({ kind: "agent_loop", title: "Show me around" });
  await place.client.runs.cancel(run.run_id);
});

it("starts the demo from New run, too, although there are runs", async () => {
  const { page } = await place.open("/?new");
  await page.getByRole("dialog", { name: "New run" }).getByRole("button", { name: "Try the demo" }).click();
  await page.waitForURL("**/runs/run_*");
  const run = await place.client.runs.get(new URL(page.url()).pathname.split("/")[2] ?? "");
  expect(run.title).toMatch(/^Demo/);
  await place.client.runs.cancel(run.run_id);
});

it("asks for notifications only on a press, and tells of a run that needs somebody", async () => {
  const { page } = await place.open("/", {
    async prepare(context) {
      await context.addInitScript(() => {
        const told: string[] = [];
        class Told {
          static permission = "default";
          static requestPermission = async () => {
            told.push("asked");
            Told.permission = "granted";
            return "granted";
          };
          close = () => {};
          constructor(title: string) {
            told.push(title);
          }
        }
        Object.assign(window, { Notification: Told, told });
        document.hasFocus = () => false;
      });
    },
  });
  const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
  const first = await asks("First question", "ls -la");
  await group(page, "Needs you").getByText("ls -la").waitFor();
  expect(await told()).toEqual([]);
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  await expect.poll(told, PATIENCE).toEqual(["asked"]);
  const second = await asks("Second question", "make all");
  await expect.poll(async () => (await told()).length, PATIENCE).toBe(2);
  expect((await told())[1]).toMatch(/^Needs you: .*make all/);
  for (const id of [first, second]) await place.client.approvals.resolve(id, { decision: "reject" });
});

it.each(["phone", "narrow"] as const)(
  "fits a %s, with tabs at the bottom and everything else under More",
  async (size) => {
    const { page } = await place.open("/", { size });
    await group(page, "Today").getByRole("link").first().waitFor();
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(width[0]).toBe(width[1]);
    const tabs = page.getByRole("navigation", { name: "Tabs" });
    await tabs.getByRole("link", { name: "Runs" }).waitFor();
    expect(await axe(page)).toEqual([]);
    await tabs.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Compare" }).click();
    await page.waitForURL("**/compare");
    await tabs.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("button", { name: "New run" }).click();
    await page.getByRole("dialog", { name: "New run" }).waitFor();
    if (size === "phone") expect(await axe(page)).toEqual([]);
  },
);

it("mounts only the rows near the screen when there are many", async () => {
  await manyRuns(place.data, 240, { prompt: (index) => `Mass ${index}`, agent: "gemini" });
  const { page } = await place.open("/?q=agent:gemini");
  await page.getByRole("link", { name: "Mass 239", exact: true }).waitFor();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 20_000);
      return page.getByRole("link", { name: "Mass 0", exact: true }).count();
    }, PATIENCE)
    .toBe(1);
  expect(await page.locator("[data-run]").count()).toBeLessThan(100);
  expect(await page.locator("li[aria-setsize='240']").count()).toBeGreaterThan(5);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole("link", { name: "Mass 239", exact: true }).waitFor();
  expect(await axe(page)).toEqual([]);
});
