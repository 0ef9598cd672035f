import type { UsageAnswer } from "@spoor/protocol/client";
import { Link, useLocation, useSearch } from "wouter";
import { routes } from "../routes.ts";
import { useCopy } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loading } from "../ui/loading.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { Chart } from "./chart.tsx";
import { type Range, rangeOf, ranges, timeZone } from "./days.ts";
import { Figures } from "./figures.tsx";
import { csvOf, type Split, splitOf } from "./summary.ts";
import { Table } from "./table.tsx";
import styles from "./usage.module.css";
import { useUsage } from "./use-usage.ts";

/** What the runs cost and used, by day, agent, model and source. */
export default function Usage() {
  usePageTitle("Usage");
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const [range, split] = [rangeOf(query.get("days")), splitOf(query.get("by"))];
  const show = (next: { range?: Range; split?: Split }) => {
    const words = new URLSearchParams({ days: String(next.range ?? range), by: next.split ?? split });
    navigate(`${routes.usage()}?${words}`, { replace: true });
  };
  const { days, usage, failed } = useUsage(range);
  return (
    <main id="main" className="page">
      <div className={`page-head ${styles.head}`}>
        <h1>Usage</h1>
        <span className="push" />
        <fieldset className="seg" aria-label="Range">
          {ranges.map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => show({ range: each })}>
              {each} days
            </button>
          ))}
        </fieldset>
        {usage && usage.data.length > 0 && <CopyTable usage={usage} />}
      </div>
      {failed !== undefined && <p className={styles.failed}>The usage could not be read. {failed}</p>}
      {!usage && failed === undefined && <Loading />}
      {usage?.data.length === 0 && <Empty range={range} />}
      {usage && usage.data.length > 0 && (
        <>
          <Figures days={days} total={usage.total} />
          <Chart days={days} rows={usage.data} split={split} onSplit={(next) => show({ split: next })} />
          <Table rows={usage.data} total={usage.total} />
          <p className={styles.note}>
            <Icon name="question" small />
            <span>
              <b>Reported</b> is what the agent itself said. <b>Estimated</b> is tokens times list price. <b>Billed</b>{" "}
              is what a provider charged. Unknown is never counted as zero: it is left out and said. Days are those of
              your time zone, {timeZone()}; each run counts on the day it was created.
            </span>
          </p>
        </>
      )}
    </main>
  );
}

function CopyTable({ usage }: { usage: UsageAnswer }) {
  const { told, copy } = useCopy();
  return (
    <button type="button" className="btn no-phone" onClick={() => void copy(csvOf(usage.data))}>
      <Icon name={told === "Copied" ? "tick" : "copy"} small />
      {told ?? "Copy as CSV"}
    </button>
  );
}

function Empty({ range }: { range: Range }) {
  return (
    <div className={styles.empty}>
      <Icon name="bars" />
      <h2>No runs in the last {range} days</h2>
      <p>As soon as an agent runs, its tokens and its cost are added up here.</p>
      {range < 90 ? (
        <Link className="btn" href={`${routes.usage()}?days=90`} replace>
          Show 90 days
        </Link>
      ) : (
        <Link className="btn" href={routes.runs()}>
          Start a run
        </Link>
      )}
    </div>
  );
}
