import { toUsageSource } from '@svc/auth'
import { checkAddress, decideAccess, decideAddress } from '@svc/auth/access'
import { describe, expect, it } from 'vitest'
import { createServices } from './service-world.ts'
import { call } from './world.ts'

const HOUR = 3_600_000
const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

describe('the key of a service', () => {
  it('is a caller without an account and without admin rights, whose limits alone decide', async () => {
    const world = createServices()
    const scopes = { routes: ['chat'], models: ['m'] }
    const { key, value } = await world.apiKeys.createFor(undefined, { name: 'robot', scopes }, call)
    const { principal } = (await world.authenticate(bearer(value))) ?? {}
    if (principal === undefined) throw new Error('nobody')
    expect(principal).toEqual({
      kind: 'service',
      id: `service:${key.id}`,
      name: 'robot',
      role: 'user',
      via: 'api-key',
      features: undefined,
      models: undefined,
      scopes,
      quotas: [],
      apiKey: { id: key.id, name: 'robot' },
      account: undefined,
      sessionId: undefined,
    })
    expect(toUsageSource(principal)).toBe('apikey')
    expect(decideAccess(principal, { access: 'admin' })).toEqual({ kind: 'not-admin' })
    expect(decideAccess(principal, { access: 'any', feature: 'chat' })).toBeUndefined()
    expect(decideAccess(principal, { access: 'any', feature: 'images' })).toMatchObject({ kind: 'out-of-scope' })
  })

  it('opens no session and makes no key', async () => {
    const world = createServices()
    const { value } = await world.apiKeys.createFor(undefined, { name: 'robot' }, call)
    const found = await world.authenticate(bearer(value))
    if (found === undefined) throw new Error('nobody')
    await expect(world.sessions.exchange(found, call)).rejects.toMatchObject({ kind: 'forbidden', code: 'service_key' })
    await expect(world.apiKeys.create(found.principal, { name: 'x' }, call)).rejects.toMatchObject({
      kind: 'forbidden',
    })
  })

  it('counts only where accounts are in use', async () => {
    const world = createServices()
    const { value } = await world.apiKeys.createFor(undefined, { name: 'robot' }, call)
    const without = createServices({ stores: world.stores, hasAccounts: false, sharedKeys: ['shared'] })
    expect(await without.authenticate(bearer(value))).toBeUndefined()
  })
})

describe('a rotated key', () => {
  it('is known by both values during the grace, and by the new one afterwards', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const next = await world.apiKeys.rotateAny(key.id, { grace: '1h' }, call)
    const [old, fresh] = [await world.authenticate(bearer(value)), await world.authenticate(bearer(next.value))]
    expect(old?.expiresAt).toBe(world.clock.now() + HOUR)
    expect([old?.principal.apiKey?.id, fresh?.principal.apiKey?.id, fresh?.expiresAt]).toEqual([
      key.id,
      key.id,
      undefined,
    ])
    if (old === undefined || fresh === undefined) throw new Error('nobody')
    expect(await world.authenticator.recheck(old, call)).toBeDefined()
    await world.clock.advance(HOUR)
    expect(await world.authenticate(bearer(value))).toBeUndefined()
    expect(await world.authenticator.recheck({ ...old, expiresAt: undefined }, call)).toBeUndefined()
    expect(await world.authenticator.recheck(fresh, call)).toBeDefined()
  })

  it('is known by no value that has ended: at once without a grace, and the oldest of three', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const old = await world.authenticate(bearer(value))
    const second = await world.apiKeys.rotateAny(key.id, {}, call)
    const third = await world.apiKeys.rotateAny(key.id, {}, call)
    const known = async (one: string) => (await world.authenticate(bearer(one))) !== undefined
    expect([await known(value), await known(second.value), await known(third.value)]).toEqual([false, true, true])
    // the connection of the oldest value ends, though its key goes on
    expect(old && (await world.authenticator.recheck(old, call))).toBeUndefined()
    const fourth = await world.apiKeys.rotateAny(key.id, { grace: '0' }, call)
    expect([await known(second.value), await known(third.value), await known(fourth.value)]).toEqual([
      false,
      false,
      true,
    ])
    await world.apiKeys.rotateAny(key.id, {}, call)
    await world.apiKeys.revoke(key, call)
    expect(await known(fourth.value), 'revoked during the grace').toBe(false)
  })

  it('lets the sessions of the value before go on for as long as that value', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const open = async (one: string) => {
      const found = await world.authenticate(bearer(one))
      if (found === undefined) throw new Error('nobody')
      return { cookie: `session=${(await world.sessions.exchange(found, call)).token}` }
    }
    const before = await open(value)
    await world.clock.advance(1)
    const next = await world.apiKeys.rotateAny(key.id, { grace: '1h' }, call)
    await world.clock.advance(1)
    const [during, fresh] = [await open(value), await open(next.value)]
    const alive = async () =>
      Promise.all([before, during, fresh].map(async (one) => (await world.authenticate(one)) !== undefined))
    expect(await alive()).toEqual([true, true, true])
    await world.clock.advance(HOUR)
    expect(await alive()).toEqual([false, false, true])
  })

  it('ends the sessions of the oldest value with that value, also those of its grace', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const open = async (one: string) => {
      const found = await world.authenticate(bearer(one))
      if (found === undefined) throw new Error('nobody')
      await world.clock.advance(1)
      return { cookie: `session=${(await world.sessions.exchange(found, call)).token}` }
    }
    const before = await open(value)
    await world.clock.advance(1)
    const second = await world.apiKeys.rotateAny(key.id, { grace: '1h' }, call)
    const [during, fresh] = [await open(value), await open(second.value)]
    await world.clock.advance(1)
    await world.apiKeys.rotateAny(key.id, { grace: '1h' }, call)
    const alive = await Promise.all(
      [before, during, fresh].map(async (one) => (await world.authenticate(one)) !== undefined),
    )
    expect(alive).toEqual([false, false, true])
  })

  it('begins no session by a value that has ended since it was verified', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const found = await world.authenticate(bearer(value))
    if (found === undefined) throw new Error('nobody')
    await world.apiKeys.rotateAny(key.id, { grace: '0' }, call)
    await world.clock.advance(1)
    await expect(world.sessions.exchange(found, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_token',
    })
  })
})

