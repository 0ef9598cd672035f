import { KILL_AFTER_MS, RENEW_MS, STOP_AFTER_MS } from "../lease-times.ts";

export interface LeaseOptions {
  /** Renews the lease in the log. `false`: another worker holds the run. A rejection says nothing about the lease. */
  extend(): Promise<boolean>;
  /** Stops the run's processes until `resume`. */
  stop(): void;
  /** Lets the stopped processes continue. */
  resume(): void;
  /** Ends the run's processes for good: the run belongs, or will belong, to another worker. */
  kill(reason: LeaseLoss): void;
  clock?: LeaseClock;
}

/** Why a worker gave a run up: another worker has it, or the lease could not be renewed in time. */
export type LeaseLoss = "taken" | "expired";

/** Time for a lease, which tests replace. */
export interface LeaseClock {
  /** Does not go back, but stands still while the machine sleeps. */
  monotonic(): number;
  /** Goes on while the machine sleeps, but may jump. */
  wall(): number;
  every(ms: number, call: () => void): () => void;
}

export interface Lease {
  readonly state: "held" | "stopped" | "lost";
  /** Looks at the clocks now, for example before an effect. Returns whether the run may go on. */
  check(): boolean;
  /** Ends the renewals. */
  end(): void;
}

/**
 * Holds the lease of a run: renews it every ten seconds, and fences this worker itself when it cannot. The states are:
 * `held`; `stopped`, entered after 20 seconds without renewal and left by a renewal; `lost`, entered after 28 seconds
 * without renewal or when another worker has the run, and never left.
 */
export function holdLease({ extend, stop, resume, kill, clock = systemClock }: LeaseOptions): Lease {
  let state: Lease["state"] = "held";
  let renewed = now(clock);
  let isRenewing = false;

  const lose = (reason: LeaseLoss): void => {
    if (state === "lost") return;
    state = "lost";
    end();
    kill(reason);
  };

  const renew = async (): Promise<void> => {
    if (isRenewing || state === "lost") return;
    isRenewing = true;
    // The lease counts from the moment of asking, because the store may have answered long ago.
    const asked = now(clock);
    try {
      if (!(await extend())) return lose("taken");
      renewed = asked;
      if (state === "stopped" && silence() < STOP_AFTER_MS) {
        state = "held";
        resume();
      }
    } catch {
      // The log cannot be reached now. The clocks decide how long that may last.
    } finally {
      isRenewing = false;
    }
  };

  /** Whichever clock says more: one stands still during sleep, the other may be set back. */
  const silence = (): number => {
    const { monotonic, wall } = now(clock);
    return Math.max(monotonic - renewed.monotonic, wall - renewed.wall);
  };

  const check = (): boolean => {
    if (state === "lost") return false;
    const silent = silence();
    if (silent >= KILL_AFTER_MS) lose("expired");
    else if (silent >= STOP_AFTER_MS && state === "held") {
      state = "stopped";
      stop();
    }
    return state === "held";
  };

  const endRenewals = clock.every(RENEW_MS, () => void renew());
  const endChecks = clock.every(CHECK_MS, () => {
    if (!check() && state === "stopped") void renew();
  });
  const end = (): void => {
    endRenewals();
    endChecks();
  };

  return {
    get state() {
      return state;
    },
    check,
    end,
  };
}

const CHECK_MS = 1_000;

const now = ({ monotonic, wall }: LeaseClock) => ({ monotonic: monotonic(), wall: wall() });

const systemClock: LeaseClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  every(ms, call) {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
