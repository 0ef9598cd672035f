import { createSpoorClient } from "@spoor/protocol/client";
import { hub } from "./hub.ts";

/** The server that delivered this page. The browser adds the login cookie. */
export const client = createSpoorClient({
  url: "",
  async fetch(url, init) {
    const response = await fetch(url, init);
    // The connection was made before the login ended. A new one is refused, and the page says so.
    if (response.status === 401 && hub.state.state === "live") hub.reconnect();
    return response;
  },
});
