import { type Auth, createAuth } from '@svc/auth'
import type { Stores } from '@svc/auth/ports'
import { describe, expect, it } from 'vitest'
import { listPlaces } from './places.ts'
import { call } from './world.ts'

const places = await listPlaces()
const SECRET = 'a secret of thirty-two characters.'

const createWorld = (stores: Stores): Auth => createAuth({ stores, secret: SECRET, registrationMode: 'open' })

async function addUser({ accounts }: Auth, name: string) {
  const email = `${name}@site.example`
  const done = await accounts.register({ email, password: `violet-Marble 92 otter ${name}` }, call)
  if (done.kind !== 'active') throw new Error(`${name} is ${done.kind}`)
  return done.user
}

async function addKey(auth: Auth, name: string) {
  const user = await addUser(auth, name)
  const { value } = await auth.apiKeys.createFor(user, { name: 'k' }, call)
  const who = async () => (await auth.authenticator.authenticate({ authorization: `Bearer ${value}` }))?.principal
  return { user, who }
}

describe.each(places)('groups in $name', ({ open }) => {
  it('give rights to callers at once, together with the own ones, and take them away', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const { groups, accounts } = auth
    await addUser(auth, 'first')
    const { user, who } = await addKey(auth, 'bob')
    expect(await who()).not.toHaveProperty('groups')
    expect((await who())?.models).toBeUndefined()
    const red = await groups.create(
      { name: 'Red', features: { agents: true, chat: false }, allowedModels: { enabled: true, models: ['small'] } },
      call,
    )
    const blue = await groups.create({ name: 'Blue', features: { chat: true, vad: false } }, call)
    expect(await groups.addMember(red.id, user.id, call)).toBe(true)
    expect(await groups.addMember(red.id, user.id, call)).toBe(false)
    let caller = await who()
    expect(caller).toMatchObject({ groups: [red.id], groupNames: ['Red'], models: new Set(['small']) })
    expect(caller?.features?.has('agents')).toBe(true)
    expect(caller?.features?.has('chat')).toBe(false)
    await groups.addMember(blue.id, user.id, call)
    caller = await who()
    expect(caller?.features?.has('chat')).toBe(true)
    expect(caller?.features?.has('vad')).toBe(false)
    expect(caller?.models).toEqual(new Set(['small']))
    await accounts.setFeatures(user.id, { chat: false, vad: true }, call)
    await accounts.setAllowedModels(user.id, { enabled: true, models: ['large'] }, call)
    caller = await who()
    expect([caller?.features?.has('chat'), caller?.features?.has('vad')]).toEqual([false, true])
    expect(caller?.models).toEqual(new Set(['large', 'small']))
    await groups.change(red.id, { allowedModels: { enabled: true, models: ['tiny'] } }, call)
    expect((await who())?.models).toEqual(new Set(['large', 'tiny']))
    await groups.remove(red.id, call)
    await groups.removeMember(blue.id, user.id, call)
    caller = await who()
    expect(caller).not.toHaveProperty('groups')
    expect(caller?.models).toEqual(new Set(['large']))
  })

  it('do not bind admins, who are in them nevertheless', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const { user, who } = await addKey(auth, 'first')
    const { id } = await auth.groups.create({ name: 'g', allowedModels: { enabled: true, models: [] } }, call)
    await auth.groups.addMember(id, user.id, call)
    expect(await who()).toMatchObject({ role: 'admin', groups: [id], models: undefined, features: undefined })
  })

  it('for new accounts are joined by each of them, also when many come at once', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const before = await addUser(auth, 'first')
    const { id } = await auth.groups.create({ name: 'Everybody', isDefault: true }, call)
    await auth.groups.create({ name: 'Others' }, call)
    const users = await Promise.all(['a', 'b', 'c', 'd'].map((name) => addUser(auth, name)))
    expect(await auth.groups.listByUser(before.id, call)).toEqual([])
    for (const user of users) expect(await auth.groups.listByUser(user.id, call)).toMatchObject([{ id }])
    const ids = users.map((user) => user.id).sort()
    const members = async (after?: string) =>
      (await auth.groups.listMembers(id, { limit: 3, after }, call)).map(({ user }) => user.id)
    expect(await members()).toEqual(ids.slice(0, 3))
    expect(await members(ids[2])).toEqual(ids.slice(3))
    await auth.accounts.remove(ids[0] ?? '', { actorId: undefined }, call)
    expect(await auth.groups.read(id, call)).toMatchObject({ members: 3 })
  })

  it('have names that no other one looks like', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const { id } = await auth.groups.create({ name: 'cop' }, call)
    const other = await auth.groups.create({ name: 'dog' }, call)
    // the second one has Cyrillic letters alone
    for (const name of ['COP', 'сор', 'ｃｏｐ']) {
      await expect(auth.groups.create({ name }, call)).rejects.toMatchObject({ kind: 'conflict', code: 'name_taken' })
      await expect(auth.groups.change(other.id, { name }, call)).rejects.toMatchObject({ code: 'name_taken' })
    }
    expect(await auth.groups.change(id, { name: 'Cop', note: 'n' }, call)).toMatchObject({ name: 'Cop', note: 'n' })
    await expect(auth.groups.create({ name: 'cоp' }, call)).rejects.toThrow('mixes letters')
    const raced = await Promise.allSettled(['x', 'X', 'x', 'X'].map((name) => auth.groups.create({ name }, call)))
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('keep memberships of each origin apart', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const { groups } = auth
    await addUser(auth, 'first')
    const { user, who } = await addKey(auth, 'bob')
    const [one, two, three] = [
      await groups.create({ name: 'one' }, call),
      await groups.create({ name: 'two' }, call),
      await groups.create({ name: 'three' }, call),
    ]
    await groups.addMember(one.id, user.id, call)
    const assign = (names: string[], origin: 'provider' | 'scim' = 'provider') =>
      groups.assign({ userId: user.id, names, origin }, call)
    expect(await assign(['ONE', 'two', 'none'])).toEqual({ unknown: ['none'], isChanged: true })
    expect(await assign(['two', 'one'])).toEqual({ unknown: [], isChanged: false })
    await assign(['three'], 'scim')
    expect((await who())?.groupNames).toEqual(expect.arrayContaining(['one', 'two', 'three']))
    await assign([])
    expect((await who())?.groupNames).toSatisfy((names: string[]) => [...names].sort().join() === 'one,three')
    expect(await groups.listMembers(three.id, { limit: 9 }, call)).toMatchObject([{ origins: ['scim'] }])
    await expect(groups.addMember(two.id, 'nobody', call)).rejects.toThrow('user not found')
    await expect(groups.addMember('none', user.id, call)).rejects.toThrow('group not found')
  })

  it('come from a list and go into one', async () => {
    await using place = await open()
    await using auth = createWorld(place.stores)
    const { groups } = auth
    const [ada, bob] = [await addUser(auth, 'ada'), await addUser(auth, 'bob')]
    const list =
      '\ufeffgroup,email,note\r\n"a ""b""",ADA@site.example,first\n\na "b",none@site.example\nx,,"two\nlines"\n=1+1,bob@site.example\n=1+1,bob@site.example\n'
    const fixed = list.replace('a "b",none', '"a ""b""",none').replace('"two\nlines"', 'two')
    await expect(groups.import(list, { ...call, isDryRun: false })).rejects.toThrow('line 4: a quote in a wrong place')
    const expected = {
      ...{ rows: 5, groupsCreated: 3, membersAdded: 2, membersPresent: 1, faultCount: 1 },
      faults: [{ line: 4, message: 'there is no account of this address' }],
    }
    expect(await groups.import(fixed, { ...call, isDryRun: true })).toEqual(expected)
    expect(await groups.list(call)).toEqual([])
    expect(await groups.import(fixed, { ...call, isDryRun: false })).toEqual(expected)
    expect(await groups.listByUser(ada.id, call)).toMatchObject([{ name: 'a "b"', note: 'first' }])
    expect(await groups.listByUser(bob.id, call)).toMatchObject([{ name: '=1+1' }])
    const written = await groups.export(call)
    expect(written.split('\r\n').sort()).toEqual([
      '',
      '"a ""b""",ada@site.example,first',
      "'=1+1,bob@site.example,",
      'group,email,note',
      'x,,two',
    ])
    expect(await groups.import(written, { ...call, isDryRun: false })).toMatchObject({
      ...{ groupsCreated: 0, membersAdded: 0, membersPresent: 2, faultCount: 0 },
    })
    await expect(groups.import('name,mail\n', { ...call, isDryRun: true })).rejects.toThrow('the first line must name')
  })
})
