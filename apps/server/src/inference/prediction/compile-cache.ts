import { createHash } from 'node:crypto'
import { SvcError } from '@svc/errors'

/** Grammars of forms that were compiled before, the least recently used ones forgotten first. */
export interface CompileCache {
  /**
   * What `compile` makes of the form, or has made of an equal one before. A refusal is kept too: a form that takes long
   * to be refused must not do so with every request.
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
  const entries = new Map<string, Entry>()
  let length = 0

  function keep(key: string, entry: Entry): void {
    entries.set(key, entry)
    length += lengthOf(entry)
    for (const [oldest, value] of entries) {
      if (entries.size <= MAX_ENTRIES && length <= MAX_LENGTH) return
      entries.delete(oldest)
      length -= lengthOf(value)
    }
  }

  return {
    get<Compiled extends { readonly grammar: string }>(form: unknown, compile: () => Compiled): Compiled {
      const key = createHash('sha256').update(JSON.stringify(form)).digest('base64')
      const known = entries.get(key)
      if (known !== undefined) {
        entries.delete(key)
        entries.set(key, known)
        if ('refusal' in known) throw known.refusal
        // The key says which form it is, and with it what was made of it.
        return known.compiled as Compiled
      }
      try {
        const compiled = compile()
        keep(key, { compiled })
        return compiled
      } catch (error) {
        if (SvcError.is(error) && error.kind === 'invalid_request') keep(key, { refusal: error })
        throw error
      }
    },
  }
}

type Entry = { readonly compiled: { readonly grammar: string } } | { readonly refusal: SvcError }

function lengthOf(entry: Entry): number {
  return 'compiled' in entry ? entry.compiled.grammar.length : entry.refusal.message.length
}
