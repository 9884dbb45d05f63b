import { describe, expect, it } from 'vitest'
import { iterateWork } from './hand-over.ts'

const { signal } = new AbortController()

describe('work as an iteration', () => {
  it('gives items one by one, and waits for the reader at each', async () => {
    const log: string[] = []
    const items = iterateWork<number>(
      async (give) => {
        for (const item of [1, 2]) {
          await give(item)
          log.push(`took ${item}`)
        }
      },
      { signal, onLeft: () => log.push('left') },
    )
    expect(log).toEqual([])
    expect(await items.next()).toEqual({ done: false, value: 1 })
    expect(log).toEqual([])
    expect(await items.next()).toEqual({ done: false, value: 2 })
    expect(await items.next()).toMatchObject({ done: true })
    expect(log).toEqual(['took 1', 'took 2'])
  })

  it('fails with the failure of the work, after its items', async () => {
    const failure = new Error('broken')
    const items = iterateWork<number>(
      async (give) => {
        await give(1)
        throw failure
      },
      { signal, onLeft: () => undefined },
    )
    expect((await items.next()).value).toBe(1)
    await expect(items.next()).rejects.toBe(failure)
  })

  it('ends work that nobody reads any more', async () => {
    const ends: unknown[] = []
    const items = iterateWork<number>(
      (give) =>
        give(1)
          .then(() => give(2))
          .catch((error: unknown) => {
            ends.push(error)
          }),
      { signal, onLeft: (reason) => ends.push(reason.code) },
    )
    await items.next()
    await items.return()
    await Promise.resolve()
    expect(ends[0]).toBe('cancelled')
    expect(ends[1]).toMatchObject({ kind: 'cancelled' })
  })

  it('ends with its signal, also while nobody reads on', async () => {
    const left = new AbortController()
    const reason = new Error('gone')
    const ends: unknown[] = []
    const items = iterateWork<number>(
      (give) =>
        give(1).catch((error: unknown) => {
          ends.push(error)
          throw error
        }),
      { signal: left.signal, onLeft: () => undefined },
    )
    await items.next()
    left.abort(reason)
    await Promise.resolve()
    expect(ends).toEqual([reason])
    await expect(items.next()).rejects.toBe(reason)
  })
})
