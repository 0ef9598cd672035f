import type { RunRecord } from "@spoor/protocol/client";
import { routes } from "../routes.ts";
import { stored } from "./stored.ts";

/**
 * Whether the browser tells that a run needs a person while nobody looks at the page.
 *
 * - `ask`: nobody has decided yet. The page offers it when something waits for the first time.
 * - `on`, `off`: the person decided. `off` is also the answer to the offer that was closed.
 */
type NotificationChoice = "ask" | "on" | "off";

export const notificationChoice = stored<NotificationChoice>(
  "notifications",
  (text) => (text === "on" || text === "off" ? text : "ask"),
  (choice) => (choice === "ask" ? null : choice),
);

/** Why the browser cannot notify, or undefined if it can. */
export function whyNoNotifications(): string | undefined {
  if (!globalThis.isSecureContext) return "The browser allows notifications only over HTTPS or on this machine.";
  if (!("Notification" in globalThis)) return "This browser has no notifications.";
  if (Notification.permission === "denied")
    return "The browser blocks them for this page. Its settings can allow them.";
  return undefined;
}

/** Turns notifications on, after asking the browser if that was not done before. Only a press of a button may call it. */
export async function turnOn(): Promise<boolean> {
  const isAllowed = whyNoNotifications() === undefined && (await Notification.requestPermission()) === "granted";
  notificationChoice.write(isAllowed ? "on" : "off");
  return isAllowed;
}

/** Tells of a run that needs a person. Tabs share the tag, so that a run is told of once. */
export function notify(run: RunRecord, sentence: string, open: (path: string) => void): void {
  const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
  if (isLookedAt || notificationChoice.read() !== "on" || whyNoNotifications() !== undefined) return;
  if (Notification.permission !== "granted") return;
  try {
    const note = new Notification(sentence, { body: run.title ?? "", tag: run.run_id, icon: "/icon-waiting.svg" });
    note.onclick = () => {
      window.focus();
      open(routes.run(run.run_id));
      note.close();
    };
  } catch {
    // Some phones allow notifications to service workers only.
  }
}
