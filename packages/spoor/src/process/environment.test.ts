import { describe, expect, it } from "vitest";
import { inheritEnvironment, readVariable, scrubEnvironment } from "./environment.ts";

const scrub = (base: Record<string, string>, options = {}) => scrubEnvironment(base, { platform: "linux", ...options });

describe("scrubEnvironment", () => {
  it("keeps only the variables that programs need to run", () => {
    const needed = { PATH: "/bin", HOME: "/h", LC_ALL: "C", XDG_CONFIG_HOME: "/x", https_proxy: "p", NO_PROXY: "n" };
    const secrets = { AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "t", NODE_OPTIONS: "--inspect", LD_PRELOAD: "x.so" };
    expect(scrub({ ...needed, ...secrets })).toEqual(needed);
  });

  it("adds the allowed names and prefixes", () => {
    const base = { ANTHROPIC_API_KEY: "a", ANTHROPIC_MODEL: "m", OPENAI_API_KEY: "o", OPENAI_BASE_URL: "u" };
    expect(scrub(base, { allow: ["ANTHROPIC_*", "OPENAI_API_KEY"] })).toEqual({
      ANTHROPIC_API_KEY: "a",
      ANTHROPIC_MODEL: "m",
      OPENAI_API_KEY: "o",
    });
  });

  it("never passes Spoor's own variables on, except the data directory and values in set", () => {
    const base = { SPOOR_TOKEN: "t", SPOOR_HOME: "h", spoor_token: "t" };
    expect(scrub(base, { allow: ["SPOOR_TOKEN", "SPOOR_*", "spoor_token"] })).toEqual({ SPOOR_HOME: "h" });
    expect(scrub(base, { set: { SPOOR_RUN: "r" } })).toEqual({ SPOOR_RUN: "r" });
  });

  it("blocks the variables of an outer agent that match an allowed prefix, unless they are listed explicitly", () => {
    const base = { CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CONFIG_DIR: "/c" };
    expect(scrub(base, { allow: ["CLAUDE_*"] })).toEqual({ CLAUDE_CONFIG_DIR: "/c" });
    expect(scrub(base, { allow: ["CLAUDE_CODE_ENTRYPOINT"] })).toEqual({ CLAUDE_CODE_ENTRYPOINT: "cli" });
  });

  it("prefers values in set, and removes a variable set to undefined", () => {
    expect(scrub({ PATH: "/bin", HOME: "/h" }, { set: { PATH: "/other", HOME: undefined, X: "1" } })).toEqual({
      PATH: "/other",
      X: "1",
    });
  });

  it("compares names with case, except on Windows, where each name keeps its case", () => {
    const base = {
      Path: "C:\\bin",
      systemroot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
      Anthropic_Key: "k",
      Other: "o",
    };
    const options = { allow: ["ANTHROPIC_*"] };
    expect(scrub(base, options)).toEqual({});
    expect(scrub(base, { ...options, platform: "win32" })).toEqual({
      Path: "C:\\bin",
      systemroot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
      Anthropic_Key: "k",
    });
    expect(scrub({ Path: "old" }, { platform: "win32", set: { PATH: "new" } })).toEqual({ PATH: "new" });
    expect(scrub({ Spoor_Token: "t" }, { platform: "win32", allow: ["SPOOR_TOKEN"] })).toEqual({});
  });

  it("rejects an allow list that passes everything", () => {
    expect(() => scrub({}, { allow: ["*"] })).toThrow(/List the variables that the program needs/);
  });

  it("does not change its arguments", () => {
    const base = Object.freeze({ PATH: "/bin", SECRET: "s" });
    scrub(base, { set: { A: "b" } });
    expect(base).toEqual({ PATH: "/bin", SECRET: "s" });
  });
});

describe("inheritEnvironment", () => {
  const inherit = (base: Record<string, string>, options = {}) =>
    inheritEnvironment(base, { platform: "linux", ...options });

  it("passes everything on except Spoor's own variables and those of an outer agent", () => {
    const base = {
      GH_TOKEN: "g",
      VIRTUAL_ENV: "/v",
      SPOOR_TOKEN: "t",
      spoor_token: "t",
      SPOOR_HOME: "h",
      CLAUDECODE: "1",
    };
    expect(inherit(base)).toEqual({ GH_TOKEN: "g", VIRTUAL_ENV: "/v", SPOOR_HOME: "h" });
  });

  it("passes an explicitly listed variable of an outer agent on, but never Spoor's tokens", () => {
    const base = { CLAUDECODE: "1", OPENCODE: "1", SPOOR_TOKEN: "t" };
    expect(inherit(base, { named: ["CLAUDECODE", "SPOOR_TOKEN"] })).toEqual({ CLAUDECODE: "1" });
  });

  it("ignores case on Windows", () => {
    const base = { Spoor_Token: "t", ClaudeCode: "1", Path: "old", Other: "o" };
    expect(inherit(base, { platform: "win32", set: { PATH: "new" } })).toEqual({ PATH: "new", Other: "o" });
  });
});

it("readVariable ignores case on Windows only", () => {
  expect(readVariable({ Path: "x" }, "PATH", "win32")).toBe("x");
  expect(readVariable({ Path: "x" }, "PATH", "linux")).toBeUndefined();
});
