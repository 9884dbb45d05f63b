import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createWordScorer, SETTINGS } from './__fixtures__/models.ts'
import { createDecisionLog } from './decision-log.ts'
import { createRouter } from './router.ts'

const request = (number: number) => ({
  correlationId: `c${number}`,
  userId: number % 2 === 0 ? 'even' : 'odd',
  routerModel: number % 3 === 0 ? 'auto' : 'other',
  requestedModel: 'alias',
  source: 'chat',
})

it('lists the newest first, by what is asked for, with all that was decided', async () => {
  const clock = createFakeClock({ now: 5_000 })
  const log = createDecisionLog({ clock })
  const router = createRouter({ name: 'auto', settings: SETTINGS, scorer: createWordScorer() })
  const decision = await router.decide('secret code')
  for (let number = 0; number < 10; number++) log.record(request(number), decision)
  const [newest] = log.list({ limit: 1 })
  expect(newest).toEqual({
    ...request(9),
    ...decision,
    id: expect.stringMatching(/^rd_[0-9a-f]{24}$/),
    createdAt: 5_000,
  })
  expect(JSON.stringify(newest)).not.toContain('secret')
  const ids = (filter: Parameters<typeof log.list>[0]) => log.list(filter).map(({ correlationId }) => correlationId)
  expect(ids({ limit: 3 })).toEqual(['c9', 'c8', 'c7'])
  expect(ids({ userId: 'odd', routerModel: 'auto' })).toEqual(['c9', 'c3'])
  expect(ids({ correlationId: 'c4' })).toEqual(['c4'])
  expect(ids({ correlationId: 'c99' })).toEqual([])
  const kept = log.list().map(({ id }) => id)
  expect(new Set(kept).size).toBe(10)
  for (const id of kept) expect(id).toMatch(/^rd_[0-9a-f]{24}$/)
})

it('keeps the last 5,000', async () => {
  const log = createDecisionLog()
  const decision = await createRouter({ name: 'auto', settings: SETTINGS }).decide('x')
  for (let number = 0; number < 5_002; number++) log.record(request(number), decision)
  expect(log.size).toBe(5_000)
  const all = log.list({ limit: 10_000 })
  expect([all[0]?.correlationId, all.at(-1)?.correlationId, all.length]).toEqual(['c5001', 'c2', 5_000])
  expect(log.list()).toHaveLength(100)
})
