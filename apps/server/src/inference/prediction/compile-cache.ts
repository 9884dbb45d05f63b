import { hash } from 'node:crypto'
import { SvcError } from '@svc/errors'

/** Compiled grammars of forms; drops the least recently used ones first. */
export interface CompileCache {
  /**
   * Gives the result of `compile`, or the cached result for an equal form. Refusals are cached too, so that a form that
   * is slow to refuse is compiled only once.
   *
   * @param form everything that the result depends on, as JSON
   */
  get<Compiled extends { readonly grammar: string }>(form: unknown, compile: () => Compiled): Compiled
}

/** Maximum number of cached forms. */
const MAX_ENTRIES = 256
/** Maximum total length of their grammars in UTF-16 units. */
const MAX_LENGTH = 8 * 1024 * 1024

/** Creates an empty cache. Clients send the same schema with every request, and compiling it takes milliseconds. */
export function createCompileCache(): CompileCache {
  const entries = new Map<string, Entry>()
  let length = 0

  function keep(key: string, entry: Entry): void {
    entries.set(key, entry)
    length += measureLength(entry)
    for (const [oldest, value] of entries) {
      if (entries.size <= MAX_ENTRIES && length <= MAX_LENGTH) return
      entries.delete(oldest)
      length -= measureLength(value)
    }
  }

  return {
    get<Compiled extends { readonly grammar: string }>(form: unknown, compile: () => Compiled): Compiled {
      const key = hash('sha256', JSON.stringify(form), 'base64')
      const known = entries.get(key)
      if (known !== undefined) {
        entries.delete(key)
        entries.set(key, known)
        if ('refusal' in known) throw known.refusal
        // The key names the form and with it the type of the result.
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

function measureLength(entry: Entry): number {
  return 'compiled' in entry ? entry.compiled.grammar.length : entry.refusal.message.length
}
