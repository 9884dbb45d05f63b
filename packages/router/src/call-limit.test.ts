import { describe, expect, it } from 'vitest'
import { createCallLimit } from './call-limit.ts'

const signal = new AbortController().signal

describe('a limit of calls', () => {
  it('gives places in the order in which calls came, each once', async () => {
    const limit = createCallLimit(2)
    const [first, second] = [await limit.wait({ signal }), limit.enter()]
    expect(limit.enter()).toBeUndefined()
    const order: string[] = []
    const waitAs = async (name: string) => {
      const leave = await limit.wait({ signal })
      order.push(name)
      return leave
    }
    const third = waitAs('third')
    const fourth = waitAs('fourth')
    first()
    first()
    ;(await third)()
    second?.()
    await fourth
    expect(order).toEqual(['third', 'fourth'])
    expect([limit.enter() !== undefined, limit.enter()]).toEqual([true, undefined])
  })

  it('passes over a call that left, and refuses one that had left before', async () => {
    const limit = createCallLimit(1)
    const leave = await limit.wait({ signal })
    const leaving = new AbortController()
    const gone = limit.wait({ signal: leaving.signal })
    const next = limit.wait({ signal })
    leaving.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    await expect(limit.wait({ signal: leaving.signal })).rejects.toThrow('left')
    leave()
    expect(await next).toBeTypeOf('function')
  })

  it('has a bound of calls that wait', async () => {
    const limit = createCallLimit(1, { maxWaiting: 2 })
    const leave = await limit.wait({ signal })
    const waiting = [limit.wait({ signal }), limit.wait({ signal })]
    await expect(limit.wait({ signal })).rejects.toMatchObject({ code: 'router_busy' })
    leave()
    ;(await waiting[0])?.()
    expect(await waiting[1]).toBeTypeOf('function')
    expect(await Promise.race([limit.wait({ signal }), Promise.resolve('waits')])).toBe('waits')
  })
})
