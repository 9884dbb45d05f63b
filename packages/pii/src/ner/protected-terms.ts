import { parseListFile } from '../list-files.ts'
import type { Logger, TermFiles } from '../ports.ts'
import { compileTerms, type TermMatcher } from './term-matcher.ts'

/** Compiled lists of terms, shared by detectors: an equal list is compiled once while it is cached. */
export interface TermMatchers {
  /** Undefined when no term of the list is long enough. */
  findMatcher(terms: readonly string[]): TermMatcher | undefined
}

/**
 * Caches the compiled matchers of the most recently used lists.
 *
 * @param capacity most cached lists. @default 64
 */
export function createTermMatchers({ capacity = 64 }: { readonly capacity?: number } = {}): TermMatchers {
  const kept = new Map<string, TermMatcher | undefined>()
  return {
    findMatcher(terms) {
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
  /** The matcher of the current terms; changed files are read again. */
  current(): Promise<TermMatcher | undefined>
}

/** Sources of a detector's terms. */
export interface ProtectedTermsOptions {
  readonly terms?: readonly string[] | undefined
  readonly paths?: readonly string[] | undefined
  readonly files?: TermFiles | undefined
  readonly matchers: TermMatchers
  readonly logger?: Logger | undefined
}

/** Follows the protected terms of a detector. An unreadable file is skipped, with one warning until it is readable. */
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
        known = {
          stamp,
          matcher: matchers.findMatcher([...terms, ...read.flatMap((file) => parseTerms(file?.text ?? ''))]),
        }
      }
      return known.matcher
    },
  }
}

function parseTerms(text: string): string[] {
  return parseListFile(text).map((entry) => entry.text)
}
