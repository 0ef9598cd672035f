import { expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { adapters } from "../../agents/registry.ts";
import { createPlugins } from "./plugins.ts";

it("reads claude's plugin record, and its settings for which are enabled", async () => {
  const home = privateHome({
    ".claude/plugins/installed_plugins.json": JSON.stringify({
      version: 2,
      plugins: { "a@market": [{ scope: "user", installPath: "/plugins/a", version: "1.2.3" }], "b@market": [{}] },
    }),
    ".claude/settings.json": JSON.stringify({ enabledPlugins: { "a@market": true, "b@market": false } }),
  });
  expect(await createPlugins({ adapters, ...home }).list("claude")).toEqual([
    { id: "a@market", version: "1.2.3", path: "/plugins/a", enabled: true },
    { id: "b@market", enabled: false },
  ]);
});

it.each([
  ["gemini", ".gemini", "gemini-extension.json"],
  ["qwen", ".qwen", "qwen-extension.json"],
])("reads the plugin folders of %s", async (agent, folder, manifest) => {
  const home = privateHome({
    [`${folder}/extensions/two/${manifest}`]: '{"name":"two","version":"0.2.0"}',
    [`${folder}/extensions/one/${manifest}`]: '{"name":"one"}',
    [`${folder}/extensions/draft/notes.txt`]: "",
    [`${folder}/extensions/extension-enablement.json`]: "{}",
  });
  expect(await createPlugins({ adapters, ...home }).list(agent)).toEqual([
    { id: "one", path: home.at(`${folder}/extensions/one`) },
    { id: "two", version: "0.2.0", path: home.at(`${folder}/extensions/two`) },
  ]);
});

it("reads the plugins of pi and codex from their settings", async () => {
  const home = privateHome({
    ".pi/agent/settings.json": JSON.stringify({ packages: ["npm:tools", { source: "git:github.com/a/b" }, 7] }),
    ".codex/config.toml": '[plugins."pl@market"]\nenabled = true\n',
  });
  const plugins = createPlugins({ adapters, ...home });
  expect(await plugins.list("pi")).toEqual([{ id: "npm:tools" }, { id: "git:github.com/a/b" }]);
  expect(await plugins.list("codex")).toEqual([{ id: "pl@market", enabled: true }]);
});

it("returns an empty list when the files do not exist", async () => {
  const plugins = createPlugins({ adapters, ...privateHome() });
  for (const agent of ["claude", "codex", "gemini", "pi", "qwen"]) expect(await plugins.list(agent)).toEqual([]);
});

it("reports the file that cannot be read", async () => {
  const home = privateHome({ ".claude/plugins/installed_plugins.json": "{" });
  await expect(createPlugins({ adapters, ...home }).list("claude")).rejects.toMatchObject({ code: "CONFIG_ERROR" });
});

it("rejects an agent without plugins", async () => {
  await expect(createPlugins({ adapters }).list("acp")).rejects.toMatchObject({ code: "CAPABILITY_ERROR" });
});
