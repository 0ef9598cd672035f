import { beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./harness.ts";
import { longWordRun, manyFilesRun } from "./runs/many-files.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});

it("a run that changed 5,000 files draws only those near the screen, and leads to every other one", async () => {
  const run = await manyFilesRun(place.data, 5_000);
  const { page } = await place.open(`/runs/${run}`);
  await page.locator("#main").getByText("file-0.ts").first().waitFor();
  expect(await page.locator("*").count()).toBeLessThan(10_000);

  await page.getByRole("link", { name: /^Changes/ }).click();
  const files = page.locator("[data-path]");
  await files.first().waitFor();
  await page.getByRole("heading", { name: /^5,000 files/ }).waitFor();
  expect(await files.count()).toBe(100);
  await page.getByText("4,900 more files are not shown yet.").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => files.count()).toBe(200);

  // A link leads to a file that is not drawn yet.
  await page.goto(`/runs/${run}/changes#src/part-12/file-12.ts`);
  const wanted = page.locator('[data-path="src/part-12/file-12.ts"]');
  await wanted.waitFor();
  await expect.poll(() => wanted.evaluate((card) => card === document.activeElement)).toBe(true);
});

it("a word of five million characters is shown in part, and does not stop the page", async () => {
  const run = await longWordRun(place.data, 5_000_000);
  const { page } = await place.open(`/runs/${run}`);
  await page.getByText("4,800,000 more characters of this text are not shown here.").waitFor();
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.waitForURL("**/timeline");
});
