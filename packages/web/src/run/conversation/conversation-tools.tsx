import { Icon } from "../../ui/icon.tsx";
import styles from "./conversation.module.css";
import { FindBar } from "./find/find-bar.tsx";
import type { useFind } from "./find/use-find.ts";

/** What stands at the end of the tabs while the conversation is shown: the switch of thoughts, and the search. */
export function ConversationTools({
  find,
  showsThoughts,
  onThoughts,
}: {
  find: ReturnType<typeof useFind>;
  showsThoughts: boolean;
  onThoughts: () => void;
}) {
  if (find.isOpen)
    return (
      <FindBar
        words={find.words}
        onWords={find.setWords}
        at={find.at}
        matches={find.matches}
        onStep={find.step}
        onClose={find.close}
      />
    );
  return (
    <>
      <button
        type="button"
        className="btn quiet small"
        aria-pressed={showsThoughts}
        title="Show or hide thoughts (H)"
        onClick={onThoughts}
      >
        <Icon name="thought" small />
        <span className={styles.word}>{showsThoughts ? "Thinking shown" : "Thinking hidden"}</span>
      </button>
      <button type="button" className="btn quiet small" title="Find in the conversation (F)" onClick={find.open}>
        <Icon name="search" small />
        <span className={styles.word}>Find</span> <kbd>F</kbd>
      </button>
    </>
  );
}
