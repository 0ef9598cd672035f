import type { ToolBlock } from "./model-server/script.ts";

/** How each agent's model calls the tools that every agent has: their names and inputs differ, what they do does not. */
export interface Tools {
  shell(command: string): ToolBlock;
  create(path: string, content: string): ToolBlock;
  read(path: string): ToolBlock;
  /** The tool `name` of the MCP server `notes`; absent where no server can be given for a run. */
  mcp?(name: string, input: Readonly<Record<string, unknown>>): ToolBlock;
}

const tool = (name: string, input: ToolBlock["input"]): ToolBlock => ({ type: "tool", name, input });

export const toolsOf: Readonly<Record<string, Tools>> = {
  claude: {
    shell: (command) => tool("Bash", { command, description: "Runs it" }),
    create: (file_path, content) => tool("Write", { file_path, content }),
    read: (file_path) => tool("Read", { file_path }),
    mcp: (name, input) => tool(`mcp__notes__${name}`, input),
  },
  codex: {
    shell: (cmd) => tool("exec_command", { cmd }),
    create: (path, content) => {
      const lines = content.split("\n").map((line) => `+${line}\n`);
      return tool("apply_patch", `*** Begin Patch\n*** Add File: ${path}\n${lines.join("")}*** End Patch\n`);
    },
    // Codex has no tool for reading: it runs cat.
    read: (path) => tool("exec_command", { cmd: `cat ${path}` }),
    mcp: (name, input) => ({ ...tool(name, input), namespace: "mcp__notes" }),
  },
  gemini: {
    shell: (command) => tool("run_shell_command", { command }),
    create: (file_path, content) => tool("write_file", { file_path, content }),
    read: (file_path) => tool("read_file", { file_path }),
  },
  pi: {
    shell: (command) => tool("bash", { command }),
    create: (path, content) => tool("write", { path, content }),
    read: (path) => tool("read", { path }),
  },
  qwen: {
    shell: (command) => tool("run_shell_command", { command, is_background: false }),
    create: (file_path, content) => tool("write_file", { file_path, content }),
    read: (file_path) => tool("read_file", { file_path }),
  },
};
