import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Reading } from './reading.ts'
import { readReversed } from './reversed.ts'

function read(text: string): Reading | undefined {
  return [...readReversed(text)].find((reading) => reading !== undefined)
}

it('any text is read character by character from its end, and every range leads back', () => {
  const characters = fc.array(fc.constantFrom('a', 'b', '\n', 'é', '€', '🔑', '👋', 'e\u0301'), { minLength: 1 })
  fc.assert(
    fc.property(characters, fc.nat(), fc.nat(), (parts, one, other) => {
      const all = [...parts.join('')]
      const reading = read(all.join(''))
      expect(reading?.text).toBe(all.toReversed().join(''))
      const [from = 0, to = 0] = [one % all.length, other % all.length].sort((first, second) => first - second)
      const lengthOf = (list: readonly string[]) => list.join('').length
      const range = { start: lengthOf(all.slice(0, from)), end: lengthOf(all.slice(0, to + 1)) }
      const { length } = all.join('')
      expect(reading?.toSource({ start: length - range.end, end: length - range.start })).toEqual(range)
    }),
  )
})

it('no character is cut between two steps', () => {
  for (const before of [0, 1, 2, 3]) {
    const text = 'x'.repeat(before) + '🔑é'.repeat(20_000)
    expect(read(text)?.text).toBe([...text].reverse().join(''))
  }
})

it('nothing is the reading of nothing', () => {
  expect(read('')).toBeUndefined()
})
