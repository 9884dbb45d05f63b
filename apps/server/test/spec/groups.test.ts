import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, type Member, startAccountsWorld } from '../support/accounts-world.ts'

let world: AccountsWorld
let ada: Member
beforeAll(async () => {
  world = await startAccountsWorld()
  await world.model('m')
  await world.model('other')
  ada = await world.member('ada')
})
afterAll(() => world.close())

interface Shown {
  readonly id: string
  readonly name: string
}

const send = async (method: string, path: string, body?: object) => {
  const reply = await world.admin.browser.send(method, path, body)
  return { status: reply.status, body: reply.json() as Record<string, unknown> }
}

async function makeGroup(name: string, fields: object = {}): Promise<Shown> {
  const { status, body } = await send('POST', '/api/groups', { name, ...fields })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.group as Shown
}

const own = async (who: Member) =>
  (await who.browser.send('GET', '/api/auth/me')).json() as { id: string; groups?: Shown[]; permissions: object }

const ask = async (who: Member, model: string) => {
  const body = { model, messages: [{ role: 'user', content: 'Hello there' }] }
  const reply = await who.browser.send('POST', '/v1/chat/completions', body)
  return { status: reply.status, text: reply.text }
}

describe('a group of accounts', () => {
  it('gives its members rights at once, and takes them at once', async () => {
    const { id } = await own(ada)
    const group = await makeGroup('Red', {
      features: { agents: true },
      allowed_models: { enabled: true, models: ['m'] },
    })
    expect(await own(ada)).not.toHaveProperty('groups')
    expect((await ask(ada, 'other')).status).toBe(200)
    const member = `/api/groups/${group.id}/members/${id}`
    expect(await send('PUT', member)).toMatchObject({ status: 200, body: { message: 'member added' } })
    expect(await send('PUT', member)).toMatchObject({ body: { message: 'member was there already' } })
    expect(await own(ada)).toMatchObject({ groups: [{ id: group.id, name: 'Red' }], permissions: { agents: true } })
    expect((await ask(ada, 'other')).status).toBe(403)
    expect((await ask(ada, 'm')).status).toBe(200)
    expect((await send('GET', `/api/groups/${group.id}/members`)).body).toMatchObject({
      members: [{ id, origins: ['manual'] }],
    })
    const { users } = (await send('GET', '/api/auth/admin/users')).body as { users: { id: string; groups?: object }[] }
    expect(users.find((user) => user.id === id)).toMatchObject({ groups: [{ name: 'Red' }] })
    await send('PATCH', `/api/groups/${group.id}`, { allowed_models: null, name: 'Reds' })
    expect((await ask(ada, 'other')).status).toBe(200)
    expect((await send('DELETE', member)).status).toBe(200)
    expect((await send('DELETE', member)).status).toBe(404)
    expect(await own(ada)).not.toHaveProperty('groups')
    expect((await send('DELETE', `/api/groups/${group.id}`)).status).toBe(200)
    expect((await send('GET', `/api/groups/${group.id}`)).status).toBe(404)
    const events = await send('GET', '/api/pii/events?kind=administration&change=group')
    expect(JSON.stringify(events.body)).toContain('group.member')
  })

  it('shares a limit among its members, and the refusal names it', async () => {
    const { id } = await makeGroup('Sharers')
    const [bob, cid] = [await world.member('bob'), await world.member('cid')]
    for (const who of [bob, cid]) await send('PUT', `/api/groups/${id}/members/${(await own(who)).id}`)
    const limit = { subject_kind: 'group', subject_id: id, max_requests: 3, window: 'month' }
    expect((await send('POST', '/api/limits', limit)).status).toBe(200)
    const each = { subject_kind: 'group_member', subject_id: id, max_requests: 2, window: 'month' }
    expect((await send('POST', '/api/limits', each)).status).toBe(200)
    expect([(await ask(bob, 'm')).status, (await ask(bob, 'm')).status]).toEqual([200, 200])
    const third = await ask(bob, 'm')
    expect([third.status, third.text]).toEqual([
      429,
      expect.stringContaining('limit of 2 requests (month) of this account in the group Sharers'),
    ])
    expect((await ask(cid, 'm')).status).toBe(200)
    const last = await ask(cid, 'm')
    expect([last.status, last.text]).toEqual([
      429,
      expect.stringContaining('limit of 3 requests (month) of the group Sharers'),
    ])
  })

  it('for new accounts is joined by everybody who registers', async () => {
    const group = await makeGroup('Newcomers', { default: true, features: { vad: false } })
    const dan = await world.member('dan')
    expect(await own(dan)).toMatchObject({ groups: [{ id: group.id }], permissions: { vad: false } })
    await send('DELETE', `/api/groups/${group.id}`)
  })

  it('comes from a list of CSV, which a dry run checks, and goes into one', async () => {
    const { body } = await send('GET', '/api/auth/admin/users')
    const email = (body as { users: { email: string }[] }).users.at(-1)?.email ?? ''
    const list = `group,email,note\nListed,${email},from a list\n=cmd,,\nListed,nobody@site.example,\n`
    const post = async (query: string, text = list, type = 'text/csv') => {
      const headers = { 'content-type': type, ...world.admin.headers }
      const reply = await world.call(`/api/groups/import${query}`, { method: 'POST', headers, body: text })
      return { status: reply.status, body: reply.json() as Record<string, unknown> }
    }
    const counts = { groups_created: 2, members_added: 1, fault_count: 1, rows: 3 }
    const faults = [{ line: 4, message: 'there is no account of this address' }]
    expect(await post('?dry_run=true')).toMatchObject({ status: 200, body: { dry_run: true, ...counts, faults } })
    expect(await post('')).toMatchObject({ status: 200, body: { dry_run: false, ...counts, faults } })
    expect((await post('?dry_run=maybe')).status).toBe(400)
    expect((await post('', list, 'application/json')).status).toBe(415)
    expect((await post('', 'x'.repeat(3 * 1024 * 1024))).status).toBe(413)
    const written = await world.admin.browser.send('GET', '/api/groups/export')
    expect(written.text).toContain(`Listed,${email},from a list\r\n`)
    expect(written.text).toContain("'=cmd,,\r\n")
  })

  it.each([
    [{}, 'name is required'],
    [{ name: 'x'.repeat(101) }, 'longer than'],
    [{ name: 'x', features: { nothing: true } }, 'unknown feature'],
    [{ name: 'x', allowed_models: { enabled: true, models: ['missing'] } }, 'there is no model'],
    [{ name: 'x', defualt: true }, 'unknown field'],
    [{ name: 'x', default: 'yes' }, 'default must be'],
  ])('of %j is refused', async (fields, message) => {
    const { status, body } = await send('POST', '/api/groups', fields)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)])
  })

  it('is for admins alone', async () => {
    expect((await ada.browser.send('GET', '/api/groups')).status).toBe(403)
    expect((await ada.browser.send('POST', '/api/groups', { name: 'mine' })).status).toBe(403)
  })
})
