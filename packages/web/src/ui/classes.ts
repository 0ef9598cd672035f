/** Joins the names of classes, and leaves out those that do not apply. */
export const classes = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(" ");
