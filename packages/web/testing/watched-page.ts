import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Served } from "./served.ts";

/** The sizes of the design. */
export const sizes = {
  laptop: { width: 1440, height: 900 },
  tablet: { width: 900, height: 1100 },
  phone: { width: 390, height: 844 },
  /** The narrowest that must work without sideways scrolling. */
  narrow: { width: 320, height: 640 },
} as const;

export type Size = keyof typeof sizes;
export type Theme = "light" | "dark";

export interface OpenOptions {
  size?: Size;
  theme?: Theme;
  /** Whether the browser has the login cookie. Default: true. */
  loggedIn?: boolean;
  /** Messages on the console, failed requests and the like that this test expects. */
  expected?: readonly RegExp[];
  /** Pixels of the picture for each pixel of the page. Default: 1. */
  scale?: number;
  /** Prepares the context, such as with a clock or permissions. */
  prepare?(context: BrowserContext): Promise<void>;
}

/** A page that notes everything that must not happen on it. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** What went wrong so far: errors, violations of the policy, requests to other hosts, dialogs, pop-ups. */
  faults: string[];
  /** Closes the page and throws if anything went wrong. */
  close(): Promise<void>;
}

/** Opens a path of the server in a fresh, logged-in context. */
export async function openWatched(
  browser: Browser,
  served: Pick<Served, "url" | "cookie">,
  target: string,
  { size = "laptop", theme = "light", loggedIn = true, expected = [], scale = 1, prepare }: OpenOptions = {},
): Promise<WatchedPage> {
  const isTouch = size === "phone" || size === "narrow";
  const context = await browser.newContext({
    viewport: sizes[size],
    deviceScaleFactor: scale,
    colorScheme: theme,
    hasTouch: isTouch,
    isMobile: isTouch,
    baseURL: served.url,
    locale: "en-GB",
    timezoneId: zoneOfMidday(new Date()),
  });
  if (loggedIn) await context.addCookies([served.cookie]);
  await prepare?.(context);
  const faults: string[] = [];
  const note = (fault: string) => {
    if (!expected.some((pattern) => pattern.test(fault))) faults.push(fault);
  };
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
      console.error(`policy violated: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  const page = await context.newPage();
  watch(page, served.url, note);
  page.on("popup", (popup) => {
    note(`a window was opened: ${popup.url()}`);
    watch(popup, served.url, note);
  });
  await page.goto(target);
  return {
    page,
    context,
    faults,
    async close() {
      await context.close();
      if (faults.length > 0) throw new Error(`On the page ${target}:\n  ${faults.join("\n  ")}`);
    },
  };
}

/** The time zone in which it is about midday, so that what began minutes ago is of today whenever the tests run. */
function zoneOfMidday(now: Date): string {
  const ahead = 12 - now.getUTCHours();
  // The sign of these names is the opposite of the usual one.
  return `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

function watch(page: Page, url: string, note: (fault: string) => void): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`error: ${error.stack ?? error.message}`));
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "blob:" && protocol !== "data:" && origin !== url)
      note(`request to another host: ${request.url()}`);
  });
}
