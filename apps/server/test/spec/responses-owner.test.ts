import { eventually } from '@svc/test-kit'
import type { ResponseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const people = createPeople()

const as = (name: string) => ({ authorization: `Bearer ${name}` })

interface World extends TestServer {
  ask(name: string, fields?: object): Promise<RawReply>
  create(name: string, fields?: object): Promise<ResponseResource>
}

async function world(): Promise<World> {
  const server = await startTestServer({ authenticator: people })
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you' } }] })
  await server.model('hanging', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], hang: 1 } }] })
  const ask: World['ask'] = (name, fields) =>
    server.post('/v1/responses', { model: 'm', input: 'Hello there', ...fields }, as(name))
  return Object.assign(server, {
    ask,
    async create(name: string, fields?: object) {
      const reply = await ask(name, fields)
      expect(reply.status, reply.text).toBe(200)
      return reply.json() as ResponseResource
    },
  })
}

/** Every route that takes an id of a response. */
const WAYS = [
  ['GET', ''],
  ['GET', '?stream=true'],
  ['GET', '/events'],
  ['GET', '/input_items'],
  ['POST', '/cancel'],
  ['DELETE', ''],
] as const

/** Gives the replies to an id in every place that takes one, without the id itself. */
async function readReplies(server: World, name: string, { id, item }: { readonly id: string; readonly item: string }) {
  const told: Record<string, unknown> = {}
  const hide = (text: string): string => text.replaceAll(id, 'ID').replaceAll(item, 'ITEM')
  const note = (place: string, { status, text }: RawReply): void => {
    told[place] = [status, hide(text)]
  }
  for (const [method, suffix] of WAYS) {
    note(`${method} ${suffix}`, await server.call(`/v1/responses/${id}${suffix}`, { method, headers: as(name) }))
  }
  note('previous', await server.ask(name, { previous_response_id: id }))
  note('reference', await server.ask(name, { input: [{ type: 'item_reference', id: item }] }))
  const counted = { model: 'm', previous_response_id: id }
  note('count', await server.post('/v1/responses/input_tokens', counted, as(name)))
  note('background', await server.ask(name, { previous_response_id: id, background: true }))
  await using socket = await openResponseSocket(server.url, { headers: as(name) })
  for (const fields of [{ previous_response_id: id }, { input: [{ type: 'item_reference', id: item }] }]) {
    socket.ask(fields)
    told[`socket ${Object.keys(fields).join()}`] = hide(JSON.stringify(await socket.refusal()))
  }
  return told
}

const NOBODYS = { id: `resp_${'0'.repeat(32)}`, item: `msg_${'0'.repeat(32)}` }

describe('a response of another owner', () => {
  verifies('responses:stored:owner', 'is not there in any place that takes an id', async () => {
    await using server = await world()
    const stored = await server.create('ada')
    const streamed = await server.ask('ada', { stream: true, background: true })
    const id = /resp_[0-9a-f]{32}/.exec(streamed.text)?.[0] ?? ''
    const item = /msg_[0-9a-f]{32}/.exec(streamed.text)?.[0] ?? ''
    const nothing = await readReplies(server, 'bob', NOBODYS)
    expect(nothing).toMatchObject({ 'GET ': [404, expect.any(String)], previous: [404, expect.any(String)] })
    expect(await readReplies(server, 'bob', { id: stored.id, item: stored.output[0]?.id ?? '' })).toEqual(nothing)
    expect(await readReplies(server, 'bob', { id, item })).toEqual(nothing)
    for (const one of [stored.id, id]) {
      for (const name of ['ada', 'root']) {
        expect((await server.call(`/v1/responses/${one}`, { headers: as(name) })).status, name).toBe(200)
        expect((await server.ask(name, { previous_response_id: one })).status, name).toBe(200)
      }
    }
    expect((await server.ask('ada', { input: [{ type: 'item_reference', id: item }] })).status).toBe(200)
  })

  it('is not there while it runs either, and runs on', async () => {
    await using server = await world()
    const running = await server.create('ada', { model: 'hanging', background: true })
    await eventually(() => expect(server.records('hanging').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    const nothing = await readReplies(server, 'bob', NOBODYS)
    expect(await readReplies(server, 'bob', { id: running.id, item: NOBODYS.item })).toEqual(nothing)
    const path = `/v1/responses/${running.id}`
    expect(['queued', 'in_progress']).toContain(
      ((await server.call(path, { headers: as('ada') })).json() as ResponseResource).status,
    )
    const stopped = await server.call(`${path}/cancel`, { method: 'POST', headers: as('ada') })
    expect(stopped.json()).toMatchObject({ status: 'cancelled' })
  })

  it("that was created on a socket and is not stored is unknown on another owner's socket", async () => {
    await using server = await world()
    await using mine = await openResponseSocket(server.url, { headers: as('ada') })
    await using theirs = await openResponseSocket(server.url, { headers: as('bob') })
    const { id } = await mine.create({ store: false })
    theirs.ask({ previous_response_id: id })
    expect(await theirs.refusal()).toMatchObject({ status: 404, error: { code: 'previous_response_not_found' } })
    expect((await mine.create({ previous_response_id: id })).status).toBe('completed')
  })

  it('lets two owners use an item id that both have chosen', async () => {
    await using server = await world()
    const input = (content: string) => [{ type: 'message', id: 'msg_mine', role: 'user', content }]
    await server.create('bob', { input: input('of bob') })
    await server.create('ada', { input: input('of ada') })
    for (const name of ['ada', 'bob']) {
      await server.create(name, { input: [{ type: 'item_reference', id: 'msg_mine' }] })
      const asked = server.records('m').findLast(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request
      expect(asked).toMatchObject({ Messages: [{ content: `of ${name}` }] })
    }
  })
})
