import { describe, expect, it } from 'vitest'
import { createRing } from './recorders.ts'

describe('createRing', () => {
  it('keeps the newest entries, oldest first, and never more than its capacity', () => {
    const ring = createRing<number>(3)
    expect(ring.entries()).toEqual([])
    for (const entry of [1, 2]) ring.record(entry)
    expect(ring.entries()).toEqual([1, 2])
    for (const entry of [3, 4, 5]) ring.record(entry)
    expect(ring.entries()).toEqual([3, 4, 5])
  })
})
