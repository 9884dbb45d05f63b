import type { MockBehaviour, MockRule } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { type ResponseEvent, type ResponseResource, responseEvent, responseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { loadSqliteEngine } from '../../src/db/sqlite-engine.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

async function world(behaviour: MockBehaviour = { text: 'Hello to you' }, rules: MockRule[] = []): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', {
    rules: [...rules, { rpc: 'Predict*', do: { promptTokens: 5, completionTokens: 3, ...behaviour } }],
  })
  return server
}

async function create(server: TestServer, body: object = {}): Promise<ResponseResource> {
  const reply = await server.post('/v1/responses', { model: 'm', input: 'Hello there', ...body })
  expect(reply.status, reply.text).toBe(200)
  return responseResource.parse(reply.json())
}

async function get(server: TestServer, id: string): Promise<ResponseResource> {
  const reply = await server.call(`/v1/responses/${id}`)
  expect(reply.status, reply.text).toBe(200)
  return responseResource.parse(reply.json())
}

const readFrames = (text: string): string[] => text.split(/(?<=\n\n)/)
const toEvent = (frame: string): ResponseEvent => responseEvent.parse(JSON.parse(frame.split('\ndata: ')[1] ?? ''))

/** Reads the id from the first event of a stream. */
function readId(text: string): string {
  const event = toEvent(readFrames(text)[0] ?? '')
  return 'response' in event ? (event.response as ResponseResource).id : ''
}

async function readError(server: TestServer, path: string, method = 'GET') {
  const reply = await server.call(path, { method })
  return { status: reply.status, ...(reply.json() as { error: object }).error }
}

async function settled(server: TestServer, id: string): Promise<ResponseResource> {
  let resource = await get(server, id)
  await eventually(async () => {
    resource = await get(server, id)
    expect(['queued', 'in_progress']).not.toContain(resource.status)
  })
  return resource
}

describe('a stored response', () => {
  verifies(['responses:route:get', 'responses:route:post'], 'equals the answer, until it is deleted', async () => {
    await using server = await world()
    const made = await create(server)
    expect(await get(server, made.id)).toEqual(made)
    expect((await server.call(`/responses/${made.id}`)).json()).toEqual(made)
    expect((await server.call(`/v1/responses/${made.id}`, { method: 'DELETE' })).json()).toEqual({
      id: made.id,
      object: 'response',
      deleted: true,
    })
    expect(await readError(server, `/v1/responses/${made.id}`)).toMatchObject({ status: 404 })
  })

  it('does not exist with store=false: it cannot be read or continued', async () => {
    await using server = await world()
    const made = await create(server, { store: false })
    expect(made.store).toBe(false)
    expect(await readError(server, `/v1/responses/${made.id}`)).toMatchObject({ status: 404 })
    const next = await server.post('/v1/responses', { model: 'm', input: 'hi', previous_response_id: made.id })
    expect(next.status).toBe(404)
  })

  it('is continued: its input and output go before the new input, its instructions do not', async () => {
    await using server = await world()
    const first = await create(server, { input: 'one', instructions: 'be brief' })
    const second = await create(server, { input: 'two', previous_response_id: first.id })
    expect(second.previous_response_id).toBe(first.id)
    await create(server, { input: 'three', previous_response_id: second.id, instructions: 'be kind' })
    const asked = server.records('m').findLast(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request
    expect((asked as { Messages: { role: string; content: string }[] }).Messages).toMatchObject([
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'Hello to you' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: 'Hello to you' },
      { role: 'user', content: 'three' },
    ])
    const [message] = first.output
    await create(server, {
      input: [
        { type: 'item_reference', id: message?.id },
        { role: 'user', content: 'again' },
      ],
    })
    const referring = server.records('m').findLast(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request
    expect((referring as { Messages: object[] }).Messages).toMatchObject([
      { role: 'assistant', content: 'Hello to you' },
      { role: 'user', content: 'again' },
    ])
  })

  it('shows its input, page by page', async () => {
    await using server = await world()
    const input = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }))
    const { id } = await create(server, { input })
    interface Page {
      data: { id: string; content: { text: string }[] }[]
      has_more: boolean
      last_id: string
    }
    const page = async (query: string) => (await server.call(`/v1/responses/${id}/input_items${query}`)).json() as Page
    const listTexts = ({ data }: Page) => data.map(({ content }) => content[0]?.text)
    expect(listTexts(await page(''))).toEqual(['c', 'b', 'a'])
    const first = await page('?order=asc&limit=2')
    expect([listTexts(first), first.has_more, first.last_id]).toEqual([['a', 'b'], true, first.data[1]?.id])
    const rest = await page(`?order=asc&limit=2&after=${first.last_id}`)
    expect([listTexts(rest), rest.has_more]).toEqual([['c'], false])
    expect(listTexts(await page('?order=asc&limit=0'))).toEqual(['a', 'b', 'c'])
    expect(await readError(server, `/v1/responses/${id}/input_items?after=x`)).toMatchObject({ status: 400 })
  })

  it('survives a restart', async () => {
    await using server = await world()
    const made = await create(server)
    await server.server.close()
    await using next = await startTestServer({ folder: server.folder })
    expect(await get(next, made.id)).toEqual(made)
  })

  verifies(
    ['responses:get-error:no-id', 'responses:get-error:not-found', 'errors:envelope:responses-types'],
    'that is not there, or has no id',
    async () => {
      await using server = await world()
      const missing = { status: 404, type: 'not_found', message: 'response not found: resp_x', code: '', param: 'id' }
      expect(await readError(server, '/v1/responses/resp_x')).toEqual(missing)
      expect(await readError(server, '/v1/responses/resp_x', 'DELETE')).toEqual(missing)
      expect(await readError(server, '/v1/responses/resp_x/cancel', 'POST')).toEqual(missing)
      expect(await readError(server, '/v1/responses/resp_x/input_items')).toEqual(missing)
      for (const path of ['/v1/responses/', '/v1/responses/%20']) {
        expect(await readError(server, path)).toMatchObject({ status: 400, message: 'response ID is required' })
      }
    },
  )
})

