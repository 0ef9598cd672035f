import { ANY } from "../glob.ts";
import { skippedText, unreadText, unseenSubstitution } from "./checks.ts";
import { heredocProblem } from "./heredoc.ts";
import type { Node, ParseShell } from "./parser.ts";
import { Parts, type ShellPart } from "./parts.ts";
import { changesCommands } from "./programs.ts";
import { readCommand } from "./read-command.ts";
import { knownVariables } from "./variables.ts";
import { readWords, type ShellWord, Unreadable, unknownWord, type Variables } from "./word.ts";

export interface ReadShellOptions {
  parse: ParseShell;
  home: string;
  /** The folder in which the text runs. */
  cwd: string;
}

/** Reads a shell text into its parts: what it runs, reads, writes and reaches, and what cannot be judged. */
export function readShell(text: string, { parse, home, cwd }: ReadShellOptions): readonly ShellPart[] {
  const parts = new Parts();
  read(text, 0, false);
  return parts.list;

  function read(source: string, depth: number, fed: boolean): void {
    const problem = depth > 8 ? "It is nested too deeply." : unreadText(source);
    if (problem !== undefined) {
      parts.opaque(shorten(source), problem, true);
      return;
    }
    parse(source, (root) => {
      if (root.hasError) return parts.opaque(shorten(source), "It is not a shell text that can be parsed.", true);
      const unseen = unseenSubstitution(root, source) ?? skippedText(root, source);
      if (unseen !== undefined) return parts.opaque(shorten(source), unseen, true);
      const variables = knownVariables(root, source, home, cwd);
      new Reader(source, depth, variables, home, parts, read).visit(root, fed);
    });
  }
}

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);

/** Nodes that only hold other nodes. Any other type makes the text opaque, since it was not thought of. */
const plain = new Set(
  `program command_name list subshell compound_statement if_statement elif_clause else_clause while_statement for_statement
   c_style_for_statement case_statement case_item do_group function_definition negated_command command_substitution
   process_substitution test_command binary_expression unary_expression parenthesized_expression ternary_expression
   postfix_expression arithmetic_expansion string string_content raw_string ansi_c_string translated_string
   concatenation word number simple_expansion expansion variable_name special_variable_name subscript array regex
   extglob_pattern test_operator file_descriptor comment heredoc_start heredoc_body heredoc_content heredoc_end
   brace_expression`.split(/\s+/),
);

class Reader {
  readonly #source: string;
  readonly #depth: number;
  readonly #variables: Variables;
  readonly #home: string;
  readonly #parts: Parts;
  readonly #read: (text: string, depth: number, fed: boolean) => void;

  constructor(
    source: string,
    depth: number,
    variables: Variables,
    home: string,
    parts: Parts,
    read: (text: string, depth: number, fed: boolean) => void,
  ) {
    this.#source = source;
    this.#depth = depth;
    this.#variables = variables;
    this.#home = home;
    this.#parts = parts;
    this.#read = read;
  }

