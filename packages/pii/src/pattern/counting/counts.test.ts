import { describe, expect, it } from 'vitest'
import { Dice } from '../__fixtures__/random-patterns.ts'
import { countedLoop } from './counted-loop.ts'
import { anotherRound, areCompatible, enterLoop, join, leaveLoop, type Value } from './counts.ts'

/** The same as plain sets of stacks of counts, outermost first. */
type Stacks = ReadonlySet<string>

const INFINITE = Number.POSITIVE_INFINITY

describe('counts of two loops agree with sets of all stacks', () => {
  it.each([
    [0, 9, 0, 5],
    [1, 6, 3, 7],
    [4, 4, 2, 2],
    [3, 8, 5, INFINITE],
    [2, INFINITE, 1, 6],
    [5, 12, 0, 3],
  ])('{%d,%d} around {%d,%d}', (outerMin, outerMax, min, max) => {
    const outer = countedLoop({ min: outerMin, max: outerMax, parent: undefined, isLoose: false })
    const inner = countedLoop({ min, max, parent: outer, isLoose: false })
    const dice = new Dice(outerMin * 100 + min)
    for (let round = 0; round < 300; round++) {
      const one = randomWalk(dice)
      const other = randomWalk(dice)
      expect(canEndAfter(one)).toEqual(canEndByStacks(one.stacks))
      if (one.value === undefined || other.value === undefined) continue
      const both = { value: join(inner, one.value, other.value), stacks: new Set([...one.stacks, ...other.stacks]) }
      expect(canEndAfter(both)).toEqual(canEndByStacks(both.stacks))
      expect(areCompatible(inner, one.value, other.value)).toBe(
        [...one.stacks].some((left) => [...other.stacks].some((right) => fit(left, right))),
      )
    }

    /** A random value, and parts of it that occur together with others. */
    function randomWalk(random: Dice): { value: Value | undefined; stacks: Stacks } {
      let value: Value | undefined = enterLoop(inner, enterLoop(outer, 0))
      let stacks: Stacks = new Set(['0,0'])
      for (let step = random.roll(16); step > 0 && value !== undefined; step--) {
        const kind = random.roll(4)
        const rounds = again(value, stacks)
        const left = restart(value, stacks)
        if (kind < 2) [value, stacks] = rounds
        else if (kind === 2 && left[0] !== undefined) {
          value = rounds[0] === undefined ? left[0] : join(inner, rounds[0], left[0])
          stacks = new Set([...rounds[1], ...left[1]])
        } else [value, stacks] = left
      }
      return { value, stacks }
    }

    function again(value: Value, stacks: Stacks): [Value | undefined, Stacks] {
      const next = [...stacks].map(pair).flatMap(([o, i]) => (i + 1 < max ? [`${o},${Math.min(i + 1, 50)}`] : []))
      return [anotherRound(inner, value), new Set(next)]
    }

    /** The inner loop is left, and entered again in the next round of the outer one. */
    function restart(value: Value, stacks: Stacks): [Value | undefined, Stacks] {
      const around = leaveLoop(inner, value)
      const round = around === undefined ? undefined : anotherRound(outer, around)
      const next = [...stacks].map(pair).flatMap(([o, i]) => (i + 1 >= min && o + 1 < outerMax ? [`${o + 1},0`] : []))
      return [round === undefined ? undefined : enterLoop(inner, round), new Set(next)]
    }

    /** Numbers of further rounds of the inner loop, and then of restarts, after which the loops can end. */
    function canEndAfter({ value }: { value: Value | undefined }): boolean[] {
      const ends: boolean[] = []
      for (let more = 0; more < 10; more++) {
        let now = value
        for (let step = 0; step < more % 5 && now !== undefined; step++) now = anotherRound(inner, now)
        if (more >= 5 && now !== undefined) now = restart(now, new Set())[0]
        const around = now === undefined ? undefined : leaveLoop(inner, now)
        ends.push(around !== undefined && leaveLoop(outer, around) !== undefined)
      }
      return ends
    }

    function canEndByStacks(stacks: Stacks): boolean[] {
      const ends: boolean[] = []
      for (let more = 0; more < 10; more++) {
        let now = [...stacks].map(pair)
        for (let step = 0; step < more % 5; step++) {
          now = now.flatMap(([o, i]): [number, number][] => (i + 1 < max ? [[o, i + 1]] : []))
        }
        if (more >= 5)
          now = now.flatMap(([o, i]): [number, number][] => (i + 1 >= min && o + 1 < outerMax ? [[o + 1, 0]] : []))
        ends.push(now.some(([o, i]) => i + 1 >= min && o + 1 >= outerMin))
      }
      return ends
    }

    function fit(left: string, right: string): boolean {
      const [[o, i], [p, j]] = [pair(left), pair(right)]
      const [rounds, outerRounds] = [i + j + 1, o + p + 1]
      return rounds >= min && rounds <= max && outerRounds >= outerMin && outerRounds <= outerMax
    }
  })
})

function pair(stack: string): [number, number] {
  const [outer = 0, inner = 0] = stack.split(',').map(Number)
  return [outer, inner]
}

it('of a loop that may be left after any round the least count is enough', () => {
  const loop = countedLoop({ min: 0, max: 3, parent: undefined, isLoose: false })
  expect(join(loop, 2, 1)).toBe(1)
  expect(anotherRound(loop, 1)).toBe(2)
  expect(anotherRound(loop, 2)).toBeUndefined()
  expect(leaveLoop(loop, 2)).toBe(0)
  expect([areCompatible(loop, 1, 1), areCompatible(loop, 1, 2)]).toEqual([true, false])
})
