import { beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./harness.ts";
import { hostileRun, hostileTexts } from "./runs/hostile.ts";
import { hostileQuestion } from "./runs/hostile-question.ts";
import { settled, sidewaysScroll, visit } from "./settled.ts";

let place: Place;
let run_id: string;
let asked: { run_id: string; approval_id: string };

beforeAll(async () => {
  place = await openPlace();
  [run_id, asked] = await Promise.all([hostileRun(place.data), hostileQuestion(place)]);
});

/** What an agent could have added to the page: elements that only its markup contains, or that load something. */
const foreign =
  "script:not([src^='/']), iframe, object, embed, form[action], link[href*='evil'], img[src*='evil'], [onerror], [onload], [onfocus], a[href^='javascript'], a[href^='data']";

it.for(["laptop", "phone"] as const)("nothing that an agent writes takes the page over, on a %s", async (size) => {
  // The fixture fails by itself if the policy is violated, a dialog opens, or another host is called.
  const { page, faults } = await place.open("/", { size });
  await settled(page);
  const targets = [
    "/",
    ...["", "/changes", "/timeline", "/events"].map((view) => `/runs/${run_id}${view}`),
    `/runs/${asked.run_id}`,
    "/approvals",
    `/approvals/${asked.approval_id}`,
    `/compare?run=${run_id}&run=${asked.run_id}`,
    "/usage",
    "/events",
  ];
  for (const target of targets) {
    await visit(page, target);
    await scrollThrough(page);
    expect([target, await page.locator(foreign).count()]).toEqual([target, 0]);
    expect([target, await sidewaysScroll(page)]).toEqual([target, []]);
    expect([target, faults]).toEqual([target, []]);
  }
});

it("what cannot be seen is shown as codes, and marks of direction do not reach beyond their text", async () => {
  const { page } = await place.open(`/runs/${run_id}`);
  await settled(page);
  const seen = await textOf(page);
  for (const code of ["\\u202e", "\\u200b", "\\u2060"]) expect(seen).toContain(code);
  expect(seen).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/);
  expect(seen).not.toContain("\u0007");
  expect(seen).toContain(hostileTexts.script);
});

it("an approval shows the whole action, with codes, before it can be approved", async () => {
  const { page } = await place.open(`/approvals/${asked.approval_id}`);
  await settled(page);
  const seen = await visibleText(page);
  expect(seen).toContain("\\u202e");
  expect(seen).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

/** All texts of the page, read while it is scrolled from its beginning to its end, since lists hold only what is in view. */
async function textOf(page: Parameters<typeof settled>[0]): Promise<string> {
  const texts: string[] = [];
  await page.evaluate(() => scrollTo(0, 0));
  for (let step = 0; step < 60; step += 1) {
    texts.push(await visibleText(page));
    const isEnd = await page.evaluate(() => {
      const { scrollHeight } = document.documentElement;
      if (scrollY + innerHeight >= scrollHeight - 2) return true;
      scrollBy(0, innerHeight * 0.9);
      return false;
    });
    if (isEnd) break;
    await settled(page);
  }
  return texts.join("\n");
}

async function scrollThrough(page: Parameters<typeof settled>[0]): Promise<void> {
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await page.evaluate((to) => scrollTo(0, document.documentElement.scrollHeight * to), part);
    await settled(page);
  }
}

const visibleText = async (page: Parameters<typeof settled>[0]): Promise<string> =>
  (await page.locator("main").first().textContent()) ?? "";
