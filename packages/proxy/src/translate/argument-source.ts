import type { ArgumentSource } from '../call-assembler.ts'
import { readSources } from './source-text.ts'

/**
 * Reads the arguments of calls from the source text of a reply of the compatible format, which is parsed once, when it
 * is asked for.
 *
 * @param at the place of the choice, and its member with the calls
 */
export function createArgumentSource(
  json: string | Uint8Array,
  { choice, member }: { readonly choice: number; readonly member: 'delta' | 'message' },
): ArgumentSource {
  let texts: readonly (string | undefined)[] | undefined
  return (place) => {
    texts ??= readSources(json, (root) => {
      const said = [...(root.get('choices')?.items() ?? [])][choice]?.get(member)
      return [...(said?.get('tool_calls')?.items() ?? [])].map((call) => call.get('function')?.get('arguments'))
    })
    return texts[place]
  }
}
