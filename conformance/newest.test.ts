import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Cli } from "./cli.ts";
import { CLIS } from "./clis.ts";
import { install, newestVersion, packageOf } from "./newest.ts";

const folder = mkdtempSync(join(tmpdir(), "spoor-newest-"));
const pi = CLIS.find(({ name }) => name === "pi") as Cli;
const name = packageOf(pi);
let registry: Server;

/** A registry with one agent: version 8.0.0 can be installed; 9.0.0 has a dependency that was never published. */
beforeAll(async () => {
  const tarballs = new Map(["8.0.0", "9.0.0"].map((version) => [version, readFileSync(packed(version))]));
  registry = createServer((request, response) => {
    const { port } = registry.address() as AddressInfo;
    const asked = decodeURIComponent(request.url ?? "");
    const version = /(\d\.0\.0)\.tgz$/.exec(asked)?.[1];
    if (version !== undefined) return void response.end(tarballs.get(version));
    if (asked !== `/${name}`) return void response.writeHead(404).end("{}");
    const versions = Object.fromEntries(
      [...tarballs.keys()].map((each) => [
        each,
        { ...manifest(each), dist: { tarball: `http://127.0.0.1:${port}/${name}/-/pi-${each}.tgz` } },
      ]),
    );
    response.end(JSON.stringify({ name, "dist-tags": { latest: "9.0.0" }, versions }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => registry.once("listening", resolve));
  const { port } = registry.address() as AddressInfo;
  vi.stubEnv("npm_config_registry", `http://127.0.0.1:${port}/`);
  vi.stubEnv("npm_config_cache", join(folder, "npm"));
  vi.stubEnv("npm_config_fetch_retries", "0");
}, 60_000);

afterAll(() => {
  vi.unstubAllEnvs();
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const manifest = (version: string) => ({
  name,
  version,
  ...(version === "9.0.0" && { dependencies: { "spoor-never-published": "1.0.0" } }),
});

function packed(version: string): string {
  const source = join(folder, version, "package");
  mkdirSync(join(source, "dist/bundle"), { recursive: true });
  writeFileSync(join(source, "package.json"), JSON.stringify(manifest(version)));
  writeFileSync(join(source, "dist/bundle/cli.js"), `console.log("${version}");`);
  spawnSync("tar", ["-czf", join(folder, `${version}.tgz`), "-C", join(folder, version), "package"]);
  return join(folder, `${version}.tgz`);
}

describe("a newer version of an agent", { timeout: 240_000 }, () => {
  it("is the latest one in the registry", async () => {
    expect(await newestVersion(pi)).toBe("9.0.0");
  });

  it("is installed with its dependencies, or else as its package alone", async () => {
    for (const [version, isWhole] of [
      ["8.0.0", true],
      ["9.0.0", false],
    ] as const) {
      const installed = await install(pi, version, folder);
      expect(installed).toMatchObject({ version, isWhole });
      expect(existsSync(join(installed?.modules ?? "", pi.program))).toBe(true);
    }
    expect(await install(pi, "10.0.0", folder)).toBeUndefined();
  });
});

it("unknown flags are refused with a list of the known ones", () => {
  const script = join(import.meta.dirname, "run.ts");
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=spoor-source", script, "--latest"], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining("[--newest [--pin] | --runtime | --clients]"),
  });
});
