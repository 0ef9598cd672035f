import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Change, patchedRun, temporaryFolder, writeFiles } from "../../../testing/runtime/patches.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { readBeneath } from "./beneath.ts";
import { applyRun, revertRun } from "./index.ts";
import { refusalOfPath } from "./patch-path.ts";

const content = Buffer.from("attack\n");

async function attempt(root: string, changes: readonly Change[], action: typeof applyRun = applyRun) {
  const { log, directory } = temporaryLog();
  const given = changes.map((change) => ({ ...change, ...(action === applyRun && { operation: "propose" as const }) }));
  const { run_id } = await patchedRun(log, directory, root, given);
  return action({ log, directory }, { run: (await log.run(run_id)) as never, by: "ann" });
}

/** A workspace, and a folder outside with a file that must never change. */
function places() {
  const top = temporaryFolder("attack");
  const [root, outside] = [path.join(top, "work"), path.join(top, "work-evil")];
  for (const folder of [root, outside]) mkdirSync(folder);
  writeFileSync(path.join(outside, "victim"), "precious");
  const check = () => {
    expect(readdirSync(outside)).toEqual(["victim"]);
    expect(readFileSync(path.join(outside, "victim"), "utf8")).toBe("precious");
  };
  return { root, outside, check };
}

describe("D2: a patch whose target is not a file of the workspace", () => {
  it.each([
    ...[
      "/etc/passwd",
      "../work-evil/victim",
      "a/../../work-evil/victim",
      "..",
      ".",
      "",
      "a//b",
      "a/./b",
      "C:\\x",
      "\\\\host\\x",
    ],
    ...[
      ".git/hooks/post-commit",
      ".git/config",
      ".GIT/config",
      ".Git",
      "sub/.git/hooks/x",
      "git~1/config",
      "GIT~2/hooks/x",
    ],
    ...[
      ".git./config",
      ".git /config",
      ".g\u200Cit/config",
      ".git::$INDEX_ALLOCATION/config",
      "a\\..\\..\\x",
      "..\\work-evil\\victim",
    ],
    ...["nul", "CON.txt", "sub/aux", "COM1", "lpt9.log", "file.", "file ", "sub\r/x", "a\nb", "a\0b", "file:stream"],
  ])("is refused and writes nothing: %j", async (name) => {
    expect(refusalOfPath(name)).toBeDefined();
    const { root, check } = places();
    await expect(
      attempt(root, [
        { path: "fine", before: undefined, after: content },
        { path: name, before: undefined, after: content },
      ]),
    ).rejects.toMatchObject({ code: "refused" });
    expect(readdirSync(root)).toEqual([]);
    check();
  });

  it.each(["a", "src/.gitignore", ".github/workflows/x.yml", "git", "a b", "é", "...a", "console.txt", ".gitmodules2"])(
    "is not refused when it is an ordinary name: %j",
    async (name) => {
      const { root } = places();
      await attempt(root, [{ path: name, before: undefined, after: content }]);
      expect(readFileSync(path.join(root, name))).toEqual(content);
    },
  );

  it.each([0o120000, 0o160000, 0o104755, 0o102755, 0o101777, 0o040755])("is refused with the mode %o", async (mode) => {
    const { root, check } = places();
    const link = { path: "link", before: undefined, after: Buffer.from("../work-evil/victim"), mode };
    const through = { path: "link/x", before: undefined, after: content };
    await expect(attempt(root, [link, through])).rejects.toMatchObject({
      code: expect.stringMatching(/refused|not_revertible/),
    });
    expect(readdirSync(root)).toEqual([]);
    check();
  });
});

