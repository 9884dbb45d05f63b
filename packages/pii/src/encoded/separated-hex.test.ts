import { expect, it } from 'vitest'
import { findSeparatedHex } from './separated-hex.ts'

function findRuns(text: string): [string, string][] {
  return [...findSeparatedHex(text)].flatMap((run) =>
    run === undefined ? [] : [[text.slice(run.start, run.end), run.symbols]],
  )
}

const digits = Buffer.from('the ticket is tick-1234').toString('hex')
const pairs = digits.match(/../g) ?? []

it.each([':', '-', ' ', ':\n    ', '\n', ' \r\n> ', ':\\n'])('pairs with %j between them are one run', (sign) => {
  const written = pairs
    .map((pair, at) => (at === 0 ? pair : `${at % 8 === 0 ? sign : (sign[0] ?? '')}${pair}`))
    .join('')
  const flat = sign.startsWith('\n')
    ? pairs.map((pair, at) => (at % 8 === 0 && at > 0 ? '\n' : at > 0 ? ':' : '') + pair).join('')
    : written
  expect(findRuns(`see ${flat}; so`)).toEqual([[flat, digits]])
})

it('runs are found past any number of steps, and are as long as they are', () => {
  const long = Array.from({ length: 40_000 }, (_, at) => (at % 256).toString(16).padStart(2, '0')).join(':')
  for (const gap of [0, 16_370, 16_384, 16_390, 50_000]) {
    expect(findRuns(`${'.'.repeat(gap)}${long}..`)).toEqual([[long, long.replaceAll(':', '')]])
  }
})

it('addresses, times and words of two letters are no runs', () => {
  expect(findRuns('de:ad:be:ef:00:01, 12:30:45, ad be ee or fe, 2026-11-24')).toEqual([])
  expect(findRuns(`${pairs.slice(0, 6).join(':')}\n\n${pairs.slice(6, 12).join(':')}`)).toEqual([])
})
