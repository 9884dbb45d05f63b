import { expect, it } from 'vitest'
import { Dice } from '../__fixtures__/random-patterns.ts'
import { countedLoop } from './counted-loop.ts'
import { anotherRound, enterLoop, join, leaveLoop, type Value } from './counts.ts'

/** A value, and the same as a list of entries: the age in rounds, with the rounds of the outer loop. */
interface Walk {
  value: Value | undefined
  entries: { count: number; around: number }[]
}

it.each([
  [700, 900],
  [64, 64],
  [300, Number.POSITIVE_INFINITY],
  [0, 40],
])('repeated entries can be left from %d to %d rounds later', (min, max) => {
  const outer = countedLoop({ min: 0, max: 9, parent: undefined, isLoose: false })
  const loop = countedLoop({ min, max, parent: outer, isLoose: false })
  const dice = new Dice(min)
  let walk: Walk = { value: undefined, entries: [] }
  let earlier = walk
  for (let step = 0; step < 6000; step++) {
    if (dice.roll(997) === 0) earlier = walk
    // Values never change: continuing from an earlier one is as valid as from the last.
    if (dice.roll(1499) === 0) walk = earlier
    walk = {
      value: walk.value === undefined ? undefined : anotherRound(loop, walk.value),
      entries: walk.entries
        .map(({ count, around }) => ({ count: count + 1, around }))
        .filter(({ count }) => count < max),
    }
    // Varies between runs with the same outer value and runs without.
    if (dice.roll(step % 500 < 250 ? 2 : 40) === 0) {
      const around = step % 900 < 450 ? 4 : dice.roll(9)
      const entry = enterLoop(loop, around)
      walk = {
        value: walk.value === undefined ? entry : join(loop, walk.value, entry),
        entries: [...walk.entries, { count: 0, around }],
      }
    }
    const ripe = walk.entries.filter(({ count }) => count + 1 >= min).map(({ around }) => around)
    const left = walk.value === undefined ? undefined : leaveLoop(loop, walk.value)
    expect(left).toBe(ripe.length === 0 ? undefined : Math.min(...ripe))
  }
})