describe("D1: links in the workspace", () => {
  it.each(["apply", "revert"])("are never followed by %s", async (action) => {
    const { root, outside, check } = places();
    symlinkSync(path.join(outside, "victim"), path.join(root, "file"));
    symlinkSync(outside, path.join(root, "folder"));
    symlinkSync("/proc/self/root", path.join(root, "proc"));
    symlinkSync("missing", path.join(root, "dangling"));
    const [before, after] = [Buffer.from("precious"), content];
    const run = action === "apply" ? applyRun : revertRun;
    for (const name of ["file", "folder/victim", "folder/new", `proc${outside}/victim`, "dangling", "dangling/x"]) {
      const change = action === "apply" ? { before, after } : { before: after, after: before };
      await expect(attempt(root, [{ path: name, ...change }], run), name).rejects.toMatchObject({ code: "refused" });
      const created = attempt(root, [{ path: name, before: undefined, after }]);
      await expect(created, name).rejects.toMatchObject({ code: "refused" });
    }
    check();
    expect(readdirSync(root).sort()).toEqual(["dangling", "file", "folder", "proc"]);
  });

  it("that are hard keep the file outside as it is: the workspace gets a new file", async () => {
    const { root, outside, check } = places();
    linkSync(path.join(outside, "victim"), path.join(root, "same"));
    await attempt(root, [{ path: "same", before: Buffer.from("precious"), after: content }]);
    expect(readFileSync(path.join(root, "same"))).toEqual(content);
    check();
  });

  it("that are swapped in while files are written lead nowhere", { timeout: 120_000 }, async () => {
    const { root, outside, check } = places();
    const { log, directory } = temporaryLog();
    const [real, folder] = [path.join(root, "real"), path.join(root, "folder")];
    mkdirSync(real);
    writeFileSync(path.join(real, "victim"), "precious");
    const swap = () => {
      rmSync(folder, { recursive: true, force: true });
      symlinkSync(outside, folder);
    };
    const restore = () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      writeFileSync(path.join(folder, "victim"), "precious");
    };
    const outcomes = new Set<string>();
    for (let round = 0; round < 60; round++) {
      restore();
      const { run_id } = await patchedRun(log, directory, root, [
        { path: "folder/victim", before: Buffer.from("precious"), after: content, operation: "propose" },
      ]);
      const run = await log.run(run_id);
      let step = 0;
      // The link appears before a different step in every round.
      const onStep = () => {
        step += 1;
        if (step === (round % 8) + 1) swap();
      };
      const request = applyRun({ log, directory, onStep }, { run: run as never, by: "ann" });
      outcomes.add(
        await request.then(
          () => "applied",
          (error) => String(error.code),
        ),
      );
      check();
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });

  it("that are swapped in while a file is read are not followed, 10,000 times", { timeout: 120_000 }, async () => {
    const { root, outside } = places();
    const [file, link] = [path.join(root, "file"), path.join(root, "link")];
    writeFileSync(file, "mine");
    symlinkSync(path.join(outside, "victim"), link);
    const aside = path.join(root, "aside");
    let reads = 0;
    const swapping = (async () => {
      while (reads < 10_000) {
        renameSync(file, aside);
        renameSync(link, file);
        renameSync(file, link);
        renameSync(aside, file);
        await new Promise(setImmediate);
      }
    })();
    const reading = async () => {
      while (reads < 10_000) {
        reads += 1;
        const found = await readBeneath(root, "file").catch((error) => error.code);
        if (found !== undefined && found !== "refused") expect(found.bytes.toString()).toBe("mine");
      }
    };
    await Promise.all([swapping, reading(), reading(), reading()]);
  });
});

describe("D3: temporary files", () => {
  it("have random names and are never written through something that exists", async () => {
    const { root, check } = places();
    writeFiles(root, { a: "x" });
    const seen = new Set<string>();
    const { log, directory } = temporaryLog();
    for (let round = 0; round < 5; round++) {
      const { run_id } = await patchedRun(log, directory, root, [
        { path: "a", before: Buffer.from("x"), after: Buffer.from("y"), operation: "propose" },
      ]);
      const onStep = (step: string) => {
        if (step === "check") for (const name of readdirSync(root)) seen.add(name);
      };
      await applyRun({ log, directory, onStep }, { run: (await log.run(run_id)) as never, by: "ann" });
      writeFiles(root, { a: "x" });
    }
    expect([...seen].filter((name) => /^\.spoor-[0-9a-f]{24}\.tmp$/.test(name))).toHaveLength(5);
    expect(readdirSync(root)).toEqual(["a"]);
    check();
  });
});
