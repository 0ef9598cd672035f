import path from "node:path";
import { removeStamp, whyNodeFails, whyStale, writeStamp } from "./installed.mjs";
import { withLock } from "./lock.mjs";
import { run } from "./run.mjs";

/** Set-up could not finish; the message is for the reader. `signal` is set when a signal stopped it. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {NodeJS.Signals} [signal]
   */
  constructor(message, signal) {
    super(message);
    this.signal = signal;
  }
}

/**
 * Installs the packages of the lock file, unless another set-up did so while this one waited for the lock.
 *
 * @param {string} root
 */
export async function install(root) {
  await withLock(path.join(root, ".setup-lock"), async () => {
    const reason = whyStale(root);
    if (reason === undefined) return;
    console.error(`Installing packages with "npm ci", since ${reason}.`);
    removeStamp(root);
    await npmCi(root);
    const fault = whyNodeFails(root);
    if (fault !== undefined) {
      throw new SetupError(
        `Set-up failed: "npm ci" succeeded, but ${fault}.\n` +
          "What to try: an install script fetches it, so `npm config get ignore-scripts` must print false. Then remove\n" +
          "node_modules and run the same command again.",
      );
    }
    writeStamp(root);
  });
}

/** @param {string} root */
async function npmCi(root) {
  // Print to stderr, because stdout belongs to the command that follows.
  const end = await run("npm", ["ci", "--include=dev", "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: root,
    env: wholeInstall(process.env, root),
    stdio: ["ignore", 2, 2],
    ownGroup: true,
  });
  if (end.received !== undefined) throw new SetupError(`Set-up was stopped by ${end.received}.`, end.received);
  if (end.error !== undefined) {
    throw new SetupError(
      `Set-up failed: npm could not be started (${end.error.message}).\n` +
        "What to try: install Node with npm, make sure that `npm --version` works, then run the same command again.",
    );
  }
  if (end.signal !== undefined || end.code !== 0) {
    throw new SetupError(
      `Set-up failed: "npm ci" ended with ${end.signal ?? `exit code ${end.code}`} in ${root}.\n` +
        "What to try: npm's own message is above. Without a network, check `npm ping`; if the lock file and a\n" +
        "package.json disagree, run `npm install`; then run the same command again.",
    );
  }
}

/**
 * Returns the environment without the settings of a surrounding npm command and without the packages that are about to be
 * replaced, because npm must not run on a Node that it removes or that does not start.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root
 */
function wholeInstall(env, root) {
  const narrowing = ["workspace", "workspaces", "include_workspace_root", "omit", "global", "dry_run"];
  const names = new Set(narrowing.map((name) => `npm_config_${name}`));
  const folders = (env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => folder !== path.join(root, "node_modules", ".bin"));
  const kept = Object.entries(env).filter(([name]) => !names.has(name));
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter) };
}
