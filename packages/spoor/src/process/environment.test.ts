import { describe, expect, it } from "vitest";
import { readVariable, scrubEnvironment } from "./environment.ts";

const scrub = (base: Record<string, string>, options = {}) => scrubEnvironment(base, { platform: "linux", ...options });

describe("scrubEnvironment", () => {
  it("keeps what programs need to run and nothing else", () => {
    const needed = { PATH: "/bin", HOME: "/h", LC_ALL: "C", XDG_CONFIG_HOME: "/x", https_proxy: "p", NO_PROXY: "n" };
    const secrets = { AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "t", NODE_OPTIONS: "--inspect", LD_PRELOAD: "x.so" };
    expect(scrub({ ...needed, ...secrets })).toEqual(needed);
  });

  it("adds the names and prefixes that were asked for", () => {
    const base = { ANTHROPIC_API_KEY: "a", ANTHROPIC_MODEL: "m", OPENAI_API_KEY: "o", OPENAI_BASE_URL: "u" };
    expect(scrub(base, { allow: ["ANTHROPIC_*", "OPENAI_API_KEY"] })).toEqual({
      ANTHROPIC_API_KEY: "a",
      ANTHROPIC_MODEL: "m",
      OPENAI_API_KEY: "o",
    });
  });

  it("never lets our own variables through, but for what is set on purpose", () => {
    const base = { SPOOR_TOKEN: "t", SPOOR_HOME: "h", spoor_token: "t" };
    expect(scrub(base, { allow: ["SPOOR_TOKEN", "SPOOR_*", "spoor_token"] })).toEqual({});
    expect(scrub(base, { set: { SPOOR_RUN: "r" } })).toEqual({ SPOOR_RUN: "r" });
  });

  it("lets a set value win, and takes out a name that is set to nothing", () => {
    expect(scrub({ PATH: "/bin", HOME: "/h" }, { set: { PATH: "/other", HOME: undefined, X: "1" } })).toEqual({
      PATH: "/other",
      X: "1",
    });
  });

  it("minds case, except on Windows, where each name keeps the case it has", () => {
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

  it("refuses to let everything through", () => {
    expect(() => scrub({}, { allow: ["*"] })).toThrow(/Name what the child needs/);
  });

  it("leaves what it was given as it was", () => {
    const base = Object.freeze({ PATH: "/bin", SECRET: "s" });
    scrub(base, { set: { A: "b" } });
    expect(base).toEqual({ PATH: "/bin", SECRET: "s" });
  });
});

it("a variable is found whatever its case on Windows only", () => {
  expect(readVariable({ Path: "x" }, "PATH", "win32")).toBe("x");
  expect(readVariable({ Path: "x" }, "PATH", "linux")).toBeUndefined();
});