describe('the events of a stored response', () => {
  verifies(
    ['responses:route:events', 'responses:stream:replay'],
    'equal the streamed ones, from any of them on, byte for byte',
    async () => {
      await using server = await world({ pieces: ['Hel', 'lo'] })
      const streamed = await server.post('/v1/responses', { model: 'm', input: 'hi', stream: true })
      const id = readId(streamed.text)
      const frames = readFrames(streamed.text)
      const paths = [`/v1/responses/${id}/events?`, `/v1/responses/${id}?stream=true&`]
      for (const path of paths) {
        expect((await server.call(path)).text).toBe(streamed.text)
        for (let after = -1; after < frames.length; after += 1) {
          const replayed = await server.call(`${path}starting_after=${after}`)
          expect(replayed.headers['content-type']).toBe('text/event-stream')
          const last = frames.at(-1) ?? ''
          expect(replayed.text).toBe([...frames.slice(0, -1).slice(after + 1), last].join(''))
        }
      }
      expect(await get(server, id)).toMatchObject({ status: 'completed' })
    },
  )

  verifies(
    [
      'responses:events-error:not-streamed',
      'responses:events-error:starting-after',
      'responses:events-error:not-found',
      'responses:events-error:no-id',
    ],
    'that cannot be given',
    async () => {
      await using server = await world()
      const { id } = await create(server)
      expect(await readError(server, `/v1/responses/${id}/events`)).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        message: 'cannot stream a response that was not created with stream=true',
        param: 'stream',
      })
      const streamed = readId((await server.post('/v1/responses', { model: 'm', input: 'hi', stream: true })).text)
      expect(await readError(server, '/v1/responses//events')).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        message: 'response ID is required',
      })
      for (const after of ['x', '1.5', '1e3']) {
        expect(await readError(server, `/v1/responses/${streamed}/events?starting_after=${after}`)).toMatchObject({
          status: 400,
          type: 'invalid_request_error',
          message: 'starting_after must be an integer',
          param: 'starting_after',
        })
      }
      expect(await readError(server, '/v1/responses/resp_x/events')).toMatchObject({
        status: 404,
        type: 'not_found',
        message: 'response not found: resp_x',
      })
      expect(await readError(server, '/v1/responses/%20/events')).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        message: 'response ID is required',
      })
    },
  )

  verifies('responses:events-error:failure', 'that cannot be read', async () => {
    await using server = await world()
    const id = readId((await server.post('/v1/responses', { model: 'm', input: 'hi', stream: true })).text)
    const file = loadSqliteEngine({ logger: silent }).open(`${server.folder}/data/database.db`)
    file.exec('DROP TABLE response_events')
    file.close()
    expect(await readError(server, `/v1/responses/${id}/events`)).toMatchObject({
      status: 500,
      type: 'server_error',
      message: 'failed to get events: the database failed',
    })
  })

  verifies('responses:stored:kept', 'are there for 30 days unless told otherwise, and gone after', async () => {
    await using server = await world()
    const made = await create(server)
    const age = (ms: number): void => {
      const file = loadSqliteEngine({ logger: silent }).open(`${server.folder}/data/database.db`)
      file.exec(`UPDATE responses SET created_at = created_at - ${ms}`)
      file.close()
    }
    const days = 24 * 60 * 60 * 1000
    age(30 * days - 10 * 60 * 1000)
    expect(await get(server, made.id)).toMatchObject({ id: made.id })
    age(10 * 60 * 1000)
    expect((await server.call(`/v1/responses/${made.id}`)).status).toBe(404)
    // an expired response shows again until it is removed, because the time is a setting
    expect((await server.post('/api/settings', { open_responses_store_ttl: '0' })).status).toBe(200)
    expect((await server.call(`/v1/responses/${made.id}`)).status).toBe(200)
  })

  it('of a stream whose client left end as those of a cancelled response', async () => {
    await using server = await world({ pieces: ['Hel', 'lo'], hang: 1 })
    const controller = new AbortController()
    const reply = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'hi', stream: true }),
      signal: controller.signal,
    })
    const reader = reply.body?.getReader()
    let text = ''
    while (!text.includes('Hel')) text += new TextDecoder().decode((await reader?.read())?.value)
    const id = readId(text)
    expect(await get(server, id)).toMatchObject({ status: 'in_progress' })
    controller.abort()
    expect(await settled(server, id)).toMatchObject({ status: 'cancelled', output: [{ content: [{ text: 'Hel' }] }] })
    const replayed = readFrames((await server.call(`/v1/responses/${id}/events`)).text)
    expect(toEvent(replayed.at(-2) ?? '')).toMatchObject({ response: { status: 'cancelled' } })
  })
})

