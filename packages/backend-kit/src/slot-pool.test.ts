import { describe, expect, it } from 'vitest'
import { createSlotPool } from './slot-pool.ts'

const never = new AbortController().signal

describe('a pool of slots', () => {
  it('lends each slot to one at a time, the one given back last first', async () => {
    const pool = createSlotPool(['a', 'b'], { maxWaiting: 8 })
    const first = await pool.acquire({ signal: never })
    const second = await pool.acquire({ signal: never })
    expect([first, second].map(({ slot, index }) => [slot, index])).toEqual([
      ['a', 0],
      ['b', 1],
    ])
    expect(pool.busy).toBe(2)
    first.release()
    expect((await pool.acquire({ signal: never })).slot).toBe('a')
  })

  it('serves waiters in order of arrival', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 8 })
    const holder = await pool.acquire({ signal: never })
    const served: string[] = []
    const waiters = ['x', 'y', 'z'].map(async (name) => {
      const lease = await pool.acquire({ signal: never })
      served.push(name)
      lease.release()
    })
    expect(pool.waiting).toBe(3)
    holder.release()
    await Promise.all(waiters)
    expect(served).toEqual(['x', 'y', 'z'])
    expect([pool.busy, pool.waiting]).toEqual([0, 0])
  })

  it('takes a slot back once, however often it is released', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 8 })
    const lease = await pool.acquire({ signal: never })
    lease.release()
    await pool.acquire({ signal: never })
    lease.release()
    expect(pool.busy).toBe(1)
  })

  it('removes an aborted waiter from the queue', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 8 })
    const holder = await pool.acquire({ signal: never })
    const controller = new AbortController()
    const left = pool.acquire({ signal: controller.signal })
    const stays = pool.acquire({ signal: never })
    controller.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(pool.waiting).toBe(1)
    holder.release()
    expect((await stays).slot).toBe('a')
  })

  it('refuses a caller that is already aborted', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 8 })
    await expect(pool.acquire({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
    expect(pool.busy).toBe(0)
  })

  it('refuses callers while the queue is full', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 1 })
    const holder = await pool.acquire({ signal: never })
    const waiting = pool.acquire({ signal: never })
    await expect(pool.acquire({ signal: never })).rejects.toMatchObject({ kind: 'rate_limited', code: 'queue_full' })
    holder.release()
    ;(await waiting).release()
    expect((await pool.acquire({ signal: never })).slot).toBe('a')
  })

  it('closes when all slots are back, and turns everyone else away at once', async () => {
    const pool = createSlotPool(['a', 'b'], { maxWaiting: 8 })
    const holders = [await pool.acquire({ signal: never }), await pool.acquire({ signal: never })]
    const waiting = pool.acquire({ signal: never })
    const order: string[] = []
    const closed = pool.close().then(() => order.push('closed'))
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(pool.acquire({ signal: never })).rejects.toMatchObject({ kind: 'unavailable' })
    for (const holder of holders) {
      order.push('released')
      holder.release()
    }
    await closed
    expect(order).toEqual(['released', 'released', 'closed'])
  })

  it('resolves every close when all slots are back', async () => {
    const pool = createSlotPool(['a'], { maxWaiting: 8 })
    const holder = await pool.acquire({ signal: never })
    const closed = Promise.all([pool.close(), pool.close()])
    holder.release()
    await closed
  })

  it('closes at once without leases', async () => {
    await createSlotPool(['a'], { maxWaiting: 8 }).close()
  })
})
