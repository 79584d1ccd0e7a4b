import type { ToolCategory } from './enums.ts'

/** What kind of thing a tool does, by the names that the known agents give their tools. */
const CATEGORY_OF_NAME: ReadonlyMap<string, ToolCategory> = new Map(
  Object.entries({
    READ: 'read read_file readfile view view_image notebookread read_many_files',
    EDIT: 'edit multiedit apply_patch patch str_replace str_replace_editor notebookedit replace edit_file',
    WRITE: 'write write_file create_file writefile',
    SEARCH:
      'grep glob list ls find search codesearch file_search search_files list_directory lsp toolsearch tool_search list_dir grep_files',
    SHELL:
      'bash shell exec exec_command local_shell run_shell_command terminal bashoutput killshell write_stdin shell_command',
    WEB: 'webfetch websearch web_search web_fetch fetch google_web_search',
    AGENT: 'task agent subagent delegate spawn_agent wait_agent send_input close_agent resume_agent',
    PLAN: 'todowrite todoread update_plan plan exitplanmode enterplanmode plan_enter plan_exit',
  } as const).flatMap(([category, names]) => names.split(' ').map((name) => [name, category as ToolCategory] as const)),
)

export function toolCategory(name: string | null): ToolCategory {
  if (name === null) return 'OTHER'
  if (name.startsWith('mcp__')) return 'MCP'
  return CATEGORY_OF_NAME.get(name.toLowerCase()) ?? 'OTHER'
}
