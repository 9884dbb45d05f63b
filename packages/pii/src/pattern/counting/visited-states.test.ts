import { expect, it } from 'vitest'
import { Frames } from './frames.ts'
import { VisitedStates } from './visited-states.ts'

it('without loops a state is seen once a step', () => {
  const visited = new VisitedStates(3, false, new Frames())
  visited.clear()
  expect([visited.has(1, 0), visited.has(1, 0), visited.has(2, 0)]).toEqual([false, true, false])
  visited.clear()
  expect([visited.has(1, 0), visited.has(1, 0)]).toEqual([false, true])
})

it('a covered stack adds nothing, a covering one does', () => {
  const frames = new Frames()
  const visited = new VisitedStates(2, true, frames)
  const [one, two, three] = [1, 2, 3].map((count) => frames.of(0, count, true))
  visited.clear()
  expect([two, three, one, two].map((frame) => visited.has(1, frame ?? 0))).toEqual([false, true, false, true])
})

it('stacks that do not cover one another are all told apart, however many they are', () => {
  const frames = new Frames()
  const visited = new VisitedStates(2, true, frames)
  const all = Array.from({ length: 100 }, (_, count) => frames.of(0, count, false))
  visited.clear()
  expect(all.map((frame) => visited.has(1, frame)).some(Boolean)).toBe(false)
  expect(all.map((frame) => visited.has(1, frame)).every(Boolean)).toBe(true)
  visited.clear()
  expect(all.map((frame) => visited.has(1, frame)).some(Boolean)).toBe(false)
})
