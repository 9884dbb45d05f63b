import { describe, expect, it } from 'vitest'
import { Frames } from './frames.ts'

describe('stacks of counts', () => {
  it('have one number each', () => {
    const frames = new Frames()
    const outer = frames.of(0, 3, false)
    const inner = frames.of(outer, 4096, true)
    expect(frames.of(0, 3, false)).toBe(outer)
    expect(frames.of(outer, 4096, true)).toBe(inner)
    expect(
      new Set([0, outer, inner, frames.of(0, 3, true), frames.of(0, 4, false), frames.of(inner, 3, false)]).size,
    ).toBe(6)
    expect([frames.parent(inner), frames.count(inner), frames.parent(outer), frames.count(outer)]).toEqual([
      outer,
      4096,
      0,
      3,
    ])
  })

  it('fewer rounds cover more only in loops that may be left at any time', () => {
    const frames = new Frames()
    const free = [1, 2].map((count) => frames.of(0, count, true))
    const bound = [1, 2].map((count) => frames.of(0, count, false))
    const [fewFree = 0, manyFree = 0] = free
    const [few = 0, many = 0] = bound
    expect(frames.covers(fewFree, manyFree)).toBe(true)
    expect(frames.covers(manyFree, fewFree)).toBe(false)
    expect(frames.covers(few, many)).toBe(false)
    expect(frames.covers(many, few)).toBe(false)
    expect(frames.covers(few, few)).toBe(true)
  })

  it('every loop of a stack must be covered', () => {
    const frames = new Frames()
    const at = (outer: number, inner: number): number => frames.of(frames.of(0, outer, true), inner, true)
    expect(frames.covers(at(1, 1), at(2, 2))).toBe(true)
    expect(frames.covers(at(1, 1), at(1, 5))).toBe(true)
    expect(frames.covers(at(1, 1), at(5, 1))).toBe(true)
    expect(frames.covers(at(2, 1), at(1, 2))).toBe(false)
    expect(frames.covers(at(1, 2), at(2, 1))).toBe(false)
  })

  it('keep the requested frames when the rest is dropped', () => {
    const frames = new Frames()
    let deepest = 0
    for (let count = 0; count < 1000; count++) deepest = frames.of(frames.of(0, count, false), count, true)
    expect(frames.size).toBe(2001)
    let kept = 0
    frames.compact((copy) => {
      kept = copy(deepest)
    })
    expect(frames.size).toBe(3)
    expect([frames.count(kept), frames.count(frames.parent(kept)), frames.parent(frames.parent(kept))]).toEqual([
      999, 999, 0,
    ])
    expect(frames.covers(frames.of(frames.of(0, 999, false), 998, true), kept)).toBe(true)
  })
})
