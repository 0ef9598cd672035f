import { describe, expect, it } from "vitest";
import { adapters } from "./registry.ts";

const known = adapters.flatMap(({ name, about, dialects }) => (about ? [{ name, about, dialects }] : []));

describe.each(known)("the facts about $name", ({ about, dialects }) => {
  it("contain a way to install the agent", () => {
    expect(about.install.length).toBeGreaterThan(0);
    expect(URL.canParse(about.homePage)).toBe(true);
    if (about.minimumVersion !== undefined) expect(about.minimumVersion).toMatch(/^\d+\.\d+/);
  });

  it("give each sign-in method a variable or file to check, and instructions", () => {
    for (const { variables = [], files = [], how } of about.auth?.methods ?? []) {
      expect(variables.length + files.length).toBeGreaterThan(0);
      expect(how).toMatch(/\.$/);
      for (const variable of variables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
  });

  it("place files below the home or the project, and give a variable together with its path", () => {
    const places = [
      about.sessions,
      ...Object.values(about.settings?.files ?? {}),
      ...Object.values(about.settings?.mcp?.files ?? {}),
      ...(about.auth?.methods.flatMap(({ files = [] }) => files) ?? []),
    ].filter((place) => place !== undefined);
    for (const { path, variable, below } of places) {
      expect(path).toMatch(/^(~|\.)\//);
      expect(variable === undefined).toBe(below === undefined);
    }
  });

  it("agree with the dialects", () => {
    if (dialects.some(({ live }) => live?.takes?.includes("mcpServers")))
      expect(about.capabilities.supportsMCP).not.toBe(false);
    if (about.settings?.mcp) expect(about.capabilities.supportsMCP).toBe(true);
    if (dialects.some(({ streams }) => streams.thinking)) expect(about.capabilities.supportsThinking).not.toBe(false);
  });

  it("contain only valid regular expressions for models", () => {
    for (const { match = "" } of about.models.providers ?? []) expect(() => new RegExp(match)).not.toThrow();
  });
});

it("agents that act without asking have a warning for a user who wants to be asked", () => {
  const warned = adapters.flatMap(({ name, dialects }) =>
    dialects.filter(({ live }) => live?.askWarning !== undefined).map((dialect) => `${name} ${dialect.name}`),
  );
  expect(warned).toEqual([
    ...["amp stream-json", "cursor stream-json", "hermes stream-json", "openclaw acp", "openclaw json"],
    ...["pi rpc", "zot rpc", "pi-acp acp"],
  ]);
});
