import { findCanaries, makeCanary } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { createServices } from './service-world.ts'
import { call } from './world.ts'

const places = (await listPlaces()).filter(({ name }) => name !== 'memory')

describe.each(places)('AU-4: the tables of $name', ({ open }) => {
  it('hold nothing that was issued or typed', async () => {
    await using place = await open()
    const [shared, password] = [makeCanary('shared key', { plain: true }), makeCanary('password')]
    const world = createServices({ stores: place.stores, sharedKeys: [shared.value] })
    const form = { email: 'ada@site.example', password: password.value, acknowledgesWeakPassword: true }
    await world.accounts.register(form, call)
    const user = await world.accounts.login(form, call)
    const session = await world.sessions.begin({ userId: user.id }, call)
    const { value } = await world.apiKeys.createFor(user, { name: 'laptop' }, call)
    const invite = await world.invites.create({ createdBy: user.id }, call)
    const byShared = await world.authenticate({ 'x-api-key': shared.value })
    if (byShared === undefined) throw new Error('the shared key is refused')
    const sharedSession = await world.sessions.exchange(byShared, call)
    const text = await place.dump()
    expect(text).toContain('ada@site.example')
    expect(text).toContain('$argon2id$')
    for (const secret of [value.slice(4), session.token, invite.code, sharedSession.token]) {
      expect(text).not.toContain(secret)
    }
    expect(findCanaries(text, [shared, password])).toEqual([])
  })
})
