import type { Envelope } from "@spoor/protocol";
import { LogError } from "../../log/errors.ts";
import type { FeedSubscription, Feeds } from "../../log/feed/feed.ts";
import type { Log } from "../../log/log.ts";
import { firstOf } from "../../log/ranges.ts";
import { delayAfter } from "../back-off.ts";
import type { Place } from "../saved-cursor.ts";
import { type Lane, Lanes } from "./lanes.ts";
import type { Outcome } from "./outcome.ts";
import type { Pace } from "./pace.ts";
import { readRunEvents } from "./run-events.ts";
import type { ReceiverState } from "./state.ts";

export interface DeliveryOptions {
  log: Log;
  feeds: Feeds;
  match: (type: string) => boolean;
  pace: Pace;
  /** Sends one event. Never rejects. */
  send(envelope: Envelope): Promise<Outcome>;
  /** Something that the operator should know, as the end of a sentence about the receiver. */
  notice(text: string): void;
  changed(): void;
}

/**
 * Delivers the chosen events of the log to one receiver: each at least once, those of a run in their order.
 *
 * A feed shows which runs have new events. Each of these runs is a lane with a cursor of its own, so a run whose event is
 * refused waits alone. Neither feed nor lanes hold events: what is not delivered is read from the log when its turn comes.
 *
 * - delivering: the normal state.
 * - out of reach (`#outage`): nothing is sent until `#outage.until`; then one event is tried. Any delivery ends the state.
 * - disabled (`state.disabled_at`): the receiver answered 410. Nothing is read or sent until `enable`.
 */
export class Delivery {
  readonly state: ReceiverState;
  #position: number;
  readonly lanes: Lanes;
  readonly #options: DeliveryOptions;
  #feed: FeedSubscription | undefined;
  #isFull = false;
  #sending = 0;
  /** Times of `performance.now()`, which no change of the clock moves. */
  #outage: { until: number; attempts: number } | undefined;
  #quietSince = performance.now();
  /** Whether the backlog was skipped and requests for it are still under way. Later events must not overtake them. */
  #isSkipping = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #idle = Promise.withResolvers<void>();

  constructor({ position, state }: Place<ReceiverState>, options: DeliveryOptions) {
    this.#position = position;
    this.state = state;
    this.lanes = new Lanes(state.runs);
    this.#options = options;
  }

  /** The position up to which the log was looked at. */
  get position(): number {
    return this.#feed?.cursor ?? this.#position;
  }

  /** When the receiver is tried again, if it is out of reach. A time of `performance.now()`. */
  get nextAttempt(): number | undefined {
    return this.#outage?.until;
  }

