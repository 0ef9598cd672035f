import { Icon } from "../../ui/icon.tsx";
import { headLabel } from "../replay/moment-label.ts";
import { speeds } from "../replay/play-clock.ts";
import { useReplay } from "../replay/use-replay.ts";
import style from "./timeline.module.css";

interface Props {
  head: number;
  whole: number;
  onTurn: (direction: -1 | 1) => void;
  onPlay: () => void;
}

/** Plays the run, at a speed, from the head on. */
export function Transport({ head, whole, onTurn, onPlay }: Props) {
  const { store, state } = useReplay();
  return (
    <fieldset className={style.transport} aria-label="Replay">
      <button
        type="button"
        className="btn icon"
        aria-label="Turn before"
        title="Turn before ["
        onClick={() => onTurn(-1)}
      >
        <Icon name="first" small />
      </button>
      <button
        type="button"
        className="btn icon primary"
        aria-label={
          state.isPlaying
            ? "Pause the replay"
            : state.at === undefined
              ? "Replay from the beginning"
              : "Replay from here"
        }
        title={state.isPlaying ? "Pause (Space)" : "Replay (Space)"}
        onClick={onPlay}
      >
        <Icon name={state.isPlaying ? "pause" : "play"} small />
      </button>
      <button type="button" className="btn icon" aria-label="Next turn" title="Next turn ]" onClick={() => onTurn(1)}>
        <Icon name="last" small />
      </button>
      <span className={`${style.at} num`}>{headLabel(head, whole)}</span>
      <fieldset className="seg" aria-label="Speed">
        {speeds.map((speed) => (
          <button key={speed} type="button" aria-pressed={state.speed === speed} onClick={() => store.setSpeed(speed)}>
            {speed}×
          </button>
        ))}
      </fieldset>
    </fieldset>
  );
}
