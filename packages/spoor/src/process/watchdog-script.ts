/**
 * A POSIX shell script. Each line of its input lists everything that is watched, as `mark:pid:start` or `mark::`. When the
 * input ends, the script kills the processes of the last line: those in the group or session of a watched process, those that
 * carry one of the marks, and all their descendants. The start time detects a pid that was reused by another process.
 */
export const WATCHDOG_SCRIPT = String.raw`
live=
while IFS= read -r line; do live=$line; done
[ -n "$live" ] || exit 0

rows() {
  if [ -r /proc/self/stat ]; then
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) .*) /\1 /' | awk '{ print $1, $3, $4, $5, $2, $21 }'
  else
    ps -A -o pid=,ppid=,pgid=,stat= | awk '{ print $1, $2, $3, 0, $4, "" }'
  fi
}

marked() {
  for entry in $live; do
    mark=${"$"}{entry%%:*}
    if [ -r /proc/self/environ ]; then
      grep -lzE "^SPOOR_RUN=([^,]*,)*$mark(,|\$)" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'
    else
      ps -A -E -ww -o pid=,command= 2>/dev/null | grep -E "SPOOR_RUN=([^ ,]*,)*$mark(,| |\$)" | awk '{ print $1 }'
    fi
  done
}

members() {
  rows | awk -v live="$live" -v marked="$(marked | tr '\n' ' ')" -v me=$$ '
    { parent[$1] = $2; group[$1] = $3; session[$1] = $4; state[$1] = $5; start[$1] = $6 }
    END {
      n = split(live, entries, " ")
      for (i = 1; i <= n; i++) {
        split(entries[i], entry, ":")
        root = entry[2]
        # Without a pid, the mark alone counts. Processes of other containers may show group 0.
        if (root + 0 <= 1) continue
        if ((root in parent) && entry[3] != "" && start[root] != entry[3]) continue
        groups[root] = 1
      }
      n = split(marked, pids, " ")
      for (i = 1; i <= n; i++) bears[pids[i]] = 1
      do {
        grown = 0
        for (pid in parent) {
          if ((pid in found) || pid + 0 <= 1 || pid == me) continue
          if ((group[pid] in groups) || (session[pid] in groups) || (parent[pid] in found) || (pid in bears)) {
            found[pid] = 1
            grown = 1
          }
        }
      } while (grown)
      for (pid in found) if (state[pid] !~ /^[ZX]/) print pid
    }'
}

for round in 1 2 3 4 5 6 7 8 9 10; do
  found=$(members)
  [ -n "$found" ] || exit 0
  kill -STOP $found 2>/dev/null
  more=$(members)
  kill -KILL $found $more 2>/dev/null
  sleep 0.1 2>/dev/null || sleep 1
done
`;
