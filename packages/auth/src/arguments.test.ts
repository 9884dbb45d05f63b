import { describe, expect, it, vi } from 'vitest'
import { decideAccess, decideModelAccess } from './access/access.ts'
import { createAttemptLimiter } from './accounts/index.ts'
import {
  createAuth,
  createAuthenticator,
  createLocalPrincipal,
  createRevocations,
  createRightsWatch,
  createSharedKeys,
  extractCredentials,
} from './index.ts'
import { createMemoryStores } from './memory/index.ts'
import { systemClock } from './system-clock.ts'

const WRONG: readonly unknown[] = [undefined, null, {}, 7, true, 'text']
const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(/ must be /) })

/** Calls a function without the checks of its types. */
const call = (run: unknown, ...args: unknown[]): unknown => (run as (...args: unknown[]) => unknown)(...args)

describe('arguments of another type', () => {
  it.each(WRONG)('%o is not a caller: it may use nothing', (wrong) => {
    expect(() => call(decideModelAccess, wrong, 'model')).toThrow(refusal)
    for (const access of ['any', 'self', 'admin']) expect(() => call(decideAccess, wrong, { access })).toThrow(refusal)
  })

  it.each([...WRONG, 'Admin', '__proto__'])('%o is not an access of a route: nobody may use it', (wrong) => {
    for (const principal of [createLocalPrincipal(), { ...createLocalPrincipal(), role: 'user' }]) {
      expect(() => call(decideAccess, principal, { access: wrong })).toThrow(refusal)
    }
    expect(() => call(decideAccess, createLocalPrincipal(), wrong)).toThrow(refusal)
  })

  it.each(WRONG)('%o in the place of options and ports is refused', (wrong) => {
    expect(() => call(createAuth, wrong)).toThrow(refusal)
    expect(() => call(createAuth, { stores: wrong, secret: 'x'.repeat(32) })).toThrow(refusal)
    expect(() => call(createAuthenticator, wrong)).toThrow(refusal)
    const parts = { rights: createMemoryStores().rights, revocations: createRevocations(), clock: systemClock }
    for (const name of Object.keys(parts)) {
      expect(() => call(createRightsWatch, { ...parts, [name]: wrong })).toThrow(refusal)
    }
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '500'])('%o is not an interval of a watch', (intervalMs) => {
    const parts = { rights: createMemoryStores().rights, revocations: createRevocations(), clock: systemClock }
    expect(() => call(createRightsWatch, { ...parts, intervalMs })).toThrow(refusal)
  })

  it.each([undefined, null, Number.NaN, -1, '5', {}])('%o is not a number of attempts', async (perMinute) => {
    const { begin } = createAttemptLimiter({ clock: systemClock })
    const { signal } = new AbortController()
    await expect(call(begin, [{ name: 'a', perMinute }], { signal })).rejects.toThrow(refusal)
  })

  it.each([null, {}, 'a-shared-key', [7], [undefined]].map((keys) => [keys]))('%o are no shared keys', (keys) => {
    expect(() => call(createSharedKeys, keys)).toThrow(refusal)
    const shared = createSharedKeys(['kept'])
    expect(() => call(shared.replace, keys)).toThrow(refusal)
    expect(shared.includes('kept')).toBe(true)
  })

  it.each([undefined, null, 7, 'text'])('%o are no headers', (headers) => {
    expect(() => call(extractCredentials, headers)).toThrow(refusal)
  })

  it.each([7, true, {}, [7], [null], () => 'key'])('%o as the value of a header is not a credential', (value) => {
    const headers = Object.fromEntries(
      ['authorization', 'x-api-key', 'xi-api-key', 'cookie'].map((name) => [name, value]),
    )
    expect(call(extractCredentials, headers)).toEqual([])
  })
})

it('a listener that fails keeps no other from a revocation, and its error comes out', () => {
  const revocations = createRevocations()
  const heard = vi.fn()
  revocations.subscribe(() => {
    throw new Error('the first one fails')
  })
  revocations.subscribe(heard)
  expect(() => revocations.publish({ kind: 'all' })).toThrow('the first one fails')
  expect(heard).toHaveBeenCalledExactlyOnceWith({ kind: 'all' })
})
