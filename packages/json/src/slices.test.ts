import { describe, expect, it } from 'vitest'
import { runInSlices } from './slices.ts'

/** A step that is done at the given call, and the number of its calls. */
function countdown(calls: number): { step: () => boolean; called: () => number } {
  let count = 0
  return { step: () => ++count >= calls, called: () => count }
}

describe('runInSlices', () => {
  it('yields after every step when a slice is 0 ms long, but not after the last', async () => {
    const work = countdown(4)
    let yields = 0
    const yieldControl = async (): Promise<void> => {
      yields++
    }
    await runInSlices(work.step, { sliceMs: 0, yieldControl })
    expect([work.called(), yields]).toEqual([4, 3])
  })

  it('does not yield while the slice lasts', async () => {
    const work = countdown(1000)
    await runInSlices(work.step, {
      sliceMs: Number.POSITIVE_INFINITY,
      yieldControl: () => Promise.reject(new Error('yielded')),
    })
    expect(work.called()).toBe(1000)
  })

  it('lets timers run in between by default', async () => {
    const order: string[] = []
    setTimeout(() => order.push('timer'), 0)
    const work = countdown(3)
    await runInSlices(work.step, { sliceMs: 0 })
    order.push('done')
    expect(order).toEqual(['timer', 'done'])
  })

  it('does nothing under an aborted signal and throws its reason', async () => {
    const work = countdown(1)
    const reason = new Error('gone')
    await expect(runInSlices(work.step, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(work.called()).toBe(0)
  })

  it('stops at the next slice once the signal is aborted', async () => {
    const work = countdown(100)
    const controller = new AbortController()
    const reason = new Error('gone')
    let yields = 0
    const yieldControl = async (): Promise<void> => {
      if (++yields === 2) controller.abort(reason)
    }
    await expect(runInSlices(work.step, { signal: controller.signal, sliceMs: 0, yieldControl })).rejects.toBe(reason)
    expect(work.called()).toBe(2)
  })
})
