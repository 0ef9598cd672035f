import { useEffect } from "react";
import { connectNow } from "../../live/use-connection.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./logged-out.module.css";

const command = "npx spoor login";

/** Takes the place of the whole page when the server wants a login: nothing of the log stays on screen. */
export function LoggedOut() {
  useEffect(() => {
    document.title = "Logged out · Spoor";
  }, []);
  return (
    <main id="main" className={styles.page}>
      <section className={`card ${styles.card}`}>
        <Icon name="lock" className={styles.lock ?? ""} />
        <h1>You are logged out.</h1>
        <p>
          This browser has no valid login for this server. Print a new link in a terminal on the machine that runs it,
          and open the link here. Each link works once.
        </p>
        <p className={styles.command}>
          <code>{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </p>
        <p className={styles.note}>
          Nothing is lost: runs go on without this page. <span>It goes on by itself after the login.</span>
        </p>
        <button type="button" className="btn" onClick={connectNow}>
          Try again
        </button>
      </section>
    </main>
  );
}
