import { describe, expect, it } from "vitest";
import { adapters } from "./registry.ts";

const known = adapters.flatMap(({ name, about, dialects }) => (about ? [{ name, about, dialects }] : []));

describe.each(known)("what is told about $name", ({ about, dialects }) => {
  it("says how to get it", () => {
    expect(about.install.length).toBeGreaterThan(0);
    expect(URL.canParse(about.homePage)).toBe(true);
    if (about.minimumVersion !== undefined) expect(about.minimumVersion).toMatch(/^\d+\.\d+/);
  });

  it("gives for each way to sign in a sign of it and what to do", () => {
    for (const { variables = [], files = [], how } of about.auth?.methods ?? []) {
      expect(variables.length + files.length).toBeGreaterThan(0);
      expect(how).toMatch(/\.$/);
      for (const variable of variables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
  });

  it("places files below the home or the project, and where they move to with the variable that moves them", () => {
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

  it("agrees with its wires", () => {
    if (dialects.some(({ live }) => live?.takes?.includes("mcpServers")))
      expect(about.capabilities.supportsMCP).not.toBe(false);
    if (about.settings?.mcp) expect(about.capabilities.supportsMCP).toBe(true);
    if (dialects.some(({ streams }) => streams.thinking)) expect(about.capabilities.supportsThinking).not.toBe(false);
  });

  it("matches models by expressions that can be read", () => {
    for (const { match = "" } of about.models.providers ?? []) expect(() => new RegExp(match)).not.toThrow();
  });
});
