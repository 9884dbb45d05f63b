import type { Logger, TermFiles } from '../ports.ts'
import { compileTerms, type TermMatcher } from './term-matcher.ts'

/** Compiled lists of terms, shared by detectors: the same list is compiled once while it is kept. */
export interface TermMatchers {
  /** Undefined when no term of the list is long enough. */
  matcherOf(terms: readonly string[]): TermMatcher | undefined
}

/**
 * Keeps the compiled matchers of the lists that were asked for last.
 *
 * @param capacity how many lists are kept at most. @default 64
 */
export function createTermMatchers({ capacity = 64 }: { readonly capacity?: number } = {}): TermMatchers {
  const kept = new Map<string, TermMatcher | undefined>()
  return {
    matcherOf(terms) {
      const key = terms.join('\n')
      const matcher = kept.has(key) ? kept.get(key) : compileTerms(terms)
      kept.delete(key)
      kept.set(key, matcher)
      for (const oldest of kept.keys()) {
        if (kept.size <= capacity) break
        kept.delete(oldest)
      }
      return matcher
    },
  }
}

/** The protected terms of one detector, from its settings and its files. */
export interface ProtectedTerms {
  /** The matcher of the terms as they are now; files that changed are read again. */
  current(): Promise<TermMatcher | undefined>
}

/** Where the terms of a detector come from. */
export interface ProtectedTermsOptions {
  readonly terms?: readonly string[] | undefined
  readonly paths?: readonly string[] | undefined
  readonly files?: TermFiles | undefined
  readonly matchers: TermMatchers
  readonly logger?: Logger | undefined
}

/** Follows the protected terms of a detector. A file that cannot be read is skipped, with one warning until it can. */
export function createProtectedTerms(options: ProtectedTermsOptions): ProtectedTerms {
  const { terms = [], paths = [], files, matchers, logger } = options
  const missing = new Set<string>()
  let known: { readonly stamp: string; readonly matcher: TermMatcher | undefined } | undefined

  async function readFile(path: string) {
    const file = await files?.read(path)
    if (file !== undefined) missing.delete(path)
    else if (!missing.has(path)) {
      missing.add(path)
      logger?.warn({ path }, 'file of protected terms cannot be read, skipped')
    }
    return file
  }

  return {
    async current() {
      const read = await Promise.all(paths.map(readFile))
      const stamp = JSON.stringify(read.map((file) => file?.stamp ?? null))
      if (known?.stamp !== stamp) {
        known = { stamp, matcher: matchers.matcherOf([...terms, ...read.flatMap((file) => termsOf(file?.text ?? ''))]) }
      }
      return known.matcher
    },
  }
}

/** The terms of a file: one a line, blank lines and lines that begin with `#` left out. */
function termsOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
