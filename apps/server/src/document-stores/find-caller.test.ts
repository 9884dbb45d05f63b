import { LEGACY_PRINCIPAL } from '@svc/auth'
import { toServicePrincipal } from '@svc/auth/access'
import { createMemoryStores } from '@svc/auth/memory'
import type { ApiKey } from '@svc/auth/ports'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { type CallerFinderParts, createCallerFinder } from './find-caller.ts'

const { signal } = new AbortController()
const clock = createFakeClock({ now: 1000 })

it.each([
  ['accounts and keys', true, true, true],
  ['accounts', true, false, false],
  ['keys', false, true, true],
  ['neither', false, false, true],
])('the caller of shared keys works on a server with %s', async (_, hasAccounts, hasKeys, isThere) => {
  const stores = { users: {}, quotas: {} } as unknown as CallerFinderParts['stores']
  const find = createCallerFinder({ hasAccounts, hasSharedKeys: () => hasKeys, stores, clock, logger: silentLogger })
  const found = await find(LEGACY_PRINCIPAL.id, { signal })
  expect(found?.principal).toBe(isThere ? LEGACY_PRINCIPAL : undefined)
})

it('a service works on while its key is in use', async () => {
  const stores = createMemoryStores()
  const find = createCallerFinder({
    hasAccounts: true,
    hasSharedKeys: () => false,
    stores,
    clock,
    logger: silentLogger,
  })
  const key: ApiKey = {
    ...{ id: 'k', userId: undefined, name: 'indexer', note: '', prefix: 'svc-1', role: 'user', scopes: {} },
    ...{ block: undefined, createdBy: undefined, createdAt: 1, expiresAt: 2000, lastUsedAt: undefined },
    ...{ rotatedAt: undefined, previousUntil: 0 },
  }
  await stores.apiKeys.create({ ...key, hash: 'h' }, { signal, maxKeys: 1 })
  const findIt = async () => (await find('service:k', { signal }))?.principal
  expect(await findIt()).toEqual(toServicePrincipal(key))
  await stores.apiKeys.edit(key, { block: { by: 'admin', reason: '' } }, { signal })
  expect(await findIt()).toBeUndefined()
  await stores.apiKeys.edit(key, { block: undefined, expiresAt: 1000 }, { signal })
  expect(await findIt(), 'expired').toBeUndefined()
  expect(await find('service:other', { signal })).toBeUndefined()
})
