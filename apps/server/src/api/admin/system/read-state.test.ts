import { StatusResponse_State } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createStateReader } from './read-state.ts'

const signal = new AbortController().signal

describe('the state of a loaded model', () => {
  it.each([
    ['ready', StatusResponse_State.READY, 2],
    ['busy', StatusResponse_State.BUSY, 1],
    ['not loaded yet', StatusResponse_State.UNINITIALIZED, 0],
    ['at fault', StatusResponse_State.ERROR, -1],
  ] as const)('is what its backend says: %s', async (_, state, expected) => {
    const residency = { readStatus: async () => ({ state, memory: undefined }) }
    expect(await createStateReader({ residency, clock: createFakeClock() })('m', { signal })).toBe(expected)
  })

  it.each([
    ['has no status', () => Promise.reject(new SvcError('not_implemented', 'no status'))],
    ['is not loaded', () => Promise.resolve(undefined)],
  ])('is unknown where the backend %s', async (_, readStatus) => {
    const read = createStateReader({ residency: { readStatus }, clock: createFakeClock() })
    expect(await read('m', { signal })).toBe(-1)
  })

  it('is unknown after a second of a backend that hangs, which is not asked any longer', async () => {
    const clock = createFakeClock()
    let asked: AbortSignal | undefined
    const readStatus = (_: string, options: { readonly signal: AbortSignal }): Promise<undefined> => {
      asked = options.signal
      return new Promise(() => undefined)
    }
    const reading = createStateReader({ residency: { readStatus }, clock })('m', { signal })
    await clock.advance(1000)
    expect(await reading).toBe(-1)
    expect(asked?.aborted).toBe(true)
  })
})
