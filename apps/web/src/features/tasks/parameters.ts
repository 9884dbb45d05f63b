const ACTION = /\{\{-?\s*([^}]*?)\s*-?\}\}/g
const FIELD = /(?:^|[\s(|])\.([A-Za-z_]\w*)/g
const STRINGS = /"(?:[^"\\]|\\.)*"|`[^`]*`/g
const COMMENT = /^\/\*/

/** Names of the parameters that a prompt uses, such as `city` of `{{.city}}`, in the order of their first use. */
export function listParameters(prompt: string): readonly string[] {
  const names = new Set<string>()
  for (const [, action = ''] of prompt.matchAll(ACTION)) {
    if (COMMENT.test(action)) continue
    for (const [, name = ''] of action.replaceAll(STRINGS, '').matchAll(FIELD)) names.add(name)
  }
  return [...names]
}