describe('a blocked key', () => {
  it('is nobody, with its sessions and open connections, until the block is lifted', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const found = await world.authenticate(bearer(value))
    if (found === undefined) throw new Error('nobody')
    const cookie = { cookie: `session=${(await world.sessions.exchange(found, call)).token}` }
    const session = await world.authenticate(cookie)
    if (session === undefined) throw new Error('no session')
    await world.apiKeys.editAny(key.id, { isBlocked: true }, call)
    for (const headers of [bearer(value), cookie]) expect(await world.authenticate(headers)).toBeUndefined()
    for (const one of [found, session]) expect(await world.authenticator.recheck(one, call)).toBeUndefined()
    // as a credential that stands for the key
    const other = { ...found, credential: { carrier: 'bearer', value: 'ek_1' } } as const
    expect(await world.authenticator.recheck(other, call)).toBeUndefined()
    await world.apiKeys.editAny(key.id, { isBlocked: false }, call)
    for (const headers of [bearer(value), cookie]) expect(await world.authenticate(headers)).toBeDefined()
    expect(await world.authenticator.recheck(other, call)).toBeDefined()
  })
})

describe('the addresses of a key', () => {
  it('bind the key and its sessions, also after an edit', async () => {
    const world = createServices()
    const { key, value } = await world.addMember('ada@site.example')
    const found = await world.authenticate(bearer(value))
    if (found === undefined) throw new Error('nobody')
    expect(decideAddress(found.principal, '192.0.2.1')).toBeUndefined()
    const cookie = { cookie: `session=${(await world.sessions.exchange(found, call)).token}` }
    await world.apiKeys.editAny(key.id, { scopes: { addresses: ['10.0.0.0/8'] } }, call)
    for (const headers of [bearer(value), cookie]) {
      const { principal } = (await world.authenticate(headers)) ?? {}
      if (principal === undefined) throw new Error('nobody')
      expect(decideAddress(principal, '10.1.1.1')).toBeUndefined()
      expect(() => checkAddress(principal, '192.0.2.1')).toThrow(
        expect.objectContaining({
          kind: 'forbidden',
          code: 'address_not_allowed',
          message: 'the API key may not be used from this address',
        }),
      )
      for (const wrong of [undefined, null, {}, ['10.1.1.1']])
        expect(() => checkAddress(principal, wrong as never)).toThrow()
    }
    for (const wrong of [undefined, null, {}, 7])
      expect(() => checkAddress(wrong as never, '10.1.1.1')).toThrow(/ must be /)
  })
})
