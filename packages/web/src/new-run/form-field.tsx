import { type ReactNode, useId } from "react";
import styles from "./new-run.module.css";

interface FormFieldProps {
  label: string;
  problem?: string | undefined;
  hint?: string | undefined;
  /** Draws the control with these attributes, which tie it to its label, its hint and what is wrong with it. */
  children: (aria: ControlAttributes) => ReactNode;
}

interface ControlAttributes {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

export function FormField({ label, problem, hint, children }: FormFieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-invalid": problem !== undefined,
        "aria-describedby": note === undefined ? undefined : `${id}-note`,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? styles.hint : styles.problem}>
          {note}
        </p>
      )}
    </div>
  );
}
