import type { ToolGrammarSettings } from '../settings.ts'

/** Names of properties that a model writes first: `function.grammar.properties_order`, `name,arguments`. */
export function readPropertiesOrder(settings: ToolGrammarSettings): readonly string[] {
  const names = (settings.grammar?.propertiesOrder ?? '').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '')
}
