import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { SetupError } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { run } from "./run.mjs";

/** What the page is built from. */
const sources = [
  "packages/web/index.html",
  "packages/web/vite.config.ts",
  "packages/web/vite.document.config.ts",
  "packages/web/package.json",
  "packages/web/public",
  "packages/web/src",
  "packages/protocol/package.json",
  "packages/protocol/src",
  "package-lock.json",
];

/**
 * Builds the web page unless it is current. A repository without a page needs none.
 *
 * @param {string} root
 */
export async function buildPage(root) {
  if (whyOld(root) === undefined) return;
  await withLock(path.join(root, ".setup-lock"), async () => {
    // Another set-up may have built it while this one waited for the lock.
    const reason = whyOld(root);
    if (reason === undefined) return;
    const begun = performance.now();
    process.stderr.write(`Building the web page, since ${reason}.`);
    const digest = digestOf(root);
    const fresh = path.join(root, "packages/web/.dist-fresh");
    fs.rmSync(fresh, { recursive: true, force: true });
    try {
      await vite(root, fresh);
      // What draws a run for `spoor export --format html`. It is in the folder of the page, which serves no folder but `assets`.
      await vite(root, path.join(fresh, "document"), "--config", "vite.document.config.ts");
      fs.writeFileSync(path.join(fresh, ".digest"), digest);
      replace(folderOf(root), fresh);
    } finally {
      fs.rmSync(fresh, { recursive: true, force: true });
    }
    console.error(` It took ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
  });
}

/** @param {string} root */
function whyOld(root) {
  if (!fs.existsSync(path.join(root, "packages/web/index.html"))) return undefined;
  const file = path.join(folderOf(root), ".digest");
  if (!fs.existsSync(file)) return "it was not built yet";
  return fs.readFileSync(file, "utf8") === digestOf(root) ? undefined : "its sources have changed";
}

/** @param {string} root */
const folderOf = (root) => path.join(root, "packages/web/dist");

/**
 * Puts the fresh folder into the place of the old one. A running server never sees a half-written page.
 *
 * @param {string} folder
 * @param {string} fresh
 */
function replace(folder, fresh) {
  const old = `${fresh}-old`;
  fs.rmSync(old, { recursive: true, force: true });
  if (fs.existsSync(folder)) fs.renameSync(folder, old);
  fs.renameSync(fresh, folder);
  fs.rmSync(old, { recursive: true, force: true });
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {string[]} options
 */
async function vite(root, folder, ...options) {
  const bin = path.join(root, "node_modules", ".bin");
  const end = await run("vite", ["build", ...options, "--logLevel", "warn", "--emptyOutDir", "--outDir", folder], {
    cwd: path.join(root, "packages/web"),
    env: { ...process.env, NODE_ENV: "production", PATH: [bin, process.env.PATH].join(path.delimiter) },
    // Print to stderr, because stdout belongs to the command that follows.
    stdio: ["ignore", 2, 2],
    ownGroup: true,
  });
  if (end.received !== undefined) throw new SetupError(`\nSet-up was stopped by ${end.received}.`, end.received);
  if (end.error === undefined && end.signal === undefined && end.code === 0) return;
  const how = end.error?.message ?? end.signal ?? `exit code ${end.code}`;
  throw new SetupError(
    `\nThe web page could not be built: "vite build" ended with ${how} in packages/web.\n` +
      "What to try: vite's own message is above. If you changed the page, `npm run check` finds most mistakes; else remove\n" +
      "node_modules and run the same command again. The server starts without the page too: `npx spoor serve`.",
  );
}

/**
 * Changes when anything changes that the page is built from.
 *
 * @param {string} root
 */
function digestOf(root) {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of filesIn(path.join(root, source))) {
      hash.update(`\n${path.relative(root, file)}\n`).update(fs.readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/**
 * The files of a folder in a fixed order, without tests; or the file itself.
 *
 * @param {string} place
 * @returns {string[]}
 */
function filesIn(place) {
  const found = fs.statSync(place, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return /\.test\.tsx?$/.test(place) ? [] : [place];
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesIn(path.join(place, name)));
}
