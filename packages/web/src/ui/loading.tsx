import styles from "./loading.module.css";

/** Three grey lines. They appear after 150 ms, so that what is fast does not flicker. */
export function Loading() {
  return (
    <div className={`page ${styles.loading}`} aria-busy="true">
      <i />
      <i />
      <i />
    </div>
  );
}
