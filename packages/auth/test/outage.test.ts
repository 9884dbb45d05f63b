import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { createServices } from './service-world.ts'
import { addUser, call } from './world.ts'

const places = (await listPlaces()).filter(({ name }) => name !== 'memory')

describe.each(places)('G5: while $name is away', ({ open }) => {
  it('nothing is a verdict on who is calling, and shared keys go on', async () => {
    await using place = await open()
    const world = createServices({ stores: place.stores, sharedKeys: ['shared'] })
    const { user, key, value, session } = await world.addMember('ada@site.example')
    const found = await world.authenticate({ 'x-api-key': value })
    await world.clock.advance(1000)
    await place.stop()
    const attempts = {
      key: world.authenticate({ 'x-api-key': value }),
      'wrong key': world.authenticate({ 'x-api-key': `svc-${'0'.repeat(64)}` }),
      session: world.authenticate({ cookie: `session=${session.token}` }),
      recheck: found === undefined ? undefined : world.authenticator.recheck(found, call),
      login: world.accounts.login({ email: 'ada@site.example', password: 'wrong' }, call),
      register: addUser(place.stores, 'bob@site.example'),
      revoke: world.apiKeys.revoke({ id: key.id, userId: user.id }, call),
      quota: place.stores.quotas.apply({ requests: [], settlements: [], now: 0 }, call),
      usage: place.stores.usage.group({ bucket: 'day', byModel: true }, { ...call, limit: 5 }),
    }
    for (const [name, attempt] of Object.entries(attempts)) {
      const error: unknown = await Promise.resolve(attempt).catch((reason: unknown) => reason)
      expect(SvcError.is(error) && [error.kind, error.retryAfterMs], name).toEqual(['unavailable', 1000])
    }
    expect((await world.authenticate({ 'x-api-key': 'shared' }))?.principal.kind).toBe('legacy')
  })

  it('a key that expires ends what is open', async () => {
    await using place = await open()
    const world = createServices({ stores: place.stores })
    const { user } = await world.addMember('ada@site.example')
    const { value } = await world.apiKeys.createFor(user, { name: 'short', expiresIn: '1h' }, call)
    const found = await world.authenticate({ 'x-api-key': value })
    if (found === undefined) throw new Error('the key is not valid')
    await place.stop()
    await world.clock.advance(3_599_999)
    await expect(world.authenticator.recheck(found, call)).rejects.toMatchObject({ kind: 'unavailable' })
    await world.clock.advance(1)
    expect(await world.authenticator.recheck(found, call)).toBeUndefined()
  })
})
