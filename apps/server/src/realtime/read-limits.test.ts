import { LEGACY_PRINCIPAL } from '@svc/auth'
import type { QuotaStatus } from '@svc/auth/quotas'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createLimitReader } from './read-limits.ts'

it('what is left is that of the tightest quota of each kind', async () => {
  const clock = createFakeClock()
  const rule = { id: 'q', userId: 'ada', model: '', windowMs: 60_000, window: '1m', requests: 2, tokens: 10 }
  const statuses = [
    { ...rule, maxRequests: 10, resetsAt: clock.now() + 30_000 },
    { ...rule, maxRequests: 5, maxTokens: 8, resetsAt: clock.now() + 5000 },
  ] as unknown as QuotaStatus[]
  const read = createLimitReader({ quotas: { readStatus: async () => statuses }, clock })
  const { signal } = new AbortController()
  const ada = { ...LEGACY_PRINCIPAL, kind: 'user', id: 'ada', quotas: statuses } as const
  expect(await read(ada, { signal })).toEqual([
    { name: 'requests', limit: 5, remaining: 3, reset_seconds: 5 },
    { name: 'tokens', limit: 8, remaining: 0, reset_seconds: 5 },
  ])
  expect(await read(LEGACY_PRINCIPAL, { signal })).toEqual([])
})
