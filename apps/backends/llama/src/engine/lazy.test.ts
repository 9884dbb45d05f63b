import { describe, expect, it } from 'vitest'
import { createLazy } from './lazy.ts'

describe('something lazy', () => {
  it('is made once for all who ask', async () => {
    let made = 0
    const lazy = createLazy(async () => ++made)
    expect(lazy.value).toBeUndefined()
    expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1])
    expect([await lazy.get(), lazy.value]).toEqual([1, 1])
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
