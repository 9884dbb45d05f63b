import { describe, expect, it } from 'vitest'
import { oracleMatches } from '../__fixtures__/oracle.ts'
import { acceptedPattern, Dice, randomText } from '../__fixtures__/random-patterns.ts'
import { compile } from '../compile.ts'
import { parseUnanchored } from '../grammar.ts'
import { MatchList } from '../match-list.ts'
import { simplify } from '../simplify.ts'
import { SourceText } from '../source-text.ts'
import { Simulation } from './simulation.ts'

/** Lets a match begin anywhere; counts the read characters. */
function simulate(source: string, text: string, counted = true): { spans: [number, number][]; steps: number } {
  const program = compile(simplify(parseUnanchored(source)), { counted })
  if (program === undefined) throw new Error('too large')
  const matches = new MatchList()
  const simulation = new Simulation(program, new SourceText(text), matches)
  let steps = 0
  while (simulation.position <= text.length) {
    simulation.advance(simulation.position < text.length)
    steps++
  }
  return { spans: [...matches.spans()], steps }
}

describe('agrees with the oracle', () => {
  it.each(['small', 'large'] as const)('bounds: %s', (bounds) => {
    const dice = new Dice(bounds === 'small' ? 21 : 22)
    for (let round = 0; round < (bounds === 'small' ? 3000 : 800); round++) {
      const { source, node } = acceptedPattern(dice, bounds)
      const text = randomText(dice, bounds === 'small' ? 14 : 40)
      const expected = oracleMatches(node, text)
      expect([source, text, simulate(source, text).spans]).toEqual([source, text, expected])
    }
  })

  it('written out or counted', () => {
    const dice = new Dice(23)
    for (let round = 0; round < 800; round++) {
      const { source, node } = acceptedPattern(dice, 'large')
      if (compile(simplify(node), { counted: false }) === undefined) continue
      const text = randomText(dice, 40)
      expect(simulate(source, text, true).spans).toEqual(simulate(source, text, false).spans)
    }
  })
})

describe('reads every character once', () => {
  it.each([
    // A longer match stays possible up to the end of the text, for every match on the way.
    ['abc(?:[^!]*!)?', 'abc'.repeat(2000), 2000],
    ['aaa(?:a+)+b', 'a'.repeat(5000), 0],
    ['(?:[^!]*!)?abc', 'abc'.repeat(2000), 2000],
    ['\\w*secret', 'secre'.repeat(1000), 0],
  ])('%s', (source, text, count) => {
    const { spans, steps } = simulate(source, text)
    expect(spans).toHaveLength(count)
    expect(steps).toBe(text.length + 1)
  })

  it('a match that turns out longer replaces those inside it', () => {
    expect(simulate('abc(?:[^!]*!)?', `${'abc'.repeat(1000)}!`).spans).toEqual([[0, 3001]])
    expect(simulate('abc(?:[^!]*!)?', `abcabc!abc`).spans).toEqual([
      [0, 7],
      [7, 10],
    ])
  })

  it('a match that began earlier replaces those that ended sooner', () => {
    expect(simulate('x[^!]{9}!|abc', '.xabc-abc--!abc').spans).toEqual([
      [1, 12],
      [12, 15],
    ])
    expect(simulate('x[^!]{9}!|abc', '.xabc-abc-!-abc').spans).toEqual([
      [2, 5],
      [6, 9],
      [12, 15],
    ])
  })
})

describe('counts', () => {
  it.each([
    ['abc[a-z]{3,2500}', 2],
    ['abc\\w{4096}', 4096],
    ['abc(?:ab){100,4096}', 200],
    ['[a-z]{0,4096}abc', 0],
  ])('%s takes neither more nor less', (source, least) => {
    const length = Math.max(least, 3)
    for (const missing of [0, 1]) {
      const filler = 'ab'.repeat(5000).slice(0, length - missing)
      const text = `abc${filler}`
      expect(simulate(source, text).spans).toEqual(oracleMatches(parseUnanchored(source), text))
    }
  })

  it('the earliest start that still may leave wins', () => {
    // The first a is too far off, the second is not.
    expect(simulate('a[a-z]{10,12}abc', `a${'x'.repeat(5)}a${'x'.repeat(11)}abc`).spans).toEqual([[6, 21]])
  })

  it('loops of bodies of different lengths, one inside the other', () => {
    const source = 'abc(?:(?:xy?){9,11}z){9,10}'
    const inner = `${'xyx'.repeat(4)}xyz`
    for (const rounds of [8, 9, 10, 11]) {
      const text = `abc${inner.repeat(rounds)}`
      expect(simulate(source, text).spans).toEqual(oracleMatches(parseUnanchored(source), text))
    }
  })

  it('drops unused frames, and still counts on', () => {
    const source = 'abc(?:(?:xy?){1,4096}z){20,4096}'
    const body = `${'x'.repeat(40)}${'xy'.repeat(30)}z`
    const text = `abc${body.repeat(900)}`
    expect(simulate(source, text).spans).toEqual([[0, text.length]])
  })
})
