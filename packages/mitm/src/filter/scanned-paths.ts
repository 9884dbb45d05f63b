import { checkArgument } from '@svc/errors'
import { listSpellings, simplifyPath } from './path-spellings.ts'

/** The format of a scanned body, by its path. */
export type ScannedFormat = 'chat-completions' | 'messages' | 'completions' | 'embeddings' | 'responses'

/** Ends of paths, and the format of the bodies there. The longer of two ends that fit comes first. */
const FORMATS: readonly (readonly [end: string, format: ScannedFormat])[] = [
  ['/chat/completions', 'chat-completions'],
  ['/messages/count_tokens', 'messages'],
  ['/messages', 'messages'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/responses', 'responses'],
]
/** The paths that are scanned in any case. */
const ALWAYS = ['/v1/chat/completions', '/v1/messages'] as const
/** Further paths on which providers take text. */
const FURTHER = ['/v1/responses', '/v1/completions', '/v1/embeddings', '/v1/messages/count_tokens'] as const

/** The paths of a host whose bodies are scanned. */
export interface ScannedPaths {
  /** In canonical form: `/v1/chat/completions` and `/v1/messages`, then the entries. */
  readonly paths: readonly string[]
  /** The paths on which providers are known to take text and that are not scanned. */
  readonly unread: readonly string[]
  /**
   * Finds the format of a request target, by any spelling that some server may take for a scanned path: with a query or
   * parameters, repeated, missing or encoded characters, dots, another case.
   *
   * @returns undefined for a path that is not scanned
   */
  findFormat(target: string): ScannedFormat | undefined
}

interface PathEntry {
  /** In canonical form. */
  readonly text: string
  readonly format: ScannedFormat
  matches(path: string): boolean
}

/**
 * Adds paths to the paths that are always scanned. An entry ends in `/chat/completions`, `/completions`, `/messages`,
 * `/messages/count_tokens`, `/embeddings` or `/responses`; the end says how its bodies are read. A segment `*` matches
 * one or more segments, as for names of deployments. Entries that can match nothing are left out.
 */
export function createScannedPaths(entries: readonly string[] = []): ScannedPaths {
  checkArgument(Array.isArray(entries), 'createScannedPaths: entries', 'a list of texts', entries)
  const read = [...ALWAYS, ...entries].map(readPathEntry).filter((entry) => typeof entry !== 'string')
  const known = new Map(read.map((entry) => [entry.text, entry]))
  const patterns = [...known.values()].filter(({ text }) => text.includes('*'))
  const find = (path: string): ScannedFormat | undefined =>
    (known.get(path) ?? patterns.find((pattern) => pattern.matches(path)))?.format
  return {
    paths: [...known.keys()],
    unread: [...ALWAYS, ...FURTHER].filter((path) => find(path) === undefined),
    findFormat: (target) =>
      known.get(target)?.format ??
      listSpellings(target)
        .flatMap((path) => find(path) ?? [])
        .at(0),
  }
}

/** Every known path: for the form of refusals. */
export const ALL_PATHS: ScannedPaths = createScannedPaths(FURTHER)
/** The paths of a host whose rules do not name any. */
export const USUAL_PATHS: ScannedPaths = createScannedPaths()

/** @returns the reason why an entry of a list of paths can match nothing; undefined for an entry that can */
export function findPathFault(entry: string): string | undefined {
  const read = readPathEntry(entry)
  return typeof read === 'string' ? read : undefined
}

/** @returns the reason as text for an entry that can match nothing */
function readPathEntry(text: string): PathEntry | string {
  checkArgument(typeof text === 'string', 'readPathEntry: text', 'a text', text)
  if (!/^\/[^\s%?#;\\]*$/.test(text)) return 'is not a path: write it with "/" first, without host and query'
  const path = simplifyPath(text)
  if (path.split('/').some((segment) => segment.includes('*') && segment !== '*')) {
    return 'has "*" beside other characters: it stands for whole segments'
  }
  const format = FORMATS.find(([end]) => path.endsWith(end))?.[1]
  if (format === undefined) return `ends in none of ${FORMATS.map(([end]) => end).join(', ')}`
  return { text: path, format, matches: createMatcher(path.split('*')) }
}

/** Matches the parts between stars one after the other, each star with one character or more. */
function createMatcher([first = '', ...rest]: readonly string[]): (path: string) => boolean {
  const last = rest.at(-1)
  if (last === undefined) return (path) => path === first
  return (path) => {
    if (!path.startsWith(first) || !path.endsWith(last)) return false
    let place = first.length
    for (const part of rest.slice(0, -1)) {
      const found = path.indexOf(part, place + 1)
      if (found < 0) return false
      place = found + part.length
    }
    return path.length - last.length > place
  }
}
