import { useWaiting } from "../live/use-waiting.ts";
import { Icon } from "../ui/icon.tsx";
import { notificationChoice, turnOn, whyNoNotifications } from "../ui/notifications.ts";
import { useStored } from "../ui/stored.ts";
import styles from "./runs.module.css";

/** Offers notifications the first time that something waits. Whoever closes the offer is not asked again. */
export function NotificationOffer() {
  const choice = useStored(notificationChoice);
  const { count } = useWaiting();
  if (choice !== "ask" || count === 0 || whyNoNotifications() !== undefined) return null;
  return (
    <p className={styles.offer}>
      <Icon name="bell" small />
      <span>Be told when a run needs you and you look elsewhere?</span>
      <button type="button" className="btn small" onClick={() => void turnOn()}>
        Turn on notifications
      </button>
      <button
        type="button"
        className="btn quiet small icon"
        aria-label="No, thanks"
        onClick={() => notificationChoice.write("off")}
      >
        <Icon name="cross" small />
      </button>
    </p>
  );
}
