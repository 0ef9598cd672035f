import fs from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const heartbeatMs = 1_000;
const silentMs = 30_000;
const self = `${process.pid} ${os.hostname()}`;

/**
 * Runs `work` while holding the lock file, so that only one process at a time does so.
 *
 * The file names its owner, which touches it every second. A killed owner leaves the file behind. A waiting process then
 * removes it: at once if the owner is not running on this machine, else after the file was untouched for half a minute.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  await take(file);
  const heartbeat = setInterval(() => touch(file), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (look(file)?.owner === self) fs.rmSync(file, { force: true });
  }
}

/** @param {string} file */
async function take(file) {
  let watched = { owner: "", touched: 0, since: 0 };
  while (!create(file)) {
    const held = look(file);
    if (held === undefined) continue;
    if (watched.owner === "") console.error("Another set-up is running here. Waiting for it.");
    // Watch the file for changes instead of comparing clocks, which a sleeping laptop would make wrong.
    if (held.owner !== watched.owner || held.touched !== watched.touched) {
      watched = { ...held, since: performance.now() };
    }
    if (isGone(held.owner) || performance.now() - watched.since > silentMs) removeStale(file, held);
    await sleep(100);
  }
}

/** @param {string} file */
function create(file) {
  return unlessCode("EEXIST", () => fs.writeFileSync(file, self, { flag: "wx" }) ?? true) ?? false;
}

/** @param {string} file */
function look(file) {
  return unlessCode("ENOENT", () => ({ owner: fs.readFileSync(file, "utf8"), touched: fs.statSync(file).mtimeMs }));
}

/**
 * Returns true if the owner has certainly ended. A half-written lock or one of another machine does not prove it.
 *
 * @param {string} owner
 */
function isGone(owner) {
  const [pid, host] = owner.split(" ");
  if (host !== os.hostname()) return false;
  return unlessCode("ESRCH", () => unlessCode("EPERM", () => process.kill(Number(pid), 0)) ?? true) === undefined;
}

/**
 * Two waiting processes may find the same lock stale, and the slower one must not remove the new lock of the faster one.
 * A short-lived folder therefore guards the removal.
 *
 * @param {string} file
 * @param {{ owner: string, touched: number }} stale
 */
function removeStale(file, stale) {
  const guard = `${file}-removal`;
  if (unlessCode("EEXIST", () => fs.mkdirSync(guard) ?? true) === undefined) {
    const left = unlessCode("ENOENT", () => fs.statSync(guard).mtimeMs) ?? Date.now();
    if (Date.now() - left > silentMs) fs.rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    const now = look(file);
    if (now?.owner === stale.owner && now.touched === stale.touched) fs.rmSync(file);
  } finally {
    fs.rmdirSync(guard);
  }
}

/** @param {string} file */
function touch(file) {
  const now = new Date();
  unlessCode("ENOENT", () => fs.utimesSync(file, now, now));
}

/**
 * Returns the result of `action`, or undefined if it fails with this error code.
 *
 * @template T
 * @param {string} code
 * @param {() => T} action
 * @returns {T | undefined}
 */
function unlessCode(code, action) {
  try {
    return action();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === code) return undefined;
    throw error;
  }
}
