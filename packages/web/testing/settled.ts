import type { Page } from "playwright-core";

/** Waits until a screen shows its content: its main part is there, and nothing in it is still being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Goes to an address of the page without loading the page again, as a link does. */
export async function visit(page: Page, target: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, target);
  await settled(page);
}

/** Elements outside of code, tables and other scrolling boxes that make the page scroll sideways, and by how many pixels. */
export const sidewaysScroll = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = (element: Element) => element.getBoundingClientRect().right > clientWidth + 1;
    const widest = [...document.body.querySelectorAll("*")].filter(isWide).slice(-5);
    return [
      `${scrollWidth - clientWidth} px`,
      ...widest.map(({ tagName, className }) => `${tagName.toLowerCase()}.${String(className)}`),
    ];
  });
