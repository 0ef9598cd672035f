import { Icon, type IconName } from "../../ui/icon.tsx";
import type { Choices } from "./choices.ts";
import type { PatchRequest, Verb } from "./patch-requests.ts";
import type { Wish } from "./wishes.ts";

interface PatchButtonsProps {
  choices: Choices;
  request: PatchRequest | undefined;
  onWish: (wish: Pick<Wish, "verb" | "changes">) => void;
}

/** Apply, reject and revert, as far as they make sense for these changes. */
export function PatchButtons({ choices, request, onWish }: PatchButtonsProps) {
  const isSending = request?.phase === "sending";
  return verbs.map((verb) => {
    const changes = choices[verb];
    if (changes.length === 0) return null;
    const isAgain = verb === "apply" && changes.every(({ status }) => status === "reverted");
    return (
      <VerbButton
        key={verb}
        verb={verb}
        isOff={isSending}
        isAgain={isAgain}
        onPress={() => onWish({ verb, changes })}
      />
    );
  });
}

const verbs: readonly Verb[] = ["apply", "reject", "revert"];

interface VerbButtonProps {
  verb: Verb;
  of?: "hunk";
  isOff?: boolean;
  isAgain?: boolean;
  onPress: () => void;
}

/** One button. While a request is on its way it stays in its place, and does nothing. */
export function VerbButton({ verb, of, isOff = false, isAgain = false, onPress }: VerbButtonProps) {
  const { word, icon } = words[verb];
  const tone = of ? "quiet" : verb === "apply" ? "strong" : "";
  return (
    <button
      type="button"
      className={`btn small ${tone}`}
      data-verb={verb}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onPress();
      }}
    >
      <Icon name={icon} small />
      {word}
      {of && " hunk"}
      {isAgain && " again"}
    </button>
  );
}

export const words: Readonly<Record<Verb, { word: string; past: string; icon: IconName }>> = {
  apply: { word: "Apply", past: "applied", icon: "tick" },
  reject: { word: "Reject", past: "rejected", icon: "cross" },
  revert: { word: "Revert", past: "reverted", icon: "undo" },
};
