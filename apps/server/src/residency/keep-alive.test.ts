import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger as logger } from '../backends/__fixtures__/silent-logger.ts'
import { createKeepAlive } from './keep-alive.ts'
import type { WatchedModel } from './residency.ts'

it('a model leaves so long after its last call, and stays while one runs', async () => {
  const clock = createFakeClock()
  const model = { idleSince: 0 as number | undefined, isPinned: false, isLoaded: true }
  const watched = (): WatchedModel[] =>
    model.isLoaded
      ? [
          {
            name: 'm',
            state: 'loaded',
            isPinned: model.isPinned,
            busySince: model.idleSince === undefined ? 0 : undefined,
            idleSince: model.idleSince,
            usedAt: 0,
            async stop() {
              model.isLoaded = false
            },
          },
        ]
      : []
  const keepAlive = createKeepAlive({ watched, clock, logger })
  model.idleSince = clock.monotonic()
  keepAlive.set('m', 1000)
  await clock.advance(999)
  expect(model.isLoaded).toBe(true)
  expect(keepAlive.expiresAt('m')).toBe(clock.now() + 1)

  model.idleSince = undefined
  await clock.advance(10_000)
  expect(model.isLoaded).toBe(true)
  model.idleSince = clock.monotonic()
  await clock.advance(2000)
  expect(model.isLoaded).toBe(false)

  // loaded again by a client without keep-alive
  model.isLoaded = true
  model.idleSince = clock.monotonic()
  await clock.advance(100_000)
  expect(model.isLoaded).toBe(true)
  expect(keepAlive.expiresAt('m')).toBeUndefined()

  keepAlive.set('m', 1000)
  keepAlive.set('m', undefined)
  await clock.advance(100_000)
  expect(model.isLoaded).toBe(true)
  await keepAlive.close()
})