describe('a response in the background', () => {
  it('is queued at once, runs on, and is there when it is done', async () => {
    await using server = await world()
    const queued = await create(server, { background: true })
    expect(queued).toMatchObject({ status: 'queued', output: [], background: true })
    const done = await settled(server, queued.id)
    expect(done).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello to you' }] }] })
    expect(done.usage?.total_tokens).toBe(8)
    const next = await create(server, { input: 'two', previous_response_id: queued.id })
    expect(next.status).toBe('completed')
  })

  it('is cancelled once, and stays so; others cannot be', async () => {
    await using server = await world({ hang: true })
    const { id } = await create(server, { background: true })
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    const going = await server.post('/v1/responses', { model: 'm', input: 'hi', previous_response_id: id })
    expect(going.json()).toMatchObject({ error: { message: `previous response has not ended: ${id}` } })
    for (let times = 0; times < 2; times += 1) {
      const cancelled = await server.call(`/v1/responses/${id}/cancel`, { method: 'POST' })
      expect(cancelled.json()).toMatchObject({ id, status: 'cancelled' })
    }
    expect(await get(server, id)).toMatchObject({ status: 'cancelled' })
    await eventually(() => expect(server.records('m').some(({ event }) => event === 'cancel')).toBe(true))
    await server.model('quick')
    const whole = await create(server, { model: 'quick' })
    expect(await readError(server, `/v1/responses/${whole.id}/cancel`, 'POST')).toMatchObject({ status: 400 })
  })

  it('streams: two readers and a returning one get every event once, during the run and after it', async () => {
    const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
    await using server = await world({ pieces, pieceDelayMs: 2 })
    const body = { model: 'm', input: 'hi', stream: true, background: true }
    const controller = new AbortController()
    const reply = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
    const reader = reply.body?.getReader()
    let text = ''
    while (!text.includes('"5 "')) text += new TextDecoder().decode((await reader?.read())?.value)
    controller.abort()
    const id = readId(text)
    const seen = readFrames(text.slice(0, text.lastIndexOf('\n\n') + 2)).length
    const [one, two, rest] = await Promise.all([
      server.call(`/v1/responses/${id}/events`),
      server.call(`/v1/responses/${id}?stream=true`),
      server.call(`/v1/responses/${id}/events?starting_after=${seen - 1}`),
    ])
    expect(one.text).toBe(two.text)
    const frames = readFrames(one.text)
    expect(readFrames(rest.text)).toEqual(frames.slice(seen))
    const events = frames.slice(0, -1).map(toEvent)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ])
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe(pieces.join(''))
    expect((await server.call(`/v1/responses/${id}/events`)).text, 'out of the database').toBe(one.text)
  })

  it('that fails is reported as failed', async () => {
    await using server = await world({ failure: { status: 'INTERNAL', message: 'no more' } })
    for (const stream of [false, true]) {
      const reply = await server.post('/v1/responses', { model: 'm', input: 'hi', background: true, stream })
      expect(reply.status).toBe(200)
      const id = stream ? readId(reply.text) : (reply.json() as ResponseResource).id
      expect(await settled(server, id)).toMatchObject({
        status: 'failed',
        error: { code: 'server_error', message: 'prediction failed: no more' },
      })
    }
  })

  it('that fails hides its cause with --opaque-errors', async () => {
    await using server = await startTestServer({ flags: ['--opaque-errors'] })
    await server.model('m', {
      rules: [{ rpc: 'Predict*', do: { failure: { status: 'INTERNAL', message: 'no more' } } }],
    })
    for (const stream of [false, true]) {
      const reply = await server.post('/v1/responses', { model: 'm', input: 'hi', background: true, stream })
      const id = stream ? readId(reply.text) : (reply.json() as ResponseResource).id
      expect(await settled(server, id)).toMatchObject({ status: 'failed', error: { message: 'an error occurred' } })
      expect(reply.text).not.toContain('no more')
    }
  })

  it('that a stop of the server cut is reported as failed after it', async () => {
    await using server = await world({ hang: true })
    const { id } = await create(server, { background: true })
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    await server.server.close()
    await using next = await startTestServer({ folder: server.folder })
    expect(await get(next, id)).toMatchObject({
      status: 'failed',
      error: { message: 'the server stopped while the response was running' },
    })
  })

  it('is refused like any other before it is queued', async () => {
    await using server = await world()
    const reply = await server.post('/v1/responses', { model: 'nobody', input: 'hi', background: true })
    expect(reply.status).toBe(400)
    expect((await server.post('/v1/responses', { model: 'm', input: 5, background: true })).status).toBe(400)
    for (const stream of [false, true]) {
      const content = [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }]
      const refused = await server.post('/v1/responses', {
        model: 'm',
        input: [{ role: 'user', content }],
        background: true,
        stream,
      })
      expect(refused.status).toBe(400)
      expect(refused.json()).toMatchObject({ error: { param: 'input[0].content[0]' } })
    }
    const file = loadSqliteEngine({ logger: silent }).open(`${server.folder}/data/database.db`)
    expect(file.prepare('SELECT count(*) AS stored FROM responses').get()).toEqual({ stored: 0 })
    file.close()
  })
})
