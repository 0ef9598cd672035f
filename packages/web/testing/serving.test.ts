import { beforeAll, expect, it } from "vitest";
import { axe, openPlace, type Place } from "./harness.ts";
import { demoRun } from "./runs/demo.ts";

let place: Place;
let run_id: string;

beforeAll(async () => {
  place = await openPlace();
  run_id = await demoRun(place);
});

it("a login link leads to the screen that it was made for, and the browser stays logged in", async () => {
  const { page } = await place.open(`${await place.loginLink()}?next=/runs/${run_id}`, { loggedIn: false });
  await page.waitForURL(`**/runs/${run_id}`);
  await page.getByText("Demo: a greeting program").first().waitFor();
  await page.reload();
  await page.getByText("Demo: a greeting program").first().waitFor();
});

it("a page from before an update says so when a part of it is gone, and works after a reload", async () => {
  const { page } = await place.open("/", { expected: [/404|dynamically imported module|Failed to load/] });
  await page.getByText("Demo: a greeting program").first().waitFor();
  await page.route("**/assets/usage-*.js", (route) => route.fulfill({ status: 404, body: "{}" }));
  await page.getByRole("link", { name: "Usage" }).first().click();
  await page.getByText("This page is older than the server.").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.unroute("**/assets/usage-*.js");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.waitForURL("**/usage");
  await page.getByText("This page is older than the server.").waitFor({ state: "detached" });
});

it("the page can be installed: its manifest and icons load under its policy", async () => {
  const { page, context } = await place.open("/");
  const session = await context.newCDPSession(page);
  const { errors, url } = await session.send("Page.getAppManifest");
  expect([errors, url]).toEqual([[], `${place.url}/manifest.webmanifest`]);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  expect(installabilityErrors).toEqual([]);
  for (const name of ["icon.svg", "icon-192.png", "icon-512.png", "icon-maskable-512.png", "apple-touch-icon.png"]) {
    expect([name, (await fetch(`${place.url}/${name}`)).status]).toEqual([name, 200]);
  }
});
