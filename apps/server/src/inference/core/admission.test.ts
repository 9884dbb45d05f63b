import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModelSlots, createSlotCounter, type Release } from './admission.ts'

describe('createSlotCounter', () => {
  it('gives as many slots as the limit, and one back for each release, once', () => {
    const slots = createSlotCounter()
    const first = slots.take(2)
    expect(slots.take(2)).toBeTypeOf('function')
    expect(slots.take(2)).toBeUndefined()
    first?.()
    first?.()
    expect(slots.taken).toBe(1)
    expect(slots.take(2)).toBeTypeOf('function')
  })

  it('has no limit at 0', () => {
    const slots = createSlotCounter()
    for (let index = 0; index < 5000; index += 1) expect(slots.take(0)).toBeTypeOf('function')
  })

  it('lets running ones finish when the limit shrinks', () => {
    const slots = createSlotCounter()
    const releases = [slots.take(3), slots.take(3), slots.take(3)]
    expect(slots.take(1)).toBeUndefined()
    for (const release of releases) release?.()
    expect(slots.take(1)).toBeTypeOf('function')
  })

  it('never exceeds the limit and never loses a slot, in any order of takes and releases', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 }),
        (limit, steps) => {
          const slots = createSlotCounter()
          const held: Release[] = []
          for (const step of steps) {
            if (step < 6) {
              const release = slots.take(limit)
              if (release !== undefined) held.push(release)
            } else held.splice(step % Math.max(1, held.length), 1)[0]?.()
            expect(slots.taken).toBe(held.length)
            expect(slots.taken).toBeLessThanOrEqual(limit)
          }
        },
      ),
    )
  })
})

describe('createModelSlots', () => {
  it('keeps models apart and forgets idle ones', () => {
    const slots = createModelSlots()
    const release = slots.take('a', 1)
    expect(slots.take('a', 1)).toBeUndefined()
    expect(slots.take('b', 1)).toBeTypeOf('function')
    release?.()
    expect([slots.taken('a'), slots.taken('b')]).toEqual([0, 1])
  })
})
