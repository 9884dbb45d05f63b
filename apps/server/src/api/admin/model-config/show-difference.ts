import { createTwoFilesPatch } from 'diff'

/** Unchanged lines around a change. */
const CONTEXT_LINES = 3
/** Longest search for the smallest difference, milliseconds; after it the files differ as a whole. */
const MAX_MS = 250

/** The difference of two texts in unified form; empty where they are the same. */
export function showDifference(file: string, before: string, after: string): string {
  if (before === after) return ''
  const options = { context: CONTEXT_LINES, timeout: MAX_MS }
  const patch = (from: string, to: string) =>
    createTwoFilesPatch(file, file, from, to, undefined, undefined, options) ?? ''
  return patch(before, after) || `${patch(before, '')}${patch('', after)}`
}