  visit(node: Node, fed: boolean): void {
    switch (node.type) {
      case "command":
      case "declaration_command":
      case "unset_command":
        this.#command(node, fed, []);
        return;
      case "pipeline":
        this.#pipeline(node, fed);
        return;
      case "redirected_statement":
        this.#redirected(node, fed);
        return;
      case "variable_assignment":
        this.#assignment(node);
        return;
      case "for_statement":
        this.#setting(node.childForFieldName("variable")?.text ?? "", node);
        this.#children(node, fed);
        return;
      case "variable_assignments":
        this.#children(node, fed);
        return;
      case "file_redirect":
      case "herestring_redirect":
      case "heredoc_redirect":
        this.#redirect(node, fed);
        return;
      case "process_substitution":
        this.#children(node, node.text.startsWith(">("));
        return;
      case "subscript":
      case "test_command":
      case "arithmetic_expansion":
        if (/'[^']*(\$\(|`)/.test(node.text))
          this.#parts.opaque(shorten(node.text), "It may evaluate a text that holds a command.");
        this.#children(node, fed);
        return;
      case "expansion":
        // `${x@P}` runs the commands in a value, and `${x:=…}` sets a variable.
        if (/@[A-Za-z]\}$|[!@]\{|:?=/.test(node.text.replace(/"[^"]*"|'[^']*'/g, "")))
          this.#parts.opaque(shorten(node.text), "It evaluates or sets a variable.");
        this.#children(node, fed);
        return;
      default:
        if (!plain.has(node.type) && node.isNamed)
          this.#parts.opaque(
            shorten(node.text),
            `It has a ${node.type.replaceAll("_", " ")}, which is not judged.`,
            true,
          );
        this.#children(node, fed);
        return;
    }
  }

  #children(node: Node, fed: boolean): void {
    for (const child of node.children) if (child) this.visit(child, fed);
  }

  /** Every stage but the first reads from a pipe. */
  #pipeline(node: Node, fed: boolean): void {
    let isFirst = true;
    for (const child of node.namedChildren) {
      if (!child) continue;
      this.visit(child, isFirst ? fed : true);
      isFirst = false;
    }
  }

  #redirected(node: Node, fed: boolean): void {
    const children = node.namedChildren.filter((child) => child !== null);
    const isRedirect = (child: Node): boolean => child.type.endsWith("_redirect");
    const redirects = children.filter(isRedirect);
    const further: Node[] = [];
    const isFed = redirects.some((one) => !one.type.startsWith("file") || /^\d*<(?!&|\()/.test(one.text));
    for (const redirect of redirects) further.push(...this.#redirect(redirect, fed));
    for (const child of children) {
      if (isRedirect(child)) continue;
      // Words after a redirection belong to the command.
      if (child.type === "command") this.#command(child, fed || isFed, further);
      else {
        if (further.length > 0) this.#parts.opaque(shorten(node.text), "Words follow a redirection.", true);
        this.visit(child, fed || isFed);
      }
    }
    // The tree gives the redirection of the last command of a list to the whole list, whose folders and variables come first.
    if (children.some(({ type }) => type === "list" || type === "pipeline"))
      for (const redirect of redirects) this.#redirect(redirect, fed);
    if (further.length > 0 && children.every(isRedirect)) this.#command(further[0] as Node, fed, further);
  }

  /** Reads a redirection. Returns the words after it, which the tree has in the wrong place. */
  #redirect(node: Node, fed: boolean): Node[] {
    if (node.type === "herestring_redirect") {
      this.#children(node, fed);
      return [];
    }
    if (node.type === "heredoc_redirect") {
      const problem = heredocProblem(node, this.#source);
      if (problem !== undefined) this.#parts.opaque(shorten(node.text), problem, true);
      const words: Node[] = [];
      for (const child of node.namedChildren) {
        if (!child) continue;
        if (
          /^heredoc_|^file_descriptor$|_redirect$/.test(child.type) ||
          /^(pipeline|list|command|.*_statement|subshell)$/.test(child.type)
        ) {
          // What follows on the line reads from the command with the heredoc, or comes after it.
          this.visit(child, /^(heredoc|file)_/.test(child.type) ? fed : true);
        } else words.push(child);
      }
      return words;
    }
    const unnamed = node.children.filter((child) => child !== null && !child.isNamed);
    const operator = unnamed[0]?.text ?? "";
    if (unnamed.length !== 1) this.#parts.opaque(shorten(node.text), "A redirection cannot be read.", true);
    const [target, ...further] = node.childrenForFieldName("destination").filter((child) => child !== null);
    if (target === undefined) {
      if (!/^[<>]&-$/.test(operator)) this.#parts.opaque(shorten(node.text), "A redirection cannot be read.", true);
      return further;
    }
    this.#children(node, fed);
    const words = this.#words(target);
    if (words === undefined) return further;
    const [word, ...others] = words;
    const isDescriptor = /^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(word?.literal ?? "");
    if (isDescriptor || word === undefined) return further;
    if (others.length > 0) this.#parts.opaque(shorten(node.text), "A redirection has several targets.", true);
    const text = shorten(node.text);
    const network = /^\/dev\/(?:tcp|udp)\/([^/]+)\/?(\w*)/.exec(word.literal ?? "");
    if (network)
      this.#parts.add({
        kind: "host",
        text,
        word: {
          ...unknownWord(false),
          literal: `${network[1]}:${network[2]}`,
          glob: [...`${network[1]}:${network[2]}`],
        },
        weight: "full",
      });
    else if (target.type !== "process_substitution") {
      const isRead = operator.startsWith("<") && operator !== "<>";
      this.#parts.add({ kind: isRead ? "read" : "write", text, word, weight: "full" });
    }
    return further;
  }

  #assignment(node: Node): void {
    const name = /^\w*/.exec(node.text)?.[0] ?? "";
    const text = shorten(node.text);
    this.#setting(name, node);
    const value = node.childForFieldName("value");
    if (value && value.type !== "array") this.#words(value);
    // Arithmetic evaluates the value of a variable again, with the commands in it.
    if (/'[^']*(\$\(|`)|\\[$`]/.test(node.text)) this.#parts.opaque(text, "It keeps a text that holds a command.");
    this.#children(node, false);
  }

  #setting(name: string, node: Node): void {
    if (changesCommands.test(name))
      this.#parts.opaque(shorten(node.text), `It sets ${name}, which changes what commands run.`);
  }

  #command(node: Node, fed: boolean, further: readonly Node[]): void {
    const words: ShellWord[] = [];
    const isWhole = node !== further[0];
    let isReadable = true;
    let isFed = fed;
    let at = node.startIndex;
    const nodes = isWhole ? node.children.filter((child) => child !== null) : [];
    for (const child of [...nodes, ...further]) {
      if (isWhole && child.startIndex >= at && child.endIndex <= node.endIndex) {
        const between = this.#source.slice(at, child.startIndex);
        // Words that touch are one word, which the tree has cut.
        const isCut = between === "" && at > node.startIndex && !child.type.endsWith("_redirect");
        if (isCut || !/^(\s|\\\n)*$/.test(between)) isReadable = false;
        at = child.endIndex;
      }
      if (child.type.endsWith("_redirect")) {
        isFed ||= !child.type.startsWith("file") || /^\d*<(?!&|\()/.test(child.text);
        this.#redirect(child, fed);
        continue;
      }
      if (child.type === "variable_assignment") {
        this.visit(child, fed);
        if (node.type === "command" && words.length === 0) continue;
      } else this.visit(child, false);
      const found = this.#words(child.type === "command_name" ? (child.firstChild ?? child) : child);
      if (found === undefined) return;
      words.push(...found);
    }
    const text = shorten(node.text);
    if (!isReadable) {
      this.#parts.opaque(text, "A word of the command cannot be read.", true);
      return;
    }
    const context = { parts: this.#parts, text, fed: isFed, depth: this.#depth, readText: this.#read };
    readCommand(words, context);
  }

  #words(node: Node): ShellWord[] | undefined {
    // Arrays only occur in declarations. Their elements are visited as nodes.
    if (node.type === "array" || node.text.includes("=(")) return [{ glob: [ANY], literal: undefined, many: true }];
    try {
      return readWords(node, this.#source, this.#variables, this.#home);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#parts.opaque(shorten(node.text), "A word cannot be read.", true);
      return undefined;
    }
  }
}
