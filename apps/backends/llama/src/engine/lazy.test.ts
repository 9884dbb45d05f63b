import { describe, expect, it } from 'vitest'
import { createLazy } from './lazy.ts'

describe('something lazy', () => {
  it('is created once for all callers', async () => {
    let made = 0
    const lazy = createLazy(async () => ++made)
    expect(lazy.value).toBeUndefined()
    expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1])
    expect([await lazy.get(), lazy.value]).toEqual([1, 1])
  })

  it('can be awaited after success and failure', async () => {
    const order: string[] = []
    const lazy = createLazy(async () => {
      await Promise.resolve()
      order.push('made')
      throw new Error('no')
    })
    await lazy.idle()
    const asked = lazy.get()
    await lazy.idle()
    expect(order).toEqual(['made'])
    await expect(asked).rejects.toThrow('no')
  })

  it('is tried again after a failure', async () => {
    let tries = 0
    const lazy = createLazy(async () => {
      tries++
      if (tries === 1) throw new Error('not yet')
      return tries
    })
    await expect(lazy.get()).rejects.toThrow('not yet')
    expect(lazy.value).toBeUndefined()
    expect(await lazy.get()).toBe(2)
  })
})
