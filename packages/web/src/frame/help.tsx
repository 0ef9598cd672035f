import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { keyLabel, singleKeys } from "../ui/keys.ts";
import { notificationChoice, turnOn, whyNoNotifications } from "../ui/notifications.ts";
import { Segments } from "../ui/segments.tsx";
import { useStored } from "../ui/stored.ts";
import { type Theme, theme } from "../ui/theme.ts";
import styles from "./help.module.css";
import { keyTable } from "./key-table.ts";

/** All keys, and the few settings that the page keeps in this browser. */
export default function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys and settings" form="wide" onClose={onClose}>
      <div className={styles.body}>
        <div className={styles.settings}>
          <SingleKeys />
          <Notifications />
          <Themes />
        </div>
        {keyTable.map(({ where, keys }) => (
          <section key={where} className={styles.group}>
            <h3>{where}</h3>
            <dl>
              {keys.map(([names, does]) => (
                <div key={does}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{keyLabel(name)}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function SingleKeys() {
  const isOn = useStored(singleKeys);
  return (
    <label className={styles.setting}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={() => singleKeys.write(!isOn)}
      />
      <span>
        Single keys
        <small>Off: only keys with {keyLabel("mod")}, arrows, Enter, Space and Esc do something.</small>
      </span>
    </label>
  );
}

function Notifications() {
  const choice = useStored(notificationChoice);
  const [problem, setProblem] = useState(whyNoNotifications);
  const change = async () => {
    if (choice === "on") notificationChoice.write("off");
    else if (!(await turnOn())) setProblem(whyNoNotifications() ?? "The browser did not allow them.");
  };
  return (
    <label className={styles.setting}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={choice === "on" && problem === undefined}
        checked={choice === "on" && problem === undefined}
        disabled={problem !== undefined && choice !== "on"}
        onChange={() => void change()}
      />
      <span>
        Notifications
        <small>{problem ?? "When a run needs you and you are not looking at this page."}</small>
      </span>
    </label>
  );
}

function Themes() {
  const chosen = useStored(theme);
  return (
    <div className={styles.setting}>
      <Segments label="Theme" value={chosen} options={themes} onChange={theme.write} />
    </div>
  );
}

const themes: readonly { value: Theme; name: string }[] = [
  { value: "system", name: "As the system" },
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
];
