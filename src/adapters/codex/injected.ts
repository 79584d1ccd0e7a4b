/** Texts that the harness puts into the conversation under the person's role. */
const INJECTED =
  /^\s*(<(environment_context|user_instructions|codex_internal_context|turn_aborted|user_shell_command|user_action|skill|skills_instructions|subagent_notification|permissions instructions|collaboration_mode|image|INSTRUCTIONS)\b|<\/image>|# AGENTS\.md)/

export const isInjected = (text: string): boolean => INJECTED.test(text)

/** The working directory that the context at the start of a session names: old files say it nowhere else. */
export function cwdIn(text: string): string | null {
  if (!/^\s*<environment_context>/.test(text)) return null
  const found = /<cwd>([^<]+)<\/cwd>/.exec(text) ?? /^Current working directory: (.+)$/m.exec(text)
  return found?.[1]?.trim() || null
}
