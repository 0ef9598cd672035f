import type { ReactNode } from "react";
import { Icon, type IconName } from "../../ui/icon.tsx";
import styles from "./banner.module.css";

/** `wait`: nobody has to act. `bad`: something is wrong. `quiet`: something is missing. `ok`: all is well again. */
type BannerTone = "wait" | "bad" | "quiet" | "ok";

/** One line that says what is the matter, and one thing to do about it. */
export function Banner({
  tone,
  icon,
  title,
  children,
  action,
}: {
  tone: BannerTone;
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`${styles.banner} ${styles[tone]}`}>
      <Icon name={icon} />
      <p>
        <b>{title}</b> {children}
      </p>
      {action}
    </div>
  );
}
