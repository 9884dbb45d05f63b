import { describe, expect, it } from 'vitest'
import { oracleMatches } from './__fixtures__/oracle.ts'
import { acceptedPattern, Dice, randomText } from './__fixtures__/random-patterns.ts'
import { compile } from './compile.ts'
import { parsePattern } from './grammar.ts'
import { DEAD, LazyAutomaton } from './lazy-automaton.ts'
import { simplify } from './simplify.ts'

/** The end of the longest match at the start of a text; undefined without one. */
function longest(automaton: LazyAutomaton, text: string): number | undefined {
  const characters = [...text]
  let state = automaton.start(false)
  let end: number | undefined
  let at = 0
  for (const [index, character] of [...characters, undefined].entries()) {
    const next = character === undefined ? -1 : automaton.program.alphabet.toClass(character.codePointAt(0) ?? 0)
    const result = automaton.step(state, next, index === 0, character === undefined)
    if ((result & 1) === 1) end = at
    state = result >> 1
    if (state === DEAD) break
    at += character?.length ?? 0
  }
  return end
}

function createAutomaton(source: string): LazyAutomaton {
  const program = compile(simplify(parsePattern(source)), { counted: false })
  if (program === undefined) throw new Error('too large')
  return new LazyAutomaton(program)
}

describe('an automaton built as texts ask for it', () => {
  it('agrees with the oracle on where a match ends', () => {
    const dice = new Dice(71)
    for (let round = 0; round < 1500; round++) {
      const { source, node } = acceptedPattern(dice, 'small')
      const program = compile(simplify(node), { counted: false })
      if (program === undefined) continue
      const automaton = new LazyAutomaton(program)
      for (let again = 0; again < 3; again++) {
        const text = randomText(dice, 12)
        const [first] = oracleMatches(node, text)
        const expected = first?.[0] === 0 ? first[1] : undefined
        expect([source, text, longest(automaton, text)]).toEqual([source, text, expected])
      }
    }
  })

  it('keeps little: past its bound it begins anew and still answers rightly', () => {
    const automaton = createAutomaton('key[ab]*a[ab]{13}x')
    const dice = new Dice(72)
    for (let round = 0; round < 5; round++) {
      const noise = Array.from({ length: 6000 }, () => dice.pick(['a', 'b'])).join('')
      const text = `key${noise}a${'b'.repeat(13)}x`
      expect(longest(automaton, text)).toBe(text.length)
    }
    expect(automaton.flushes).toBeGreaterThan(0)
  })

  it('is not built for a pattern with too many states', () => {
    expect(compile(simplify(parsePattern('abc(?:a?b?){0,4096}')), { counted: false })).toBeUndefined()
    expect(compile(simplify(parsePattern('abc\\d{4096}')), { counted: false })?.op.length).toBeLessThan(5000)
  })
})
