import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandLine, resolveCommand } from "./resolve-command.ts";

describe("on POSIX", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-command-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, mode: number): string => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, mode);
    return file;
  };
  const find = (command: string, folders: string[] = [], cwd = folder) =>
    resolveCommand(command, { PATH: folders.join(":") }, "linux", { cwd })?.path;

  const plain = put("a/agent", 0o644);
  const agent = put("b/agent", 0o755);
  mkdirSync(path.join(folder, "a/folder"), { recursive: true });

  it("takes the first executable file on PATH", () => {
    expect(find("agent", [path.dirname(plain), path.dirname(agent)])).toBe(agent);
    expect(find("agent", [path.dirname(plain)])).toBeUndefined();
    expect(find("folder", [path.dirname(plain)])).toBeUndefined();
    expect(find("agent")).toBeUndefined();
    expect(find("")).toBeUndefined();
  });

  it("uses a path unchanged, resolving a relative one against the working directory", () => {
    expect(find(agent)).toBe(agent);
    expect(find("./b/agent")).toBe(agent);
    expect(find("../b/agent", [], path.join(folder, "a"))).toBe(agent);
    expect(find("./a/agent")).toBeUndefined();
  });

  it("does not find programs through empty or relative entries of PATH", () => {
    const cwd = path.dirname(agent);
    expect(find("agent", ["", ".", "b", "./b"], cwd)).toBeUndefined();
  });

  it("spawns it directly", () => {
    expect(commandLine({ path: agent, isBatch: false }, ["a b"], {})).toEqual({
      file: agent,
      args: ["a b"],
      verbatim: false,
    });
  });
});

describe("on Windows", () => {
  const files = ["C:\\npm\\agent", "C:\\npm\\agent.cmd", "C:\\npm\\agent.ps1", "C:\\bin\\agent.exe", "C:\\bin\\run.js"];
  const find = (command: string, env: Record<string, string>, present = files) =>
    resolveCommand(command, env, "win32", {
      cwd: "C:\\work",
      isExecutable: (file) => present.some((one) => one.toLowerCase() === file.toLowerCase()),
    });

  it("searches by PATH first, then by PATHEXT, and never returns a file without a runnable extension", () => {
    const pathext = ".COM;.EXE;.BAT;.CMD;.JS;.PS1";
    expect(find("agent", { Path: "C:\\npm;C:\\bin", PathExt: pathext })).toEqual({
      path: "C:\\npm\\agent.cmd",
      isBatch: true,
    });
    expect(find("agent", { PATH: '"C:\\bin";C:\\npm' })).toEqual({ path: "C:\\bin\\agent.exe", isBatch: false });
    expect(find("run", { PATH: "C:\\bin", PATHEXT: pathext })).toBeUndefined();
    expect(find("agent.CMD", { PATH: "C:\\npm" })).toEqual({ path: "C:\\npm\\agent.CMD", isBatch: true });
  });

  it("uses a path unchanged, and does not search the working directory for a name", () => {
    expect(find("bin\\agent", { PATH: "" }, ["C:\\work\\bin\\agent.exe"])?.path).toBe("C:\\work\\bin\\agent.exe");
    expect(find("C:/bin/agent.exe", { PATH: "" })?.path).toBe("C:\\bin\\agent.exe");
    expect(find("agent", { PATH: ".;;tools" }, ["C:\\work\\agent.exe", "C:\\work\\tools\\agent.exe"])).toBeUndefined();
  });

  it("spawns a batch file through the system's own cmd.exe", () => {
    const resolved = { path: "C:\\npm\\agent.cmd", isBatch: true };
    const env = { systemroot: "C:\\Windows", COMSPEC: "C:\\evil.exe" };
    expect(commandLine(resolved, ["a b"], env)).toEqual({
      file: "C:\\Windows\\System32\\cmd.exe",
      args: ["/d", "/e:on", "/v:off", "/s", "/c", '""C:\\npm\\agent.cmd" "a b""'],
      verbatim: true,
    });
    expect(commandLine(resolved, [], {}).file).toBe("cmd.exe");
  });
});
