/** What the page knows of its one connection to the server. */
export type { HubState as Connection } from "@spoor/protocol/client";
