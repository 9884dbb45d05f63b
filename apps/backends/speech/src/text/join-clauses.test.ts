import { expect, it } from 'vitest'
import { joinClauses } from './join-clauses.ts'

const join = (...clauses: string[]): string[] => joinClauses(clauses, { least: 8, max: 12 })

it.each([
  ['the first one alone', ['a', 'b'], ['a', 'b']],
  ['the later ones up to the least length', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b. c. d. e', 'f']],
  ['none to a piece of the least length', ['a', '12345678', 'b'], ['a', '12345678', 'b']],
  ['none beyond the longest length', ['a', '1234567', '1234', '1234'], ['a', '1234567', '1234. 1234']],
  ['up to the longest length', ['a', '1234567', '123'], ['a', '1234567. 123']],
  ['with the marks that they have', ['a', 'Oh!', '"no."', 'so'], ['a', 'Oh! "no."', 'so']],
])('joins %s', (_, clauses, pieces) => {
  expect(join(...clauses)).toEqual(pieces)
})

it('joins none of none', () => {
  expect(join()).toEqual([])
})
