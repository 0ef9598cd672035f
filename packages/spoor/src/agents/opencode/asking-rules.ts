/**
 * These rules come after those of the user's settings, and the last rule that matches wins. So OpenCode also asks about
 * actions that the user's rules deny. Reading keeps its defaults.
 */
export const askingRules = JSON.stringify({
  "*": "ask",
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  list: "allow",
  lsp: "allow",
  skill: "allow",
  todoread: "allow",
  todowrite: "allow",
  // Nobody receives a subagent's questions, so it would wait for ever.
  task: "deny",
  question: "deny",
  plan_enter: "deny",
  plan_exit: "deny",
});
