import { useEffect } from "react";
import { Link } from "wouter";
import { type RunScreen, routes } from "../../routes.ts";
import { Icon } from "../../ui/icon.tsx";
import { momentLabel } from "./moment-label.ts";
import style from "./replay-banner.module.css";
import { putTimesInUrl } from "./time-in-url.ts";
import { useReplay } from "./use-replay.ts";

/** Says that the run is shown as it was. While it is there, no view offers an action. */
export function ReplayBanner({ runId, screen }: { runId: string; screen: RunScreen }) {
  const { store, state } = useReplay();
  const { at, view, isPlaying, problem } = state;
  // While it plays, the address would change sixty times a second. Every view of the run has the moment in its address.
  const settled = isPlaying ? undefined : at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another address
  useEffect(() => {
    if (!isPlaying) putTimesInUrl({ at: settled });
  }, [settled, isPlaying, screen]);
  if (at === undefined) return null;
  const query = `?at=${Math.round(at)}`;
  return (
    <section className={style.banner} aria-label="Replay">
      <Icon name="lock" small />
      <p>
        <b className="num">As it was at {momentLabel(at)}</b>{" "}
        <span className="two">
          {problem
            ? `The events could not be read. ${problem}`
            : view
              ? "Nothing can be answered or changed here."
              : "Reading the run…"}
        </span>
      </p>
      <span className="push" />
      {screen !== "timeline" && (
        <Link className="btn small" href={routes.run(runId, "timeline") + query}>
          Timeline
        </Link>
      )}
      {screen !== "conversation" && (
        <Link className="btn small" href={routes.run(runId) + query}>
          Conversation at this moment
        </Link>
      )}
      <button type="button" className="btn small strong" onClick={() => store.leave()}>
        Back to now
      </button>
    </section>
  );
}
