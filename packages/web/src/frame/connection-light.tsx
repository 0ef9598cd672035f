import { useConnection } from "../live/use-connection.ts";
import { useNow } from "../ui/use-now.ts";
import { lightOf } from "./light-of.ts";

/**
 * The light in the bar. It says the break of a connection only after a second: most are mended by then. It counts down, so
 * it is not read out; the banner has a sentence for that.
 */
export function ConnectionLight() {
  const connection = useConnection();
  const now = useNow(1000);
  const { tone, words } = lightOf(connection, now);
  return (
    <span className={`conn ${tone}`}>
      <i />
      {words}
    </span>
  );
}
