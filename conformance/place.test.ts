import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Cli } from "./cli.ts";
import { CLIS } from "./clis.ts";
import { place } from "./place.ts";

const url = "http://127.0.0.1:4321";

async function placed(cli: Cli) {
  const home = await mkdtemp(join(tmpdir(), "spoor-place-"));
  onTestFinished(() => rm(home, { recursive: true }));
  return { home, ...(await place(cli, { url, home })) };
}

test.each(CLIS)("$name gets a home and an environment of its own, and dummy keys", async (cli) => {
  process.env.SPOOR_SECRET = "secret";
  onTestFinished(() => {
    delete process.env.SPOOR_SECRET;
  });
  const { home, env, cwd } = await placed(cli);
  expect(env.HOME).toBe(home);
  expect(env).not.toHaveProperty("SPOOR_SECRET");
  for (const [name, value] of Object.entries(env).filter(([name]) => name.includes("KEY"))) {
    expect([name, value]).toEqual([name, "dummy-key"]);
  }
  expect((await stat(cwd)).isDirectory()).toBe(true);
  expect((await stat(env.TMPDIR ?? "")).isDirectory()).toBe(true);
});

test.each(CLIS)("$name is pointed at the model server, by nothing but environment and files", async (cli) => {
  const { home, env, oneShot } = await placed(cli);
  const names = Object.keys(cli.files ?? {});
  const texts = await Promise.all(names.map((name) => readFile(join(home, name), "utf8")));
  const own = Object.entries(env).filter(([name]) => !name.endsWith("_PROXY"));
  // An agent that needs a login talks only to its vendor's service, which it cannot reach.
  expect([...texts, ...own.flat()].some((text) => text.includes(url))).toBe(!cli.needsLogin);
  expect([...texts, ...Object.values(env)].join()).not.toMatch(/\{(url|home|prompt|modules)\}/);
  if (cli.oneShot) expect(oneShot("Say {home} $& hello.")).toContain("Say {home} $& hello.");
  expect(oneShot("x").join()).not.toContain(url);
});

test.each(CLIS)("$name sends to loopback whatever would leave the machine", async (cli) => {
  const { env } = await placed(cli);
  expect(env).toMatchObject({ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: "127.0.0.1" });
});
