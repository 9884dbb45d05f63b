import { LEGACY_PRINCIPAL } from '@svc/auth'
import type { QuotaStatus, Quotas } from '@svc/auth/quotas'
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
  const further = { maxRequests: undefined, maxTokens: 20, count: { requests: 1, tokens: 15, resetsAt: clock.now() } }
  const limits = { readOwn: async () => [further, { maxRequests: 1, count: undefined }] } as unknown as Quotas['limits']
  const quotas = { readStatus: async () => statuses, hasLimits: false, limits }
  const read = createLimitReader({ quotas, clock })
  const { signal } = new AbortController()
  const ada = { ...LEGACY_PRINCIPAL, kind: 'user', id: 'ada', quotas: statuses } as const
  expect(await read(ada, { signal })).toEqual([
    { name: 'requests', limit: 5, remaining: 3, reset_seconds: 5 },
    { name: 'tokens', limit: 8, remaining: 0, reset_seconds: 5 },
  ])
  expect(await read(LEGACY_PRINCIPAL, { signal })).toEqual([])
  quotas.hasLimits = true
  const tokens = { name: 'tokens', limit: 20, remaining: 5, reset_seconds: 0 }
  expect(await read(LEGACY_PRINCIPAL, { signal })).toEqual([tokens])
})
