import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createWordEmbedder, createWordScorer, SETTINGS } from '../__fixtures__/models.ts'
import { createRouter, type RouterOptions } from '../router.ts'

const settings = { ...SETTINGS, embeddingCache: { embeddingModel: 'embedder' } }

function createWorld(options: Partial<RouterOptions> = {}) {
  const clock = createFakeClock()
  const loads: ReturnType<typeof createDeferred<void>>[] = []
  const cacheEmbedder = {
    ...createWordEmbedder(),
    async prepare(): Promise<void> {
      const load = createDeferred<void>()
      loads.push(load)
      await load.promise
    },
  }
  const router = createRouter({ name: 'auto', settings, scorer: createWordScorer(), cacheEmbedder, clock, ...options })
  return { clock, loads, cacheEmbedder, router }
}

describe('an embedding cache whose model is not loaded', () => {
  it('waits for it, and uses it when it comes in time', async () => {
    const { clock, loads, router } = createWorld()
    const deciding = router.decide('some code')
    await clock.waitForSleepers(1)
    await clock.advance(1_999)
    loads[0]?.resolve()
    expect(await deciding).toMatchObject({ label: 'code', cached: false })
    expect(router.readCacheStats()).toMatchObject({ misses: 1, embedderErrors: 0, entries: 1 })
  })

  it('is passed by after two seconds, without an error, while the load goes on', async () => {
    const { clock, loads, router } = createWorld()
    const deciding = router.decide('some code')
    await clock.waitForSleepers(1)
    await clock.advance(2_000)
    expect(await deciding).toMatchObject({ label: 'code', latencyMs: 2_000 })
    // Later prompts do not wait for the same load again.
    expect(await router.decide('more code')).toMatchObject({ label: 'code', latencyMs: 0 })
    expect(loads).toHaveLength(1)
    expect(router.readCacheStats()).toMatchObject({ misses: 2, embedderErrors: 0, entries: 0 })
    loads[0]?.resolve()
    await expect.poll(() => clock.sleepers).toBe(0)
    const warm = router.decide('other code')
    await expect.poll(() => loads.length).toBe(2)
    loads[1]?.resolve()
    await warm
    expect(router.readCacheStats()).toMatchObject({ misses: 3, embedderErrors: 0, entries: 1 })
  })

  it('has prompts that come meanwhile wait for the rest of the two seconds', async () => {
    const { clock, loads, router } = createWorld()
    const first = router.decide('first code')
    await clock.waitForSleepers(1)
    await clock.advance(1_500)
    const second = router.decide('second code')
    await clock.advance(500)
    expect((await first).latencyMs).toBe(2_000)
    expect((await second).latencyMs).toBe(500)
    expect(loads).toHaveLength(1)
  })

  it('ends with the client, and leaves the load to others', async () => {
    const { clock, loads, router } = createWorld()
    const leave = new AbortController()
    const left = router.decide('some code', leave)
    await clock.waitForSleepers(1)
    leave.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    const other = router.decide('other code')
    loads[0]?.resolve()
    expect(await other).toMatchObject({ label: 'code' })
    expect([loads.length, router.readCacheStats()?.entries]).toEqual([1, 1])
  })

  it('counts an error for a load that fails, once, and tries again with the next prompt', async () => {
    const { clock, loads, router } = createWorld()
    const first = router.decide('first code')
    const second = router.decide('second code')
    await clock.waitForSleepers(1)
    loads[0]?.reject(new Error('no such file'))
    expect([await first, await second].map(({ label }) => label)).toEqual(['code', 'code'])
    expect(router.readCacheStats()).toMatchObject({ embedderErrors: 1, misses: 1 })
    const third = router.decide('third code')
    await expect.poll(() => loads.length).toBe(2)
    loads[1]?.resolve()
    await third
    expect(router.readCacheStats()).toMatchObject({ embedderErrors: 1, misses: 2, entries: 1 })
  })

  it.each([
    [
      'throws at once',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects at once', () => Promise.reject(new Error('broken'))],
  ])('passes a model by whose preparation %s', async (_name, prepare) => {
    const { router } = createWorld({ cacheEmbedder: { ...createWordEmbedder(), prepare } })
    for (const errors of [1, 2, 3]) {
      expect(await router.decide(`code ${errors}`)).toMatchObject({ label: 'code' })
      expect(router.readCacheStats()).toMatchObject({ embedderErrors: errors, misses: 0 })
    }
  })
})
