import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findEncodedRuns } from './encoded-runs.ts'

function findRuns(text: string): string[] {
  return [...findEncodedRuns(text)].flatMap((run) => (run === undefined ? [] : [text.slice(run.start, run.end)]))
}

const SYMBOL = '(?:[A-Za-z0-9+/_-]|\\\\(?=/))'
const LINE_BREAK = '(?:\\r\\n?|\\n|\\\\r\\\\n|\\\\n)[ \\t>]*'
/** The same in one slow expression. The letter of an escaped line break begins no run. */
const RUN = new RegExp(`(?<!\\\\(?=r\\\\n))${SYMBOL}+(?:${LINE_BREAK}${SYMBOL}+)*={0,2}`, 'g')

function findRunsSlowly(text: string): string[] {
  const isLong = (run: string): boolean => run.replaceAll(new RegExp(`${LINE_BREAK}|\\\\`, 'g'), '').length >= 24
  return (text.match(RUN) ?? []).filter(isLong)
}

describe('runs of symbols', () => {
  it('are all found, wherever they lie', () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }).map((length) => 'aB3-_/+z'.repeat(8).slice(0, length)) },
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        '\\n',
        '\\r\\n',
        ' ',
        '\t',
        '> ',
        '=',
        '==',
        '===',
        '.',
        'é',
        '🔑',
        '\\',
        '\\/',
        '/',
        '"',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        expect(findRuns(text)).toEqual(findRunsSlowly(text))
      }),
      { numRuns: 5000 },
    )
  })

  it('are found past any number of steps', () => {
    const run = 'x'.repeat(24)
    for (const gap of [16_383, 16_384, 16_385, 40_000, 65_536]) {
      expect(
        findRuns(`${'some words. '.repeat(gap / 12)}${'.'.repeat(gap % 12)} ${run} ${'.'.repeat(gap)}${run}`),
      ).toEqual([run, run])
    }
  })

  it('have slashes that a string of JSON has escaped', () => {
    const text = '{"key":"abc\\/defghijkl\\/\\/mnopqrstuvwx=="}'
    const [run] = findEncodedRuns(text)
    expect(run).toEqual({ start: 8, end: text.length - 2, symbols: 'abc/defghijkl//mnopqrstuvwx' })
  })

  it('of several lines have their symbols in a row', () => {
    const line = 'abcdefghijklmnopqrstuvwx'
    const text = `"${line}\\n${line}\n   ${line}yz==" and`
    const [run] = findEncodedRuns(text)
    expect(run).toEqual({ start: 1, end: text.length - 5, symbols: `${line}${line}${line}yz` })
  })
})
