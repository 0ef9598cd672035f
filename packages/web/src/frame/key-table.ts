/** Every key of the page, as the help shows it. Names are those of `useKeys`. */
export const keyTable: readonly { readonly where: string; readonly keys: readonly KeyLine[] }[] = [
  {
    where: "Everywhere",
    keys: [
      [["mod+k"], "search and commands"],
      [["/"], "filter, or search where there is no filter"],
      [["n"], "new run"],
      [["g r", "g a", "g c", "g u", "g e"], "go to Runs, Approvals, Compare, Usage, Events"],
      [["escape"], "close, leave a field"],
      [["shift+t"], "light or dark"],
      [["?"], "this help"],
    ],
  },
  {
    where: "Runs, approvals, events",
    keys: [
      [["j", "k"], "next, previous (arrows do the same)"],
      [["enter"], "open"],
      [["x"], "select"],
      [["c"], "compare what is selected"],
      [["o"], "open the run"],
    ],
  },
  {
    where: "Run",
    keys: [
      [["1", "2", "3", "4"], "conversation, changes, timeline, events"],
      [["j", "k"], "next, previous item"],
      [["[", "]"], "previous, next turn"],
      [["enter", "space"], "open, close"],
      [["shift+e"], "open or close all"],
      [["home", "end"], "to the beginning, follow the end"],
      [["r"], "reply"],
      [["mod+enter"], "send"],
      [["f"], "find"],
      [["h"], "thinking"],
      [["i i"], "interrupt, when pressed twice within 2 s"],
    ],
  },
  {
    where: "What waits for you",
    keys: [
      [["a"], "approve"],
      [["d"], "deny"],
      [["shift+d"], "deny with a note"],
    ],
  },
  {
    where: "Changes",
    keys: [
      [["j", "k"], "next, previous hunk"],
      [["[", "]"], "previous, next file"],
      [["v"], "looked at"],
      [["s"], "side by side"],
      [["shift+a"], "apply"],
      [["shift+r"], "reject"],
      [["u"], "revert"],
    ],
  },
  {
    where: "Timeline",
    keys: [
      [["arrowleft", "arrowright"], "previous, next item"],
      [["arrowup", "arrowdown"], "lane above, below"],
      [["+", "-", "0"], "zoom in, out, whole run"],
      [["space"], "replay"],
      [["[", "]"], "previous, next turn"],
      [["enter"], "show in the conversation"],
    ],
  },
];

type KeyLine = readonly [keys: readonly string[], does: string];
