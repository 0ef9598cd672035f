import type { TodoView } from "@spoor/protocol";
import { VisibleText } from "../../text/visible-text.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { joined } from "../../ui/joined.ts";
import styles from "./panel.module.css";

/** The agent's own list. On the phone only the line it is at. */
export function TodoPart({ todos }: { todos: readonly TodoView[] }) {
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === "completed").length;
  const current =
    todos.find(({ status }) => status === "in_progress") ??
    todos.find(({ status }) => status === "pending") ??
    todos.at(-1);
  return (
    <section className={styles.todo}>
      <h2>
        To do{" "}
        <span className="dim num">
          {done} of {todos.length}
        </span>
      </h2>
      <ul>
        {joined(todos, (todo) => (
          <li className={`${styles[todo.status] ?? ""} ${todo === current ? styles.here : ""}`}>
            <Icon name={icons[todo.status]} />
            <span>
              <VisibleText text={todo.content} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const icons: Readonly<Record<TodoView["status"], IconName>> = {
  completed: "done",
  in_progress: "working",
  pending: "clock",
  cancelled: "minus",
};
