export const shells = ["bash", "zsh", "fish"] as const;

/**
 * What each shell runs. All of them ask `spoor complete`, which prints a line for each candidate: the word, a tab, and what it
 * is. If there is none, the shell completes files.
 */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# Completion of spoor for bash. Load it in ~/.bashrc: source <(spoor completion bash)
_spoor() {
  local word value about last=-1 start=
  local -a words=() values=() lines=()
  # Bash takes --flag=value for three words.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $last -ge 0 && ( ( $word == "=" && \${words[last]} == --* ) || \${words[last]} == --*= ) ]]; then
      words[last]+=$word
    else
      words+=("$word")
      last=$((last + 1))
    fi
  done
  [[ $last -ge 0 && \${words[last]} == --*=* ]] && start="\${words[last]%%=*}="
  while IFS=$'\\t' read -r value about; do
    values+=("\${value#"$start"}")
    lines+=("\${value#"$start"}  ($about)")
  done < <(spoor complete -- "\${words[@]}" 2>/dev/null)
  # When bash only lists the candidates, it also shows what they are.
  if [[ $COMP_TYPE == 63 && \${#values[@]} -gt 1 ]]; then COMPREPLY=("\${lines[@]}"); else COMPREPLY=("\${values[@]}"); fi
}
complete -o default -F _spoor spoor
`,
  zsh: `#compdef spoor
# Completion of spoor for zsh. Load it in ~/.zshrc after compinit: source <(spoor completion zsh)
_spoor() {
  local value about
  local -a candidates
  while IFS=$'\\t' read -r value about; do
    candidates+=("\${value//:/\\\\:}:\${about}")
  done < <(spoor complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe -V spoor candidates; else _files; fi
}
if [[ "\${funcstack[1]}" == "_spoor" ]]; then _spoor "$@"; else compdef _spoor spoor; fi
`,
  fish: `# Completion of spoor for fish. Load it once: spoor completion fish > ~/.config/fish/completions/spoor.fish
function __spoor_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (spoor complete -- $words[2..-1] 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c spoor -f -a '(__spoor_complete)'
`,
};
