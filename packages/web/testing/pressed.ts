import type { Page } from "playwright-core";

/**
 * Tells whether a button was pressed since the page was loaded the next time. What fails until then cannot recover by itself
 * before a test has pressed the button.
 */
export async function noteOfPress(page: Page, name: string): Promise<() => Promise<boolean>> {
  await page.addInitScript((words) => {
    const note = ({ target }: Event) => {
      if (target instanceof Element && target.closest("button")?.textContent === words)
        document.documentElement.dataset.pressed = "";
    };
    addEventListener("click", note, { capture: true });
  }, name);
  // A page that is just left cannot be asked, and its button does not matter any more.
  return () => page.evaluate(() => document.documentElement.dataset.pressed === "").catch(() => false);
}
