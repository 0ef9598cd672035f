import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findGit } from "./git-program.ts";
import { ShadowSnapshots } from "./shadow.ts";
import { readSmallFiles } from "./small-files.ts";
import type { FileChange, FileContent } from "./snapshot.ts";

const program = findGit("/nowhere") ?? "";

/** A workspace with a store beside it. */
function workspace(files: Record<string, string | Buffer> = {}) {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-shadow-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = path.join(place, "work");
  const store = path.join(place, "data", "store");
  mkdirSync(folder);
  const write = (more: Record<string, string | Buffer>) => {
    for (const [name, content] of Object.entries(more)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), content);
    }
  };
  write(files);
  const git = (...args: string[]) => gitIn(folder, ...args);
  const open = (at = folder) => new ShadowSnapshots({ program, folder: at, store, except: [path.join(place, "data")] });
  return { place, folder, store, write, git, open };
}

function gitIn(folder: string, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  return execFileSync("git", ["-c", "init.defaultBranch=main", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: "/nowhere", GIT_CONFIG_GLOBAL: "/dev/null", ...identity },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What changed while `act` ran. */
async function changesOf(snapshots: ShadowSnapshots, act: () => void): Promise<FileChange[]> {
  const before = await snapshots.take();
  act();
  const after = await snapshots.take();
  return (await snapshots.compare(before, after, 1000)).changes;
}

const brief = (changes: readonly FileChange[]) =>
  changes.map(({ path: file, before, after }) => [
    file,
    before?.bytes?.toString("latin1"),
    after?.bytes?.toString("latin1"),
  ]);

/** Every file below a folder with its bytes and times. */
function stateOf(folder: string): Record<string, unknown> {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    all.map((name) => {
      const { mtimeMs, ctimeMs, mode, size, ino } = statSync(path.join(folder, name));
      const isFile = statSync(path.join(folder, name)).isFile();
      return [
        name,
        { mtimeMs, ctimeMs, mode, size, ino, bytes: isFile ? readFileSync(path.join(folder, name), "hex") : "" },
      ];
    }),
  );
}

describe("a snapshot with git", () => {
  it("finds what was created, changed and deleted in a folder without a repository", async () => {
    const { folder, write, open } = workspace({ "kept.txt": "same", "changed.txt": "old", "gone.txt": "bye" });
    const changes = await changesOf(open(), () => {
      write({ "changed.txt": "new", "sub/made.txt": "hello" });
      unlinkSync(path.join(folder, "gone.txt"));
    });
    expect(brief(changes)).toEqual([
      ["changed.txt", "old", "new"],
      ["gone.txt", "bye", undefined],
      ["sub/made.txt", undefined, "hello"],
    ]);
  });

  it("finds changes in a repository, and those that are neither staged nor committed before are no changes", async () => {
    const { git, write, open } = workspace({ "a.txt": "1\n", "b.txt": "1\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    write({ "a.txt": "2\n" });
    const changes = await changesOf(open(), () => write({ "b.txt": "2\n" }));
    expect(brief(changes)).toEqual([["b.txt", "1\n", "2\n"]]);
  });

  it("leaves the user's .git as it is, to the byte and to the time of every file", async () => {
    const { folder, git, write, open } = workspace({ "a.txt": "1\n", "b.txt": "1\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    write({ "b.txt": "changed\n" });
    const before = stateOf(path.join(folder, ".git"));
    const snapshots = open();
    await changesOf(snapshots, () => write({ "a.txt": "2\n", "c.txt": "new" }));
    await snapshots.close();
    expect(stateOf(path.join(folder, ".git"))).toEqual(before);
  });

  it("runs no hook, filter, monitor or text conversion of the tree, and stores the bytes of the files (D4)", async () => {
    const { place, folder, git, write, open } = workspace({ "a.txt": "1\r\n$Id$\n" });
    const trap = path.join(place, "trap.sh");
    const sprung = path.join(place, "sprung");
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${sprung}\ncat\n`, { mode: 0o755 });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    write({ ".gitattributes": "* text eol=crlf ident filter=trap diff=trap working-tree-encoding=UTF-16\n" });
    for (const [key, value] of Object.entries({
      "filter.trap.clean": trap,
      "filter.trap.smudge": trap,
      "filter.trap.process": trap,
      "filter.trap.required": "true",
      "diff.trap.command": trap,
      "diff.trap.textconv": trap,
      "diff.external": trap,
      "core.fsmonitor": trap,
      "core.autocrlf": "true",
      "core.hooksPath": path.join(folder, "hooks"),
      "core.sshCommand": trap,
      "core.pager": trap,
      "core.editor": trap,
    })) {
      git("config", key, value);
    }
    const hooks = ["pre-commit", "post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"];
    for (const hook of hooks) {
      for (const at of ["hooks", ".git/hooks"]) {
        mkdirSync(path.join(folder, at), { recursive: true });
        cpSync(trap, path.join(folder, at, hook));
      }
    }
    rmSync(sprung, { force: true });
    const changes = await changesOf(open(), () => write({ "a.txt": "2\r\n$Id: x$\r\n" }));
    expect(brief(changes)).toEqual([["a.txt", "1\r\n$Id$\n", "2\r\n$Id: x$\r\n"]]);
    expect(existsSync(sprung)).toBe(false);
  });

  it("keeps line ends, byte order marks, missing last newlines and modes", async () => {
    const { folder, write, open } = workspace({ "a.sh": "#!/bin/sh\n", "b.txt": "\ufeffone\r\ntwo" });
    const changes = await changesOf(open(), () => {
      chmodSync(path.join(folder, "a.sh"), 0o755);
      write({ "b.txt": "\ufeffone\r\ntwo\r\n", "c.bin": Buffer.from([0, 255, 10, 13]) });
    });
    expect(changes.map(({ path: file, before, after }) => [file, before?.mode, after?.mode])).toEqual([
      ["a.sh", "100644", "100755"],
      ["b.txt", "100644", "100644"],
      ["c.bin", undefined, "100644"],
    ]);
    expect(changes[1]?.before?.bytes).toEqual(Buffer.from("\ufeffone\r\ntwo"));
    expect(changes[2]?.after?.bytes).toEqual(Buffer.from([0, 255, 10, 13]));
  });

  it("tells links as links and never follows them", async () => {
    const { place, folder, open } = workspace({ "a.txt": "1" });
    mkdirSync(path.join(place, "outside"));
    writeFileSync(path.join(place, "outside", "secret.txt"), "secret");
    const changes = await changesOf(open(), () => {
      symlinkSync(path.join(place, "outside"), path.join(folder, "way-out"));
      symlinkSync("a.txt", path.join(folder, "link"));
    });
    expect(changes.map(({ path: file, after }) => [file, after?.mode, after?.bytes?.toString()])).toEqual([
      ["link", "120000", "a.txt"],
      ["way-out", "120000", path.join(place, "outside")],
    ]);
  });

  it("takes hostile file names as they are", async () => {
    const names = [
      "-rf",
      "--help",
      'quo"te',
      "new\nline",
      "tab\t",
      "star*",
      "[x]",
      ":(top)x",
      "ünï",
      " ",
      "\\n",
      "é\u0301",
    ];
    const { folder, open } = workspace();
    const raw = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    const changes = await changesOf(open(), () => {
      for (const name of names) writeFileSync(path.join(folder, name), name);
      writeFileSync(raw, "raw");
    });
    expect(new Set(changes.map(({ path: file }) => file))).toEqual(new Set([...names, "f\\xff\\xfe"]));
    expect(changes.filter(({ isFinal }) => isFinal).map(({ path: file }) => file)).toEqual(["f\\xff\\xfe"]);
  });

  it("does not see ignored files, in a subdirectory of a repository neither", async () => {
    const { folder, git, write, open } = workspace({ ".gitignore": "*.log\nnode_modules\n", "packages/x/a.txt": "1" });
    git("init", "-q");
    write({ "packages/x/node_modules/y/index.js": "1" });
    const changes = await changesOf(open(path.join(folder, "packages/x")), () =>
      write({
        "packages/x/b.txt": "2",
        "packages/x/b.log": "2",
        "packages/z.txt": "2",
        "packages/x/node_modules/z.js": "",
      }),
    );
    expect(changes.map(({ path: file }) => file)).toEqual(["b.txt"]);
  });

  it("sees the files of a folder that the repository around it ignores", async () => {
    const { folder, git, write, open } = workspace({ ".gitignore": "tmp\n", "tmp/work/a.txt": "1" });
    git("init", "-q");
    const changes = await changesOf(open(path.join(folder, "tmp/work")), () => write({ "tmp/work/a.txt": "2" }));
    expect(brief(changes)).toEqual([["a.txt", "1", "2"]]);
  });

  it("knows large files by hash and size only", async () => {
    const large = Buffer.alloc(10 * 1024 * 1024 + 1, "x");
    const { folder, write, open } = workspace({ "big.bin": large, "grows.txt": "small" });
    const snapshots = open();
    const changes = await changesOf(snapshots, () => {
      write({ "big.bin": Buffer.concat([large, Buffer.from("y")]), "grows.txt": large });
    });
    expect(changes.map(({ path: file, before, after, isFinal }) => [file, before?.size, after?.size, isFinal])).toEqual(
      [
        ["big.bin", large.length, large.length + 1, true],
        ["grows.txt", 5, large.length, true],
      ],
    );
    expect(changes.flatMap(({ after }) => after?.bytes ?? [])).toEqual([]);
    const gone = await changesOf(snapshots, () => {
      unlinkSync(path.join(folder, "big.bin"));
      write({ "grows.txt": "small again" });
    });
    expect(gone.map(({ path: file, before, after }) => [file, before?.size, after?.size])).toEqual([
      ["big.bin", large.length + 1, undefined],
      ["grows.txt", large.length, 11],
    ]);
  });

  it("looks into nested repositories and submodules, also those without a commit", async () => {
    const { folder, git, write, open } = workspace({ "a.txt": "1" });
    git("init", "-q");
    for (const name of ["nested", "empty"]) {
      mkdirSync(path.join(folder, name));
      gitIn(path.join(folder, name), "init", "-q");
      write({ [`${name}/f.txt`]: "1" });
    }
    gitIn(path.join(folder, "nested"), "add", "-A");
    gitIn(path.join(folder, "nested"), "commit", "-qm", "inner");
    git("add", "a.txt", "nested");
    git("commit", "-qm", "outer");
    const changes = await changesOf(open(), () => {
      write({ "nested/f.txt": "2", "empty/f.txt": "2", "a.txt": "2" });
      gitIn(path.join(folder, "nested"), "commit", "-qam", "inner again");
    });
    expect(brief(changes)).toEqual([
      ["a.txt", "1", "2"],
      ["empty/f.txt", "1", "2"],
      ["nested/f.txt", "1", "2"],
    ]);
  });

  it("looks into at most 16 nested repositories and says so", async () => {
    const { folder, write, open } = workspace();
    for (let n = 0; n < 18; n++) {
      mkdirSync(path.join(folder, `n${n}`));
      gitIn(path.join(folder, `n${n}`), "init", "-q");
      write({ [`n${n}/f.txt`]: "1" });
    }
    const snapshots = open();
    await snapshots.take();
    expect(snapshots.notes).toEqual(["Only 16 repositories inside the workspace are watched for changes."]);
  });

  it("works in a worktree, in a repository without commits, and in the middle of a conflict", async () => {
    const { place, git, write, open, folder } = workspace({ "a.txt": "1\n" });
    git("init", "-q");
    expect(brief(await changesOf(open(), () => write({ "a.txt": "base\n" })))).toEqual([["a.txt", "1\n", "base\n"]]);
    git("add", "-A");
    git("commit", "-qm", "base");
    git("checkout", "-qb", "other");
    write({ "a.txt": "other\n" });
    git("commit", "-qam", "other");
    git("checkout", "-q", "main");
    write({ "a.txt": "main\n", "b.txt": "b\n" });
    git("add", "-A");
    git("commit", "-qm", "main");
    expect(() => git("rebase", "other")).toThrow();
    const conflicted = readFileSync(path.join(folder, "a.txt"), "utf8");
    expect(brief(await changesOf(open(), () => write({ "a.txt": "solved\n" })))).toEqual([
      ["a.txt", conflicted, "solved\n"],
    ]);
    git("rebase", "--abort");
    git("worktree", "add", "-q", "--detach", path.join(place, "tree"));
    const tree = new ShadowSnapshots({
      program,
      folder: path.join(place, "tree"),
      store: path.join(place, "data", "tree"),
      except: [],
    });
    const changes = await changesOf(tree, () => writeFileSync(path.join(place, "tree", "b.txt"), "c\n"));
    expect(brief(changes)).toEqual([["b.txt", "b\n", "c\n"]]);
  });

  it("does not trust an index with hidden changes", async () => {
    const { git, write, open } = workspace({ "a.txt": "1\n", "b.txt": "1\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    git("update-index", "--assume-unchanged", "a.txt");
    git("update-index", "--skip-worktree", "b.txt");
    const changes = await changesOf(open(), () => write({ "a.txt": "2\n", "b.txt": "2\n" }));
    expect(brief(changes)).toEqual([
      ["a.txt", "1\n", "2\n"],
      ["b.txt", "1\n", "2\n"],
    ]);
  });

  it("reads a file that was removed from the index of the user, a folder in place of a file, and a file in place of a folder", async () => {
    const { folder, git, write, open } = workspace({ "a.txt": "1", "d/x.txt": "1", f: "1" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    git("rm", "-q", "--cached", "a.txt");
    const changes = await changesOf(open(), () => {
      rmSync(path.join(folder, "d"), { recursive: true });
      rmSync(path.join(folder, "f"));
      write({ "a.txt": "2", d: "now a file", "f/y.txt": "now a folder" });
    });
    expect(brief(changes)).toEqual([
      ["a.txt", "1", "2"],
      ["d", undefined, "now a file"],
      ["d/x.txt", "1", undefined],
      ["f", "1", undefined],
      ["f/y.txt", undefined, "now a folder"],
    ]);
  });

  it("leaves Spoor's own data out, even inside the workspace", async () => {
    const { folder, write } = workspace({ "a.txt": "1", "my data/[log] !.db": "1" });
    const data = path.join(folder, "my data");
    const snapshots = new ShadowSnapshots({ program, folder, store: path.join(data, "workspaces"), except: [data] });
    const changes = await changesOf(snapshots, () => write({ "a.txt": "2", "my data/[log] !.db": "2" }));
    expect(brief(changes)).toEqual([["a.txt", "1", "2"]]);
  });

  it("takes the next run's first snapshot from the last index, and several runs can look at one workspace", async () => {
    const { store, write, open } = workspace({ "a.txt": "1" });
    const [one, two] = [open(), open()];
    const [first, second] = [await one.take(), await two.take()];
    expect(first.id).toBe(second.id);
    write({ "a.txt": "2" });
    const [later, last] = await Promise.all([one.take(), two.take()]);
    expect(later.id).toBe(last.id);
    await Promise.all([one.close(), two.close()]);
    expect(readdirSync(path.join(store, "shadow.git")).filter((name) => name.startsWith("index"))).toEqual(["index"]);
    expect((await open().take()).id).toBe(later.id);
  });

  it("removes what a killed process left, and is not stopped by a lock of it", async () => {
    const { store, write, open } = workspace({ "a.txt": "1" });
    const snapshots = open();
    await snapshots.take();
    await snapshots.close();
    const shadow = path.join(store, "shadow.git");
    // No process has an id above the limit of the system.
    for (const name of ["index.4194399.x.0", "index.4194399.x.0.lock"]) writeFileSync(path.join(shadow, name), "half");
    const changes = await changesOf(open(), () => write({ "a.txt": "2" }));
    expect(brief(changes)).toEqual([["a.txt", "1", "2"]]);
    expect(readdirSync(shadow).filter((name) => name.includes("4194399"))).toEqual([]);
  });

  it("is not stopped by pipes, folders that cannot be written, or a file that changes all the time", async () => {
    const { folder, write, open } = workspace({ "a.txt": "1", "locked/b.txt": "1" });
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    chmodSync(path.join(folder, "locked"), 0o555);
    onTestFinished(() => chmodSync(path.join(folder, "locked"), 0o755));
    const busy = setInterval(
      () => writeFileSync(path.join(folder, "busy.log"), "x".repeat(Math.random() * 100_000)),
      1,
    );
    onTestFinished(() => clearInterval(busy));
    const changes = await changesOf(open(), () => write({ "a.txt": "2" }));
    expect(brief(changes.filter(({ path: file }) => file !== "busy.log"))).toEqual([["a.txt", "1", "2"]]);
  });

  it("reads one file as it was, and says when it cannot know", async () => {
    const { write, open } = workspace({ "a.txt": "1", ".gitignore": "*.env\n", "x.env": "secret" });
    const snapshots = open();
    const before = await snapshots.take();
    write({ "a.txt": "2" });
    expect(await snapshots.read(before, "a.txt")).toMatchObject({ bytes: Buffer.from("1") });
    expect(await snapshots.read(before, "none.txt")).toBe("absent");
    expect(await snapshots.read(before, "x.env")).toBe("unknown");
  });

  it.each(["with", "without"])("finds few and many changes alike, %s a repository", async (kind) => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n % 3}/f${n}.txt`, `${n}\n`]));
    const { folder, git, write, open } = workspace(files);
    if (kind === "with") {
      git("init", "-q");
      git("add", "-A");
      git("commit", "-qm", "first");
      write({ "d0/f0.txt": "changed before the first snapshot", "untracked.txt": "1" });
    }
    const snapshots = open();
    let random = 7;
    const next = (below: number) => {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
      return random % below;
    };
    let known = contentsOf(folder);
    const states = [{ known, snapshot: await snapshots.take() }];
    for (const count of [1, 0, 3, 50, 1, 2, 40, 0, 5]) {
      for (let n = 0; n < count; n++) {
        const name = `d${next(4)}/f${next(80)}.txt`;
        const how = next(4);
        if (how === 0) rmSync(path.join(folder, name), { force: true });
        else write({ [name]: how === 1 ? (files[name] ?? "") : `${next(1e6)}` });
        if (how === 3) chmodSync(path.join(folder, name), 0o755);
      }
      known = contentsOf(folder);
      states.push({ known, snapshot: await snapshots.take() });
    }
    for (const [n, one] of states.entries()) {
      for (const other of states.slice(n + 1)) {
        const { changes } = await snapshots.compare(one.snapshot, other.snapshot, 1_000);
        const names = [...new Set([...one.known.keys(), ...other.known.keys()])].sort();
        const expected = names.filter((name) => one.known.get(name) !== other.known.get(name));
        expect(changes.map(({ path: file }) => file)).toEqual(expected);
        for (const { path: file, before, after } of changes) {
          expect([textOf(before), textOf(after)]).toEqual([one.known.get(file), other.known.get(file)]);
        }
      }
    }
  });

  it("does not take a file that was only touched, or that was changed and changed back, for a change", async () => {
    const { folder, git, write, open } = workspace({ "a.txt": "1\n", "big.bin": Buffer.alloc(11 * 1024 ** 2, "x") });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    const snapshots = open();
    const before = await snapshots.take();
    write({ "a.txt": "2\n" });
    await snapshots.take();
    write({ "a.txt": "1\n" });
    const after = await snapshots.take();
    expect(after.id).toBe(before.id);
    utimesSync(path.join(folder, "big.bin"), 1, 1);
    expect(await snapshots.compare(before, await snapshots.take(), 10)).toEqual({ changes: [], more: 0 });
  });

  it("does not take a new file for deleted when it is ignored from then on", async () => {
    const { folder, git, write, open } = workspace({ "a.txt": "1\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    const snapshots = open();
    expect(brief(await changesOf(snapshots, () => write({ "new.log": "1\n" })))).toEqual([
      ["new.log", undefined, "1\n"],
    ]);
    const changes = await changesOf(snapshots, () => write({ ".gitignore": "*.log\n", "other.log": "1\n" }));
    expect(brief(changes)).toEqual([[".gitignore", undefined, "*.log\n"]]);
    expect(brief(await changesOf(snapshots, () => unlinkSync(path.join(folder, "new.log"))))).toEqual([
      ["new.log", "1\n", undefined],
    ]);
  });

  it("does not read through a folder that became a link to somewhere else", async () => {
    const { place, folder, git, write, open } = workspace({ "sub/a.txt": "1\n", "b.txt": "1\n" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    const changes = await changesOf(open(), () => {
      rmSync(path.join(folder, "sub"), { recursive: true });
      mkdirSync(path.join(place, "outside"));
      writeFileSync(path.join(place, "outside", "a.txt"), "secret");
      symlinkSync(path.join(place, "outside"), path.join(folder, "sub"));
      write({ "b.txt": "2\n" });
    });
    expect(brief(changes)).toEqual([
      ["b.txt", "1\n", "2\n"],
      ["sub", undefined, path.join(place, "outside")],
      ["sub/a.txt", "1\n", undefined],
    ]);
    expect(await readSmallFiles([Buffer.from(path.join(folder, "sub", "a.txt"))])).toBeUndefined();
  });
});

/** The mode and the text of each file, by its path. */
function contentsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".git"));
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return new Map(
    files.map((name) => {
      const isExecutable = (statSync(path.join(folder, name)).mode & 0o100) !== 0;
      return [name, `${isExecutable ? "100755" : "100644"} ${readFileSync(path.join(folder, name), "utf8")}`];
    }),
  );
}

const textOf = (content: FileContent | undefined): string | undefined =>
  content && `${content.mode} ${content.bytes?.toString()}`;