  start(): void {
    if (this.#isClosed || this.#feed || this.#isSkipping || this.state.disabled_at !== undefined) return;
    const { feeds, match, notice, pace } = this.#options;
    this.#feed = feeds.followAll(
      this.#position,
      {
        take: ({ pieces }) => {
          for (const { run_id, sequences } of pieces) this.lanes.open(run_id, firstOf(sequences));
          this.#isFull = this.lanes.size >= pace.mostRuns;
          this.#options.changed();
          this.#pump();
          return !this.#isFull;
        },
        failed: (error) => {
          this.#stopReading();
          notice(`gets no events for now, because the log cannot be read: ${(error as Error).message}`);
          if (!this.#options.log.closed.aborted) setTimeout(() => this.start(), LOG_RETRY_MS).unref();
        },
      },
      { match },
    );
    this.#pump();
  }

  /** Everything is tried again now. Also ends the state that 410 Gone began. With `fromNow`, the backlog is skipped. */
  enable(fromNow: boolean): void {
    delete this.state.disabled_at;
    this.#outage = undefined;
    if (fromNow) {
      this.#stopReading();
      this.lanes.clear();
      this.#isFull = false;
      this.#isSkipping = this.#sending > 0;
      this.#position = this.#options.log.lastPosition;
    }
    this.lanes.hurry();
    this.#options.changed();
    this.start();
    this.#pump();
  }

  /** What must be saved so that another process can go on from here. */
  place(): Place<ReceiverState> {
    return { position: this.position, state: { ...this.state, runs: this.lanes.saved() } };
  }

  /** Sends nothing more. Resolves when the requests that are being sent have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopReading();
    clearTimeout(this.#timer);
    if (this.#sending > 0) await this.#idle.promise;
  }

  #stopReading(): void {
    this.#position = this.position;
    this.#feed?.close();
    this.#feed = undefined;
  }

  /** Serves ready lanes as far as the state allows, and sets the timer for the next one. */
  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.state.disabled_at !== undefined) return;
    const now = performance.now();
    const pausedUntil = this.#outage?.until ?? 0;
    const most = this.#outage ? 1 : this.#options.pace.concurrency;
    if (pausedUntil <= now) {
      for (let lane = this.lanes.ready(now); lane && this.#sending < most; lane = this.lanes.ready(now)) {
        this.#sending += 1;
        lane.isBusy = true;
        void this.#serve(lane).finally(() => this.#served(lane));
      }
    }
    const next = Math.max(this.lanes.nextDue(), pausedUntil);
    if (this.#sending < most && Number.isFinite(next))
      this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(next - now, 1), LONGEST_TIMER_MS));
  }

  #served(lane: Lane): void {
    lane.isBusy = false;
    this.#sending -= 1;
    this.#options.changed();
    if (this.#isClosed) {
      if (this.#sending === 0) this.#idle.resolve();
      return;
    }
    if (this.#isSkipping && this.#sending === 0) {
      this.#isSkipping = false;
      this.start();
    }
    if (this.#isFull && this.lanes.size < this.#options.pace.mostRuns) {
      this.#isFull = false;
      this.#feed?.resume();
    }
    this.#pump();
  }

  /** Sends the next page of a run's events, up to the first that is not taken. */
  async #serve(lane: Lane): Promise<void> {
    const { log, match, send, notice } = this.#options;
    const through = this.position;
    lane.isDirty = false;
    try {
      const { events, next, more } = await readRunEvents(log, lane.run_id, { after: lane.after, through, match });
      for (const envelope of events) {
        if (this.#isClosed || this.state.disabled_at !== undefined || !this.lanes.has(lane)) return;
        const outcome = await send(envelope);
        if (!this.#judge(lane, envelope.sequence, outcome)) return;
      }
      lane.after = Math.max(lane.after, next);
      if (more || lane.isDirty) this.lanes.moveBack(lane);
      else this.lanes.remove(lane);
    } catch (error) {
      if (error instanceof LogError && error.code === "run_not_found") {
        this.lanes.remove(lane);
        notice(`cannot get the rest of the run ${lane.run_id}, because the run is no longer in the log`);
      } else if (!this.#isClosed)
        this.#refuse(lane, lane.after + 1, `waits, because the log cannot be read: ${(error as Error).message}`);
    }
  }

  /** Draws the consequences of an attempt. Returns whether the lane may go on with its next event. */
  #judge(lane: Lane, sequence: number, outcome: Outcome): boolean {
    const now = Date.now();
    if (outcome.kind === "delivered") {
      this.#accept(lane, sequence, now);
      return true;
    }
    // An attempt that we cut off ourselves says nothing about the receiver.
    if (this.#isClosed) return false;
    this.state.failed_attempts += 1;
    this.state.last_failure = { at: now, detail: outcome.detail };
    if (outcome.kind === "gone") this.#disable(now);
    else if (outcome.kind === "out_of_reach" || (outcome.kind === "busy" && !this.#isToBlame(lane, sequence, outcome)))
      this.#pause(outcome);
    else return this.#refuse(lane, sequence, outcome.detail, outcome.waitMs);
    this.lanes.moveBack(lane);
    return false;
  }

  /** Whether the receiver is busy only when it gets this event: it took others since it said so at this one before. */
  #isToBlame(lane: Lane, sequence: number, { waitMs }: Outcome): boolean {
    const known = lane.busy?.sequence === sequence ? lane.busy : undefined;
    const { delivered } = this.state;
    lane.busy = { sequence, delivered: known?.delivered ?? delivered };
    return waitMs === undefined && known !== undefined && delivered > known.delivered;
  }

  #accept(lane: Lane, sequence: number, now: number): void {
    lane.after = sequence;
    delete lane.failing;
    this.state.delivered += 1;
    this.state.last_delivered_at = now;
    if (this.#outage) this.#options.notice("receives again");
    this.#outage = undefined;
    // After a longer time without a delivery, runs that wait may have waited for the same reason.
    if (performance.now() - this.#quietSince > QUIET_MS) this.lanes.hurry();
    this.#quietSince = performance.now();
    this.#options.changed();
  }

  #pause({ detail, waitMs = 0 }: Outcome): void {
    const { pace, notice } = this.#options;
    const now = performance.now();
    // Several requests may have been under way when it began.
    if (this.#outage && this.#outage.until > now) return;
    if (!this.#outage)
      notice(`${detail}. Nothing is lost: it is tried again, at least every ${minutes(pace.outOfReach.longest)}`);
    const attempts = (this.#outage?.attempts ?? 0) + 1;
    const wait = Math.max(delayAfter(attempts, pace.outOfReach, Math.random()), waitMs);
    this.#outage = { attempts, until: now + wait };
  }

  /** Lets the run wait, or gives the event up if it was tried for too long. Returns whether it was given up. */
  #refuse(lane: Lane, sequence: number, detail: string, waitMs = 0): boolean {
    const { pace, notice } = this.#options;
    const [at, now] = [Date.now(), performance.now()];
    const known = lane.failing?.sequence === sequence ? lane.failing : undefined;
    const { since, attempts } = { since: at, attempts: 0, ...known };
    const last = (known && lane.refused) ?? { at: now, waitMs: 0 };
    const tried_ms = (known?.tried_ms ?? 0) + Math.min(now - last.at, last.waitMs);
    this.lanes.moveBack(lane);
    if (tried_ms >= pace.maxAge) {
      lane.after = sequence;
      delete lane.failing;
      this.state.given_up += 1;
      this.state.recently_given_up = [
        ...this.state.recently_given_up.slice(1 - KEPT),
        { run_id: lane.run_id, sequence, at, detail },
      ];
      notice(
        `never took event ${sequence} of the run ${lane.run_id} (it ${detail}), so the event is given up after ${attempts + 1} attempts`,
      );
      return true;
    }
    // One line is enough for a receiver that refuses everything.
    if (this.lanes.failing().length === 0)
      notice(`did not take event ${sequence} of the run ${lane.run_id}: it ${detail}. The event is tried again`);
    lane.failing = { sequence, since, tried_ms: Math.round(tried_ms), attempts: attempts + 1, detail };
    if (!known && this.lanes.failing().length === pace.mostRuns)
      notice(`does not take the events of ${pace.mostRuns} runs, so newer runs wait until it takes some of them`);
    lane.refused = { at: now, waitMs: Math.max(delayAfter(attempts + 1, pace.refused, Math.random()), waitMs) };
    lane.dueAt = now + lane.refused.waitMs;
    return false;
  }

  #disable(now: number): void {
    if (this.state.disabled_at !== undefined) return;
    this.state.disabled_at = now;
    this.#stopReading();
    this.#options.notice("answered 410 Gone, so it is disabled and gets nothing more, also after a restart");
  }
}

const minutes = (ms: number): string => `${Math.max(1, Math.round(ms / 60_000))} minutes`;

const KEPT = 20;
const QUIET_MS = 60_000;
const LOG_RETRY_MS = 10_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
