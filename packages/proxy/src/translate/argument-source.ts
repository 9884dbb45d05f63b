import type { ArgumentSource } from '../call-assembler.ts'
import { readSource } from './source-text.ts'

/**
 * Reads the arguments of calls from the source text of a reply of the compatible format.
 *
 * @param at the place of the choice, and its member with the calls
 */
export function createArgumentSource(
  json: string | Uint8Array,
  { choice, member }: { readonly choice: number; readonly member: 'delta' | 'message' },
): ArgumentSource {
  return (place) =>
    readSource(json, (root) => {
      const said = [...(root.get('choices')?.items() ?? [])][choice]?.get(member)
      return [...(said?.get('tool_calls')?.items() ?? [])][place]?.get('function')?.get('arguments')
    })
}
