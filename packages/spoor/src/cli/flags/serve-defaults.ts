/** How a server is started if no flag says otherwise. */
export const serveDefaults = {
  host: "127.0.0.1",
  durability: "process",
  /** Milliseconds. */
  compressAfter: 7 * 86_400_000,
  workers: 4,
} as const;
