/** The most servers of a run. */
export const MAX_SERVERS = 16;
/** The most tools of all servers of a run together. Providers take about 128 tools in a request. */
export const MAX_TOOLS = 100;
/** The most pages of a server's list of tools. */
export const MAX_PAGES = 100;
/** The longest message of a server. */
export const MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;
/** How long a server may take until its tools are known. */
export const CONNECT_MS = 30_000;
/** How long a call may take, unless the server's entry says otherwise. */
export const CALL_MS = 60_000;
/** How many remarks of a server are told in a run. */
export const MAX_NOTES = 200;

export const tooLarge = `The answer of the server is larger than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB, so it was not read.`;
