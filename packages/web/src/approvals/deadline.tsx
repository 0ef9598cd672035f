import type { ApprovalView } from "@spoor/protocol";
import { clockTime, left } from "../ui/format.ts";
import { useNow } from "../ui/use-now.ts";
import styles from "./deadline.module.css";

type Timed = Pick<ApprovalView, "requestedAt" | "expiresAt" | "defaultAction">;

/** The time that is left as a ring and in words. */
export function Deadline({ approval, words = left }: { approval: Timed; words?: typeof left }) {
  const now = useNow();
  const { requestedAt, expiresAt } = approval;
  if (expiresAt === undefined) return <span className={styles.none}>no deadline</span>;
  return (
    <span className={`${styles.left} num`}>
      <Ring share={shareLeft(requestedAt, expiresAt, now)} />
      {words(expiresAt, now)}
    </span>
  );
}

/** What happens without an answer: "Denied in 4:12 if nobody answers". */
export function Otherwise({ approval }: { approval: Timed }) {
  const now = useNow();
  const { expiresAt, defaultAction = "reject" } = approval;
  if (expiresAt === undefined) return <span className={styles.left}>Waits until somebody answers</span>;
  const time = left(expiresAt, now).replace(/ left$/, "");
  return (
    <span className={`${styles.left} num`}>
      {time === "no time" ? "The time is over" : `${outcomes[defaultAction].later} in ${time} if nobody answers`}
    </span>
  );
}

/** The same for a list of facts: "denied at 20:40:03". */
export const otherwiseText = ({ expiresAt, defaultAction = "reject" }: Timed): string =>
  expiresAt === undefined ? "it waits" : `${outcomes[defaultAction].fact} at ${clockTime(expiresAt)}`;

/** The share of the time that is left, from 0 to 1. */
function shareLeft(requestedAt: string | undefined, expiresAt: string, now: number): number {
  const [from, to] = [Date.parse(requestedAt ?? expiresAt), Date.parse(expiresAt)];
  return to > from ? Math.min(1, Math.max(0, (to - now) / (to - from))) : 0;
}

const outcomes = {
  reject: { later: "Denied", fact: "denied" },
  cancel_run: { later: "The run is cancelled", fact: "the run is cancelled" },
  approve: { later: "Approved", fact: "approved" },
} as const;

const ROUND = 2 * Math.PI * 7;

function Ring({ share }: { share: number }) {
  return (
    <svg className={styles.ring} viewBox="0 0 18 18" aria-hidden="true">
      <circle cx="9" cy="9" r="7" />
      <circle className={styles.value} cx="9" cy="9" r="7" strokeDasharray={`${share * ROUND} ${ROUND}`} />
    </svg>
  );
}
