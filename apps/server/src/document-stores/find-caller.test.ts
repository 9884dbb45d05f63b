import { LEGACY_PRINCIPAL } from '@svc/auth'
import { expect, it } from 'vitest'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { type CallerFinderParts, createCallerFinder } from './find-caller.ts'

const { signal } = new AbortController()

it.each([
  ['accounts and keys', true, true, true],
  ['accounts', true, false, false],
  ['keys', false, true, true],
  ['neither', false, false, true],
])('the caller of shared keys works on a server with %s', async (_, hasAccounts, hasKeys, isThere) => {
  const stores = { users: {}, quotas: {} } as unknown as CallerFinderParts['stores']
  const find = createCallerFinder({ hasAccounts, hasSharedKeys: () => hasKeys, stores, logger: silentLogger })
  const found = await find(LEGACY_PRINCIPAL.id, { signal })
  expect(found?.principal).toBe(isThere ? LEGACY_PRINCIPAL : undefined)
})
