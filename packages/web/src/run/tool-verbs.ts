import type { IconName } from "../ui/icon.tsx";

/** What a call does, by the kind of its tool, in every view of a run. Other calls are named by their tool. */
export const toolVerbs = {
  shell: { verb: "Run", icon: "terminal" },
  git: { verb: "Run", icon: "terminal" },
  file_read: { verb: "Read", icon: "file" },
  file_write: { verb: "Write", icon: "fileNew" },
  edit: { verb: "Edit", icon: "edit" },
  multi_edit: { verb: "Edit", icon: "edit" },
  glob: { verb: "Find files", icon: "search" },
  grep: { verb: "Search", icon: "search" },
  web_fetch: { verb: "Fetch", icon: "link" },
  web_search: { verb: "Search the web", icon: "search" },
  http: { verb: "Fetch", icon: "link" },
  todo_write: { verb: "Update the list", icon: "list" },
} as const satisfies Readonly<Record<string, { verb: string; icon: IconName }>>;

export const verbOf = (kind: string | undefined): { verb: string; icon: IconName } | undefined =>
  kind !== undefined && Object.hasOwn(toolVerbs, kind) ? toolVerbs[kind as keyof typeof toolVerbs] : undefined;
