import type { McpContext } from "./tools/index.ts";

/** The resources that a client watches. */
export interface WatchedResources {
  /** Returns false if there are too many. A resource that does not exist yet can be watched, too. */
  add(uri: string): Promise<boolean>;
  remove(uri: string): void;
  close(): void;
}

const MOST_WATCHED = 1_000;

/** Tells about a resource at most this often, in milliseconds: a run may change a hundred times a second. */
const PAUSE_MS = 500;

/** Calls `tell` after a watched resource has changed. The log is watched only while somebody watches something. */
export function watchResources(context: McpContext, tell: (uri: string) => Promise<void>): WatchedResources {
  const watched = new Set<string>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;
  let isClosed = false;

  function note(isConcerned: (uri: string) => boolean): void {
    for (const uri of watched) if (isConcerned(uri)) changed.add(uri);
    if (changed.size > 0) timer ??= setTimeout(send, PAUSE_MS);
  }

  function send(): void {
    timer = undefined;
    const uris = [...changed];
    changed.clear();
    // A client that went away hears nothing more.
    for (const uri of uris) tell(uri).catch(() => {});
  }

  async function open(): Promise<void> {
    if (unwatch) return;
    const log = await context.log();
    if (isClosed || unwatch) return;
    const ends = [
      log.watch(({ run_id }) =>
        note((uri) => isOfRun(uri, run_id) || uri === "spoor://runs" || uri === "spoor://usage"),
      ),
      log.watchRows((table) => table === "approvals" && note((uri) => uri === "spoor://approvals")),
    ];
    unwatch = () => {
      for (const end of ends) end();
    };
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
    unwatch?.();
    unwatch = undefined;
  }

  return {
    async add(uri) {
      if (watched.size >= MOST_WATCHED) return false;
      watched.add(uri);
      // Without a log there is nothing to watch yet.
      await open().catch(() => {});
      return true;
    },
    remove(uri) {
      watched.delete(uri);
      changed.delete(uri);
      if (watched.size === 0) stop();
    },
    close() {
      isClosed = true;
      watched.clear();
      stop();
    },
  };
}

const isOfRun = (uri: string, run_id: string): boolean =>
  uri === `spoor://runs/${run_id}` || uri.startsWith(`spoor://runs/${run_id}/`);
