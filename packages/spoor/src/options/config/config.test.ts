import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { type Client, createClient } from "../../client.ts";
import { mergeLayers } from "../merge.ts";
import { findConfigFolders } from "./config-folders.ts";

const root = mkdtempSync(join(tmpdir(), "spoor-config-"));
afterAll(() => rmSync(root, { recursive: true }));
const home = join(root, "home");
const project = join(home, "work", "project");
const deep = join(project, "src", "deep");
const own = join(home, ".spoor");

function write(file: string, value: unknown): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
}

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(deep, { recursive: true });
});

const client = (options: object = {}): Client => createClient({ adapters: [toy], configDir: own, ...options });
const result = (options: object = {}, by = client()) =>
  by.run({ agent: "toy", prompt: "say x", cwd: deep, ...options });

describe("configuration", () => {
  it("is taken from the call, the profile, the client, the project and the user, in this order", async () => {
    write(join(own, "config.json"), { defaultModel: "user", agent: "toy" });
    const without = (by: Client, options: object = {}) => by.run({ prompt: "say x", cwd: deep, ...options }).model;
    expect(without(client())).toBe("user");
    write(join(project, ".spoor", "config.json"), { model: "project" });
    expect(without(client())).toBe("project");
    expect(without(client({ defaultModel: "client" }))).toBe("client");
    write(join(own, "profiles", "fast.json"), { model: "profile" });
    expect(without(client({ model: "client" }), { profile: "fast" })).toBe("profile");
    expect(without(client({ model: "client" }), { profile: "fast", model: "call" })).toBe("call");
  });

  it("merges environment variables of all layers, and the nearer value wins", async () => {
    write(join(own, "config.json"), { env: { TOY_A: "far", TOY_B: "far" } });
    expect((await result({ prompt: "env TOY_A", env: { TOY_B: "near" } })).text).toBe("far");
    expect((await result({ prompt: "env TOY_B", env: { TOY_B: "near" } })).text).toBe("near");
  });

  it.each([
    ["{", "is not valid JSON"],
    ["[]", "must hold one JSON object of options"],
    ['{"model": 7, "modle": "x"}', "config.json: model must be text that is not empty, not 7."],
    ['{"prompt": "x"}', "prompt belongs to one run: set it in the call of the run, not here."],
    ['{"temperature": 1}', "No agent supports temperature"],
  ])("that contains %s is refused with the name of the file and the field", (written, message) => {
    write(join(own, "config.json"), written);
    expect(() => result()).toThrow(
      expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining(message) }),
    );
  });

  it("of a project may not set what runs or what is allowed until the user trusts the project", async () => {
    write(join(project, ".spoor", "config.json"), { env: { TOY_A: "project" }, approve: "yolo", timeout: 60_000 });
    expect(() => result()).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
    expect(() => result()).toThrow(`Add ${JSON.stringify(project)} to "trustedProjects"`);
    write(join(own, "config.json"), { trustedProjects: [project] });
    expect((await result({ prompt: "env TOY_A" })).text).toBe("project");
    write(join(own, "config.json"), {});
    write(join(project, ".spoor", "config.json"), { approve: "deny", timeout: 60_000 });
    expect((await result()).exitReason).toBe("completed");
  });

  it("is searched for upward, and the user's own folder is not taken for that of a project", () => {
    const from = (cwd: string) => findConfigFolders({ cwd, environment: { SPOOR_HOME: own } });
    write(join(own, "config.json"), {});
    expect(from(deep)).toEqual({ global: own, project: undefined });
    write(join(project, ".spoor", "config.json"), {});
    expect(from(deep)).toEqual({ global: own, project: join(project, ".spoor") });
  });

  it("of a client is checked when the client is created", () => {
    expect(() => client({ timeout: "soon" })).toThrow("timeout must be a whole number");
  });
});

describe("layers", () => {
  it("merge variables and servers by name, and replace everything else", () => {
    const near = { env: { A: "1" }, tags: ["near"], mcpServers: [{ name: "a", command: "near" }] };
    const far = {
      ...{ env: { A: "0", B: "0" }, tags: ["far"], model: "m" },
      mcpServers: [
        { name: "a", command: "far" },
        { name: "b", command: "far" },
      ],
    };
    expect(mergeLayers([near, far])).toMatchObject({
      ...{ env: { A: "1", B: "0" }, tags: ["near"], model: "m" },
      mcpServers: [
        { name: "b", command: "far" },
        { name: "a", command: "near" },
      ],
    });
    expect(mergeLayers([{ mcpServers: [] }, far]).mcpServers).toEqual([]);
  });

  it("accept other names of options and values, and a nearer choice replaces the farther ones of its group", () => {
    expect(mergeLayers([{ approvalMode: "yolo" }, { approve: "deny" }]).approve).toBe("auto");
    const session = mergeLayers([{ sessionId: "s" }, { noSession: true }]);
    expect([session.resume, session.noSession]).toEqual(["s", undefined]);
  });
});

describe("profiles", () => {
  it("are written, listed, read and deleted in their scope", () => {
    const { profiles } = client({ projectConfigDir: join(project, ".spoor") });
    profiles.set("fast", { model: "small", timeout: 1000 });
    profiles.set("fast", { model: "tiny" }, { scope: "project" });
    expect(profiles.list()).toMatchObject([
      { name: "fast", scope: "project" },
      { name: "fast", scope: "global" },
    ]);
    expect(profiles.get("fast")).toMatchObject({ model: "tiny", timeout: 1000 });
    expect(JSON.parse(readFileSync(join(own, "profiles", "fast.json"), "utf8"))).toEqual({
      model: "small",
      timeout: 1000,
    });
    expect(readdirSync(join(own, "profiles"))).toEqual(["fast.json"]);
    profiles.delete("fast");
    expect(profiles.list()).toMatchObject([{ scope: "project" }]);
    expect(() => profiles.delete("fast")).toThrow('no global profile named "fast"');
  });

  it("that do not exist are refused with the names of those that do", () => {
    const { profiles } = client();
    expect(() => result({ profile: "fast" })).toThrow(
      `There is no profile named "fast". Create it as ${join(own, "profiles", "fast.json")}.`,
    );
    profiles.set("careful", { approve: "deny" });
    expect(() => result({ profile: "fast" })).toThrow('There is no profile named "fast". Known: careful.');
  });

  it("with broken files are listed with the problem and do not affect others", () => {
    write(join(own, "profiles", "broken.json"), "{");
    write(join(own, "profiles", "not a name.json"), "{}");
    const { profiles } = client();
    expect(profiles.list()).toMatchObject([{ name: "broken", problem: expect.stringContaining("is not valid JSON") }]);
    expect(() => profiles.get("broken")).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
  });

  it("cannot hold options of one run, and cannot be written outside their folder", () => {
    const { profiles } = client();
    expect(() => profiles.set("x", { prompt: "hello" })).toThrow("prompt belongs to one run");
    expect(() => profiles.set("../x", {})).toThrow("profile must be a name");
  });
});
