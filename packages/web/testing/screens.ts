// Takes a picture of every screen, on a laptop in both themes and on a phone, into docs/screens:
//
//   npm run screens                  all
//   npm run screens -- run changes   those whose names begin so
//
// The page uses the fonts of the reader's system. For pictures with the fonts of the design, `SPOOR_FONTS` names a folder with
// Inter.woff2 and JetBrainsMono.woff2.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { type Showcase, showcase } from "./runs/showcase.ts";
import { stateRuns } from "./runs/states.ts";
import { type Served, startServed } from "./served.ts";
import { settled } from "./settled.ts";
import { openWatched, type Size, type Theme } from "./watched-page.ts";

const folder = path.resolve(import.meta.dirname, "../../../docs/screens");
const wanted = process.argv.slice(2);

interface Picture {
  name: string;
  target(runs: Showcase): string;
  /** What a person does first. */
  before?(page: Page): Promise<unknown>;
}

const toBeginning = (page: Page) => page.keyboard.press("Home");
const toEnd = (page: Page) => page.keyboard.press("End");

/** Every picture: its name, its address, and what a person does first. */
const screens: readonly Picture[] = [
  { name: "runs", target: () => "/" },
  { name: "new-run", target: () => "/?new" },
  { name: "run", target: ({ waiting }) => `/runs/${waiting}`, before: toBeginning },
  { name: "run-end", target: ({ waiting }) => `/runs/${waiting}`, before: toEnd },
  { name: "changes", target: ({ demo }) => `/runs/${demo}/changes` },
  { name: "timeline", target: ({ long }) => `/runs/${long}/timeline`, before: selectWait },
  { name: "events", target: ({ demo }) => `/runs/${demo}/events`, before: selectEvent },
  { name: "approvals", target: ({ approval }) => `/approvals/${approval}` },
  { name: "compare", target: ({ fixed }) => `/compare?run=${fixed.join("&run=")}` },
  { name: "usage", target: () => "/usage", before: pointAtDay },
  { name: "all-events", target: () => "/events" },
];

/** Selects the longest span, which is a wait, as a press on its bar does. */
async function selectWait(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Waited for an answer/ }).click();
  await page.evaluate(() => scrollTo(0, 0));
}

/** Selects an event in the middle of the list. On a phone it would cover the list. */
async function selectEvent(page: Page): Promise<void> {
  if ((page.viewportSize()?.width ?? 0) > 720) await page.getByText("assistant.final_answer").click();
}

async function pointAtDay(page: Page): Promise<void> {
  const box = await page.getByRole("slider").boundingBox();
  if (box && box.width > 600) await page.mouse.move(box.x + box.width * 0.66, box.y + box.height * 0.6);
}

/** What a browser logs by itself when a server is away, or wants a login. */
const expected = [/WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource|net::ERR/];

const forms: readonly { suffix: string; size: Size; theme: Theme }[] = [
  { suffix: "light", size: "laptop", theme: "light" },
  { suffix: "dark", size: "laptop", theme: "dark" },
  { suffix: "phone", size: "phone", theme: "light" },
];

mkdirSync(folder, { recursive: true });
const browser = await launchChromium();
const empty = await startServed();
const states = await startServed();
// The pictures show the folder, so it has a short name.
const home = path.join(tmpdir(), "home");
mkdirSync(home);
const served = await startServed({ home });
try {
  await take("empty", "/", empty);
  const runs = await showcase(served);
  for (const { name, target, before } of screens) await take(name, target(runs), served, before);
  await takeStates();
} finally {
  await browser.close();
  await Promise.all([empty, states, served].map((place) => place.close()));
}

/** Runs in every state, a run that lacks events, a silent one, a server that is gone, and a browser without a login. */
async function takeStates(): Promise<void> {
  const runs = await stateRuns(states.data, path.join(states.home, "project"));
  await take("states", "/", states);
  await take("states-gaps", `/runs/${runs.broken}`, states);
  await take("states-stalled", `/runs/${runs.stalled}`, states);
  await take("states-logged-out", "/", { ...states, cookie: { ...states.cookie, value: "none" } });
  await take("states-gone", `/runs/${runs.failed}`, states, async (page) => {
    await states.stop();
    await page.locator('[data-notice="gone"]').waitFor({ timeout: 60_000 });
  });
}

async function take(name: string, target: string, place: Served, before?: Picture["before"]): Promise<void> {
  if (wanted.length > 0 && !wanted.some((start) => name.startsWith(start))) return;
  for (const { suffix, size, theme } of forms) {
    // The picture before may be that of a server that is gone.
    if (place === states && !(await answers(place))) await place.start();
    const watched = await openWatched(browser, place, target, {
      size,
      theme,
      scale: size === "phone" ? 2 : 1,
      prepare: withFonts,
      expected,
    });
    const { page, faults } = watched;
    // The ring of a working run would be somewhere else on each picture.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await settled(page);
    // Lists and counts come before the connection does. A browser without a login has none.
    if (name !== "states-logged-out")
      await page.getByText("Live", { exact: true }).first().waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    await before?.(page);
    await page.waitForTimeout(600);
    writeFileSync(path.join(folder, `${name}-${suffix}.png`), await page.screenshot({ caret: "hide" }));
    if (faults.length > 0) console.error(`${name}-${suffix}: ${faults.splice(0).join("\n")}`);
    await watched.close();
    console.log(`docs/screens/${name}-${suffix}.png`);
  }
}

function answers({ url }: Served): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Gives a context the fonts of the design. A font that is made from bytes is not loaded, so the policy of the page holds. */
async function withFonts(context: BrowserContext): Promise<void> {
  const fonts = process.env.SPOOR_FONTS;
  if (!fonts) return;
  const read = (name: string) => readFileSync(path.join(fonts, `${name}.woff2`)).toString("base64");
  await context.addInitScript(
    (faces) => {
      for (const [family, bytes] of faces)
        document.fonts.add(
          new FontFace(family, Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)).buffer, {
            weight: "100 900",
          }),
        );
    },
    [
      ["Inter", read("Inter")],
      ["JetBrains Mono", read("JetBrainsMono")],
    ] as const,
  );
}
