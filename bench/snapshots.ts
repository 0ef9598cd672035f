import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findGit } from "../packages/spoor/src/runtime/workspace/git-program.ts";
import { ShadowSnapshots } from "../packages/spoor/src/runtime/workspace/shadow.ts";
import { median } from "./measure.ts";

/** The wall time of snapshots in a repository with this many files, as multiples of `git status` in the same rounds. */
interface SnapshotCosts {
  /** The first one, seeded with the user's index. */
  first: number;
  /** A later one, after a file changed. */
  later: number;
  /** A later one with the list of changes and their bytes. */
  compared: number;
  statusMs: number;
}

export async function snapshotCosts(files: number, rounds: number): Promise<SnapshotCosts> {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-bench-")));
  const program = findGit(place);
  if (program === undefined) throw new Error("Git is not on the PATH.");
  try {
    const folder = path.join(place, "work");
    makeRepository(folder, files);
    const samples: Omit<SnapshotCosts, "statusMs">[] = [];
    const statuses: number[] = [];
    for (let round = -1; round < rounds; round++) {
      const store = path.join(place, "data", `${round}`);
      const snapshots = new ShadowSnapshots({ program, folder, store, except: [] });
      const status = await timed(() => git(folder, "status", "--short"));
      const first = await timed(() => snapshots.take());
      appendFileSync(path.join(folder, "d0", "e0", "f0.txt"), "changed\n");
      const again = await timed(() => git(folder, "status", "--short"));
      const later = await timed(() => snapshots.take());
      const base = await snapshots.take();
      appendFileSync(path.join(folder, "d0", "e0", "f0.txt"), "changed\n");
      const compared = await timed(async () => snapshots.compare(base, await snapshots.take(), 1_000));
      await snapshots.close();
      rmSync(store, { recursive: true, force: true });
      // The first round only fills caches.
      if (round < 0) continue;
      samples.push({ first: first / status, later: later / again, compared: compared / again });
      statuses.push(status);
    }
    return {
      first: median(samples.map(({ first }) => first)),
      later: median(samples.map(({ later }) => later)),
      compared: median(samples.map(({ compared }) => compared)),
      statusMs: median(statuses),
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A committed repository of files of three kilobytes in five hundred folders. */
function makeRepository(folder: string, files: number): void {
  for (let n = 0; n < files; n++) {
    const name = path.join(folder, `d${n % 20}`, `e${Math.floor(n / 20) % 25}`, `f${n}.txt`);
    if (n < 500) mkdirSync(path.dirname(name), { recursive: true });
    writeFileSync(name, `line ${n}: ${"text ".repeat(15)}\n`.repeat(40).slice(0, 3_000));
  }
  git(folder, "init", "-q");
  git(folder, "-c", "core.fsync=none", "add", "-A");
  git(folder, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "files");
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 1e9, env: { PATH: process.env.PATH } });

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
