import type { ReactNode } from "react";

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { readonly value: Value; readonly name: ReactNode }[];
  onChange: (value: Value) => void;
}

/** A few choices in one line, of which one is taken. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset className="seg" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.name}
        </button>
      ))}
    </fieldset>
  );
}
