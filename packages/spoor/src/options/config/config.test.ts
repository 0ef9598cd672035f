import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { type Client, createClient } from "../../client.ts";
import { mergeLayers } from "../merge.ts";
import { findPlaces } from "./places.ts";

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
  it("counts from near to far: call, profile, client, project, user", async () => {
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

  it("gives the agent variables of every layer, the nearer over the farther", async () => {
    write(join(own, "config.json"), { env: { TOY_A: "far", TOY_B: "far" } });
    expect((await result({ prompt: "env TOY_A", env: { TOY_B: "near" } })).text).toBe("far");
    expect((await result({ prompt: "env TOY_B", env: { TOY_B: "near" } })).text).toBe("near");
  });

  it.each([
    ["{", "is no JSON"],
    ["[]", "must hold an object of options"],
    ['{"model": 7, "modle": "x"}', "config.json: model must be text that is not empty, not 7."],
    ['{"prompt": "x"}', "prompt belongs to one run, not here."],
    ['{"temperature": 1}', "temperature can be asked of no agent"],
  ])("that reads %s is refused, with file and field", (written, message) => {
    write(join(own, "config.json"), written);
    expect(() => result()).toThrow(
      expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining(message) }),
    );
  });

  it("of a project runs nothing and allows nothing until the user trusts it", async () => {
    write(join(project, ".spoor", "config.json"), { env: { TOY_A: "project" }, approve: "yolo", timeout: 60_000 });
    expect(() => result()).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
    expect(() => result()).toThrow(`add ${JSON.stringify(project)} to "trustedProjects"`);
    write(join(own, "config.json"), { trustedProjects: [project] });
    expect((await result({ prompt: "env TOY_A" })).text).toBe("project");
    write(join(own, "config.json"), {});
    write(join(project, ".spoor", "config.json"), { approve: "deny", timeout: 60_000 });
    expect((await result()).exitReason).toBe("completed");
  });

  it("is found upward, and the user's own folder is no project's", () => {
    const from = (cwd: string) => findPlaces({ cwd, environment: { SPOOR_HOME: own } });
    write(join(own, "config.json"), {});
    expect(from(deep)).toEqual({ global: own, project: undefined });
    write(join(project, ".spoor", "config.json"), {});
    expect(from(deep)).toEqual({ global: own, project: join(project, ".spoor") });
  });

  it("of a client is checked when it is made", () => {
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

  it("know the other words for things, and a nearer choice excludes farther ones", () => {
    expect(mergeLayers([{ approvalMode: "yolo" }, { approve: "deny" }]).approve).toBe("auto");
    const session = mergeLayers([{ sessionId: "s" }, { noSession: true }]);
    expect([session.resume, session.noSession]).toEqual(["s", undefined]);
  });
});

describe("profiles", () => {
  it("are set, listed, read and deleted, each in the scope it was said for", () => {
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

  it("that are not there are refused with those that are", () => {
    const { profiles } = client();
    profiles.set("careful", { approve: "deny" });
    expect(() => result({ profile: "fast" })).toThrow('No profile named "fast". There are: careful.');
  });

  it("that are broken are listed as such, and break nothing else", () => {
    write(join(own, "profiles", "broken.json"), "{");
    write(join(own, "profiles", "not a name.json"), "{}");
    const { profiles } = client();
    expect(profiles.list()).toMatchObject([{ name: "broken", problem: expect.stringContaining("is no JSON") }]);
    expect(() => profiles.get("broken")).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
  });

  it("hold nothing that belongs to one run, and lie nowhere else", () => {
    const { profiles } = client();
    expect(() => profiles.set("x", { prompt: "hello" })).toThrow("prompt belongs to one run");
    expect(() => profiles.set("../x", {})).toThrow("profile must be a name");
  });
});
