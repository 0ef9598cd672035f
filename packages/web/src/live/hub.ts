import { createEventHub } from "@spoor/protocol/client";

/** The one connection of this tab. It carries everything that is live on the page. */
export const hub = createEventHub({ url: location.origin });

// A laptop that wakes up, a page that is shown again and a network that comes back do not wait for the next attempt.
addEventListener("online", () => hub.reconnect());
addEventListener("pageshow", ({ persisted }) => persisted && hub.reconnect());
addEventListener("focus", () => hub.connectNow());
document.addEventListener("visibilitychange", () => document.hidden || hub.connectNow());
