import { randomBytes } from 'node:crypto'

/** Kinds of ids, by what they begin with. */
export type IdKind = 'sess' | 'event' | 'item' | 'resp' | 'conv' | 'call' | 'mcpl' | 'mcp' | 'mcpr'

/** Creates an id that cannot be guessed. */
export function newId(kind: IdKind): string {
  return `${kind}_${randomBytes(12).toString('hex')}`
}
