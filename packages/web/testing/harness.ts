import type { Browser } from "playwright-core";
import { afterAll, onTestFinished, vi } from "vitest";
import { launchChromium } from "./chromium.ts";
import { type Served, startServed } from "./served.ts";
import { type OpenOptions, openWatched, type WatchedPage } from "./watched-page.ts";

export { axe } from "./axe.ts";

// A browser beside other tests on two cores takes its time. This holds for the file that imports this one.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Closes what `openPlace` has opened. The hook is registered when a test file imports this one. */
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
});

/** One server, one data directory and one browser, for all tests of a file. */
export interface Place extends Served {
  browser: Browser;
  /** Opens a path. When the test ends, the page is closed, and the test fails if anything went wrong on it. */
  open(target: string, options?: OpenOptions): Promise<WatchedPage>;
}

/** Starts a place. Call it in `beforeAll`. It is closed after the tests of the file. */
export async function openPlace(options: Parameters<typeof startServed>[0] = {}): Promise<Place> {
  const [served, browser] = await Promise.all([startServed(options), launchChromium()]);
  closing.push(
    () => browser.close(),
    () => served.close(),
  );
  return Object.assign(served, {
    browser,
    async open(target: string, open: OpenOptions = {}) {
      const watched = await openWatched(browser, served, target, open);
      onTestFinished(() => watched.close());
      return watched;
    },
  });
}
