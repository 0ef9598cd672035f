import { expect, it } from "vitest";
import { privateHome } from "../../testing/run/private-home.ts";
import { toy } from "../../testing/run/toy-adapter.ts";
import { claude } from "../agents/claude/index.ts";
import { codex } from "../agents/codex/index.ts";
import type { Adapter } from "../agents/machine.ts";
import { pi } from "../agents/pi/index.ts";
import { adapters } from "../agents/registry.ts";
import { detect } from "./detect.ts";

const onPosix = it.skipIf(process.platform === "win32");

/** Creates a home folder with a program of this name that runs the given shell script. */
function withProgram(name: string, script: string) {
  const home = privateHome();
  home.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
  return { env: { ...home.env, PATH: `${home.at("bin")}:/usr/bin:/bin` }, home: home.home, cwd: home.cwd };
}

onPosix("finds a program and its version, and sees that it is new enough", async () => {
  const found = await detect(claude, withProgram("claude", "echo '2.1.325 (Claude Code)'"));
  expect(found).toMatchObject({ installed: true, version: "2.1.325", meetsMinimumVersion: true });
  expect(found.path).toMatch(/bin\/claude$/);
  expect(found.problem).toBeUndefined();
});

onPosix("reports a version older than the minimum", async () => {
  const found = await detect(codex, withProgram("codex", "echo 'warning 9.9 of 9.9' >&2; echo codex-cli 0.30.1"));
  expect(found).toMatchObject({ version: "0.30.1", meetsMinimumVersion: false });
  expect(found.problem).toContain("0.30.1 is older than 0.166.0");
});

onPosix("kills a program, and its children, that hangs when asked for its version", async () => {
  const around = withProgram("codex", "trap '' TERM\nsleep 60 & sleep 60");
  const found = await detect(codex, { ...around, timeoutMs: 300 });
  expect(found).toMatchObject({ installed: true, version: undefined, meetsMinimumVersion: undefined });
  expect(found.problem).toBe("The program did not print its version.");
});

onPosix("stops reading a program that prints without end", async () => {
  const found = await detect(codex, withProgram("codex", "yes no number here"));
  expect(found.version).toBeUndefined();
});

onPosix("reports no version for a program that cannot be run", async () => {
  const found = await detect(codex, withProgram("codex", "exit 3"));
  expect(found).toMatchObject({ installed: true, version: undefined });
});

it("lists the ways to install a missing agent on this platform", async () => {
  const { env } = privateHome();
  const onLinux = await detect(claude, { env: { ...env, PATH: "/nowhere" }, platform: "linux" });
  const onWindows = await detect(claude, { env: { ...env, PATH: "/nowhere" }, platform: "win32" });
  expect(onLinux).toMatchObject({ installed: false, path: undefined, version: undefined });
  expect(onLinux.install.map((method) => method.with)).toEqual(["npm", "curl"]);
  expect(onWindows.install.map((method) => method.with)).toEqual(["npm"]);
});

it("derives the capabilities of an agent without facts from its dialects", async () => {
  const { about: _, ...bare }: Adapter = toy;
  const found = await detect(bare, privateHome());
  expect(found.capabilities).toMatchObject({ supportsTextStreaming: true, supportsPlugins: false });
  expect(found.auth.status).toBe("unknown");
  expect(found.install).toEqual([]);
});

it("does not offer the approval mode ask for agents that act without asking", async () => {
  const home = privateHome();
  expect((await detect(claude, home)).capabilities.approvalModes).toContain("ask");
  expect((await detect(pi, home)).capabilities.approvalModes).not.toContain("ask");
});

it("returns where a credential was found, never the credential", async () => {
  const home = privateHome({ ".codex/auth.json": '{"key":"sk-in-a-file"}' });
  const secrets = Object.fromEntries(
    adapters.flatMap(({ about }) =>
      (about?.auth?.methods ?? []).flatMap(({ variables = [] }) => variables.map((name) => [name, "sk-in-a-variable"])),
    ),
  );
  const found = await Promise.all(
    adapters.map((adapter) => detect(adapter, { ...home, env: { ...home.env, ...secrets } })),
  );
  expect(JSON.stringify(found)).not.toContain("sk-in");
  const known = adapters.filter(({ about }) => about?.auth).map(({ name }) => name);
  expect(found.filter(({ auth }) => auth.status === "found").map(({ agent }) => agent)).toEqual(known);
});
