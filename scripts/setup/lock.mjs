import fs from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const heartbeatMs = 1_000;
const silentMs = 30_000;
const self = `${process.pid} ${os.hostname()}`;

/**
 * Runs `work` while holding the lock file, so that only one process at a time does so.
 *
 * The file names its owner, who touches it every second. A killed owner leaves it behind; whoever waits then removes
 * it: at once if the process is gone from this machine, else after watching it stay untouched for half a minute.
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
    if (watched.owner === "") console.error("Another set-up is at work here; waiting for it.");
    // Silence is measured by watching, not by comparing clocks, which a sleeping laptop would upset.
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
 * Whether the owner surely no longer runs. A half-written lock or another machine's says nothing of that kind.
 *
 * @param {string} owner
 */
function isGone(owner) {
  const [pid, host] = owner.split(" ");
  if (host !== os.hostname()) return false;
  return unlessCode("ESRCH", () => unlessCode("EPERM", () => process.kill(Number(pid), 0)) ?? true) === undefined;
}

/**
 * Two waiters may judge the same lock stale, and the slower one must not remove the faster one's new lock. So removal
 * is guarded too, by a folder that exists for a moment only.
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
 * The result of `action`, or undefined when it fails with this error code.
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
