import { describe, expect, it } from 'vitest'
import { createFakeClock } from './clock.ts'

describe('createFakeClock', () => {
  it('stands still until advanced', async () => {
    const clock = createFakeClock({ now: 1000 })
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0])
    await clock.advance(250)
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250])
  })

  it('wakes sleepers in the order they are due, each at its own time', async () => {
    const clock = createFakeClock({ now: 0 })
    const woken: [string, number][] = []
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push([name, clock.now()])
    }
    const all = [sleep('c', 30), sleep('a', 10), sleep('b1', 20), sleep('b2', 20), sleep('late', 31)]
    await clock.advance(30)
    expect(woken).toEqual([
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['c', 30],
    ])
    expect(clock.sleepers).toBe(1)
    await clock.advance(1)
    await Promise.all(all)
  })

  it('lets a loop sleep again within one advance', async () => {
    const clock = createFakeClock({ now: 0 })
    const ticks: number[] = []
    const loop = (async () => {
      while (ticks.length < 3) {
        await clock.sleep(10)
        ticks.push(clock.now())
      }
    })()
    await clock.advance(35)
    await loop
    expect(ticks).toEqual([10, 20, 30])
    expect(clock.now()).toBe(35)
  })

  it('rejects an aborted sleep with the reason and forgets the sleeper', async () => {
    const clock = createFakeClock()
    const leaving = new AbortController()
    const sleep = clock.sleep(10, { signal: leaving.signal })
    leaving.abort(new Error('gone'))
    await expect(sleep).rejects.toThrow('gone')
    expect(clock.sleepers).toBe(0)
    await expect(clock.sleep(10, { signal: leaving.signal })).rejects.toThrow('gone')
  })

  it('can have its wall time set without moving the rest', async () => {
    const clock = createFakeClock({ now: 0 })
    await clock.advance(5)
    clock.setNow(-1000)
    expect([clock.now(), clock.monotonic()]).toEqual([-1000, 5])
  })

  it('reports a new sleeper', async () => {
    const clock = createFakeClock()
    const asleep = clock.waitForSleepers(2)
    const sleeping = [clock.sleep(1), clock.sleep(2)]
    await asleep
    await clock.waitForSleepers(1)
    await clock.advance(2)
    await Promise.all(sleeping)
  })
})
