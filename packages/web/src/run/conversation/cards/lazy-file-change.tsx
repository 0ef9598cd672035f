import type { FileView } from "@spoor/protocol";
import { lazy, type ReactNode, Suspense } from "react";
import styles from "./cards.module.css";

const Loaded = lazy(() => import("./file-change.tsx"));

/** A change of a file. The table of diffs is loaded when the first change is shown. */
export const FileChange = (props: { file: FileView; children?: ReactNode }) => (
  <Suspense
    fallback={
      <p className={styles.quietLine} aria-busy="true">
        Loading the diff…
      </p>
    }
  >
    <Loaded {...props} />
  </Suspense>
);
