import { type EncodedRun, findNextLine, LINE_BREAKS, MIN_RUN_LENGTH } from './encoded-runs.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

/** Pairs of digits in the shortest run. */
const MIN_PAIRS = MIN_RUN_LENGTH / 2
/** Pairs with one separator between them, as in dumps and fingerprints. */
const FIRST_PAIRS = /(?<![0-9a-z])[0-9a-f]{2}(?:[: -][0-9a-f]{2}){3}/gi
/** Maximum length of the first pairs. */
const FIRST_LENGTH = 11
const MORE_PAIRS = /(?:[: -][0-9a-f]{2}){1,4096}/iy
const PAIR = /^[0-9a-f]{2}$/i
const NOT_HEX = /[^0-9a-f]+/gi
/** Escaped line breaks contain letters of their own. */
const ESCAPES = /\\[rn]/g

/** Finds runs of hex whose pairs have a colon, a hyphen or a blank between them, over line breaks too. */
export function* findSeparatedHex(text: string): Steps<EncodedRun> {
  for (let from = 0; from < text.length; ) {
    FIRST_PAIRS.lastIndex = 0
    const found = FIRST_PAIRS.exec(text.slice(from, from + STEP_CHARACTERS + FIRST_LENGTH))
    if (found === null) {
      from += STEP_CHARACTERS
      yield undefined
      continue
    }
    const start = from + found.index
    const end = yield* pairsEnd(text, start + found[0].length)
    const symbols = text.slice(start, end).replaceAll(ESCAPES, '').replaceAll(NOT_HEX, '')
    yield symbols.length < 2 * MIN_PAIRS ? undefined : { start, end, symbols }
    from = end
  }
}

/** The end of the pairs that continue from a position. */
function* pairsEnd(text: string, from: number): Generator<undefined, number, undefined> {
  for (let end = from; ; ) {
    MORE_PAIRS.lastIndex = end
    const more = MORE_PAIRS.exec(text)?.[0].length ?? nextLineOfPairs(text, end) - end
    if (more === 0) return end
    end += more
    yield undefined
  }
}

/** The end of the first pair of the next line, past a separator at the end of this one; else the position itself. */
function nextLineOfPairs(text: string, at: number): number {
  const lineEnd = LINE_BREAKS.some((one) => text.startsWith(one, at)) ? at : at + 1
  const next = findNextLine(text, lineEnd)
  const isSign = lineEnd === at || ':- '.includes(text.charAt(at))
  return isSign && next > lineEnd && PAIR.test(text.slice(next, next + 2)) ? next + 2 : at
}
