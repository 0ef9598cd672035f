import { type CommandListener, deliver } from "../../log/watch-commands.ts";
import type { OpenCommands } from "./messages.ts";
import { connect, type Timeouts } from "./server-connection.ts";

/**
 * Asks a server again and again for the commands of a run, on a connection of its own that does not keep the process alive.
 * `onLost` is called once if the server is gone; the caller then watches the log itself. `delivered` are the commands that
 * the listener has received and that are still open.
 */
export function watchCommandsOfServer(
  { socket, run_id, timeouts }: { socket: string; run_id: string; timeouts: Timeouts },
  listener: CommandListener,
  onLost: (delivered: ReadonlySet<string>) => void,
): () => void {
  let isWatching = true;
  let delivered = new Set<string>();
  let close = (): void => {
    isWatching = false;
  };

  async function watch(): Promise<void> {
    const connection = await connect(socket, timeouts, { keepsAlive: false });
    if (!connection) return;
    close = () => {
      isWatching = false;
      connection.close();
    };
    if (!isWatching) return close();
    while (isWatching) {
      const answer = (await connection.ask({ do: "commands", run_id, delivered: [...delivered] })) as OpenCommands;
      delivered = new Set(answer.open);
      if (answer.commands.length > 0 && isWatching) deliver(listener, answer.commands);
    }
  }

  watch()
    .catch(() => {})
    .finally(() => {
      if (isWatching) onLost(delivered);
      close();
    });
  return () => close();
}
