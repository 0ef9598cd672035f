import { money, UNKNOWN } from "../ui/format.ts";
import styles from "./day-table.module.css";
import { longDay } from "./days.ts";
import type { Series, stacksOf } from "./summary.ts";

/** Every figure of the bars, for those who read tables. Days without a known cost are left out. */
export function DayTable({ stacks, series }: { stacks: ReturnType<typeof stacksOf>; series: readonly Series[] }) {
  const days = stacks.filter(({ micros }) => micros > 0).toReversed();
  if (days.length === 0) return null;
  return (
    <details className={styles.days}>
      <summary>The figures by day</summary>
      <section className={styles.box} aria-label="Cost by day" tabIndex={days.length > 0 ? 0 : undefined}>
        <table className="num">
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ id, name }) => (
                <th scope="col" key={id}>
                  {name}
                </th>
              ))}
              <th scope="col">All</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, parts, micros }) => (
              <tr key={day}>
                <th scope="row">{longDay(day)}</th>
                {series.map(({ id }, index) => (
                  <td key={id}>{parts[index] ? money(parts[index]) : UNKNOWN}</td>
                ))}
                <td>{money(micros)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
