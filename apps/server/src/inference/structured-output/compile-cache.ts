import { createHash } from 'node:crypto'

/** Grammars of forms that were compiled before, the least recently used ones forgotten first. */
export interface CompileCache {
  /**
   * What `compile` makes of the form, or has made of an equal one before. What it throws is not kept.
   *
   * @param form all that the result depends on, as JSON
   */
  get<Compiled extends { readonly grammar: string }>(form: unknown, compile: () => Compiled): Compiled
}

/** Most forms that are kept. */
const MAX_ENTRIES = 256
/** Most UTF-16 units of their grammars together. */
const MAX_LENGTH = 8 * 1024 * 1024

/** A cache with nothing in it. Clients send the same schema with every request: compiling it takes milliseconds. */
export function createCompileCache(): CompileCache {
  const entries = new Map<string, { readonly grammar: string }>()
  let length = 0

  function forgetOldest(): void {
    for (const [key, { grammar }] of entries) {
      if (entries.size <= MAX_ENTRIES && length <= MAX_LENGTH) return
      entries.delete(key)
      length -= grammar.length
    }
  }

  return {
    get<Compiled extends { readonly grammar: string }>(form: unknown, compile: () => Compiled): Compiled {
      const key = createHash('sha256').update(JSON.stringify(form)).digest('base64')
      const known = entries.get(key)
      if (known !== undefined) {
        entries.delete(key)
        entries.set(key, known)
        // The key says which form it is, and with it what was made of it.
        return known as Compiled
      }
      const compiled = compile()
      entries.set(key, compiled)
      length += compiled.grammar.length
      forgetOldest()
      return compiled
    },
  }
}
