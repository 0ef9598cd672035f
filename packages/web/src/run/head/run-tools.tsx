import { type ReactNode, useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";
import styles from "./head.module.css";

const PLACE = "run-tools";

/** The right end of the tabs, where the view that is shown puts its tools. */
export const ToolsPlace = () => <span id={PLACE} className={styles.tools} />;

/** Draws the tools of a view at the right end of the tabs. */
export function RunTools({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<Element | null>(null);
  useLayoutEffect(() => setPlace(document.getElementById(PLACE)), []);
  return place && createPortal(children, place);
}
