import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

// A changed script or description in a package.json does not require a new installation.
const installFields = [
  ...["name", "version", "bin", "workspaces", "allowScripts", "overrides"],
  ...["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"],
];

/**
 * Returns why node_modules cannot be used, as half a sentence, or undefined if it can.
 *
 * @param {string} root
 */
export function whyStale(root) {
  if (!fs.existsSync(path.join(root, "node_modules"))) return "node_modules is missing";
  const stamp = readIfThere(stampFile(root));
  if (stamp === undefined) return "node_modules was not installed by this step, or not to its end";
  if (stamp !== fingerprint(root)) return "package-lock.json or a package.json has changed";
  // npm puts the pinned Node first on PATH, so it usually runs this process and need not be tried.
  return runsOnPinnedNode(root) ? undefined : whyNodeFails(root);
}

/**
 * Returns what is wrong with the pinned Node, as half a sentence, or undefined if it starts.
 *
 * @param {string} root
 */
export function whyNodeFails(root) {
  if (!fs.existsSync(pinnedNode(root))) return "the pinned Node (node_modules/.bin/node) is missing";
  if (spawnSync(pinnedNode(root), ["--version"], { stdio: "ignore" }).status === 0) return undefined;
  return "the pinned Node (node_modules/.bin/node) does not start";
}

/** @param {string} root */
export function writeStamp(root) {
  fs.writeFileSync(stampFile(root), fingerprint(root));
}

/** @param {string} root */
export function removeStamp(root) {
  fs.rmSync(stampFile(root), { force: true });
}

/** @param {string} root */
function runsOnPinnedNode(root) {
  return fs.existsSync(pinnedNode(root)) && fs.realpathSync(pinnedNode(root)) === process.execPath;
}

/** @param {string} root */
function pinnedNode(root) {
  return path.join(root, "node_modules", ".bin", "node");
}

/** @param {string} root */
function stampFile(root) {
  return path.join(root, "node_modules", ".setup-stamp");
}

/**
 * Changes when the lock file, what a package.json says about installing, or the platform changes.
 *
 * @param {string} root
 */
function fingerprint(root) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  hash.update(fs.readFileSync(path.join(root, "package-lock.json")));
  for (const file of manifests(root)) {
    const manifest = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
    hash.update(`\n${file}\n${JSON.stringify(installFields.map((field) => manifest[field] ?? null))}`);
  }
  return hash.digest("hex");
}

/** @param {string} root */
function manifests(root) {
  const folder = path.join(root, "packages");
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  const files = ["package.json", ...names.map((name) => path.join("packages", name, "package.json"))];
  return files.filter((file) => fs.existsSync(path.join(root, file)));
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
}
