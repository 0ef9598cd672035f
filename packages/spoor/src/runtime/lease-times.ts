/** How long a worker may hold a run without renewing its lease. */
export const LEASE_MS = 30_000;
/** How often a lease is renewed. */
export const RENEW_MS = 10_000;
/** Without renewal for this long, the process tree is stopped: another worker may soon take over. */
export const STOP_AFTER_MS = 20_000;
/** Without renewal for this long, the process tree is killed, so that its effects end before another worker starts. */
export const KILL_AFTER_MS = 28_000;
/** For how long a queued run is left to the terminal that performed it before, so that it goes on there. */
export const HEAD_START_MS = 2_000;
/** A run whose lease was not renewed for this long counts as lost. */
export const LOST_AFTER_MS: number = 3 * LEASE_MS;
