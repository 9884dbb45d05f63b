import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { makeTone, openRealtime, type RealtimeSocket } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await addTalk(server, { mind: [{ rpc: 'Predict*', do: { text: 'a b', hang: 1 } }] })
})
afterAll(() => server.close())

const TEXT = { output_modalities: ['text'] }
const BY_HAND = { audio: { input: { turn_detection: null } } }
const message = (id: string, extra: object = {}) => ({
  id,
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: 'Hello' }],
  ...extra,
})
const MEBIBYTE = 1024 * 1024

/** A wrong event, and the code and the parameter of its error. */
type Row = readonly [
  string,
  string | { readonly type: string; readonly [field: string]: unknown },
  string,
  string | null,
]

const ROWS: readonly Row[] = [
  ['a text', 'hello', 'invalid_json', null],
  ['a list', '[]', 'invalid_json', null],
  ['a number', '1e999', 'invalid_json', null],
  ['another type', { type: 'session.destroy' }, 'unknown_event', 'type'],
  ['a name that objects have', { type: '__proto__' }, 'unknown_event', 'type'],
  ['no type', '{}', 'unknown_event', 'type'],
  ['no id', { type: 'conversation.item.retrieve' }, 'invalid_event', 'item_id'],
  [
    'a negative time',
    { type: 'conversation.item.truncate', item_id: 'x', content_index: 0, audio_end_ms: -1 },
    'invalid_event',
    'audio_end_ms',
  ],
  [
    'an unknown kind of item',
    { type: 'conversation.item.create', item: { type: 'poem' } },
    'invalid_event',
    'item.type',
  ],
  ['an append without sound', { type: 'input_audio_buffer.append' }, 'missing_audio_data', 'audio'],
  ['an append with an empty sound', { type: 'input_audio_buffer.append', audio: '' }, 'missing_audio_data', 'audio'],
  ['sound that is not base64', { type: 'input_audio_buffer.append', audio: '%%%' }, 'invalid_audio_data', 'audio'],
  ['a commit of nothing', { type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
  ['an unknown item', { type: 'conversation.item.delete', item_id: 'nobody' }, 'invalid_item_id', 'item_id'],
  [
    'an unknown place',
    { type: 'conversation.item.create', previous_item_id: 'nobody', item: message('x') },
    'invalid_item_id',
    'previous_item_id',
  ],
  ['an id that is taken', { type: 'conversation.item.create', item: message('here') }, 'invalid_item_id', 'item.id'],
  [
    'a cut of words of a person',
    { type: 'conversation.item.truncate', item_id: 'here', content_index: 0, audio_end_ms: 1 },
    'invalid_item_id',
    'item_id',
  ],
  [
    'a picture elsewhere',
    {
      type: 'conversation.item.create',
      item: message('p', { content: [{ type: 'input_image', image_url: 'http://127.0.0.1/x.png' }] }),
    },
    'invalid_value',
    null,
  ],
  [
    'another model',
    { type: 'session.update', session: { type: 'realtime', model: 'other' } },
    'session_update_error',
    'session.model',
  ],
  [
    'another type of session',
    { type: 'session.update', session: { type: 'transcription' } },
    'session_update_error',
    'session.type',
  ],
  [
    'a field of a wrong type',
    { type: 'session.update', session: { type: 'realtime', instructions: 7 } },
    'session_update_error',
    'session.instructions',
  ],
  ['a cancel of nothing', { type: 'response.cancel' }, 'response_cancel_not_active', 'response_id'],
]

describe('a wrong event', () => {
  let client: RealtimeSocket
  beforeAll(async () => {
    client = await openRealtime(server.url, { session: { ...TEXT, ...BY_HAND } })
    client.send({ type: 'conversation.item.create', item: message('here') })
    await client.next('conversation.item.done')
  })
  afterAll(() => client[Symbol.asyncDispose]())

  // verifies realtime:error:cancel-nothing, realtime:error:commit-empty, realtime:error:invalid-audio, realtime:error:invalid-event, realtime:error:invalid-json, realtime:error:item-id, realtime:error:missing-audio, realtime:error:session-update, realtime:error:unknown-event, realtime:error:value
  it.each(ROWS)('%s', async (_, event, code, param) => {
    const sent = typeof event === 'string' ? event : { ...event, event_id: 'mine' }
    client.send(sent)
    const { error, event_id } = await client.next('error')
    expect(event_id).toMatch(/^event_/)
    expect(error).toMatchObject({ type: 'invalid_request_error', code, message: expect.stringMatching(/\w/) })
    expect(error).toMatchObject({ event_id: typeof event === 'string' ? null : 'mine' })
    if (param !== null) expect(error).toMatchObject({ param: expect.stringContaining(param) })
  })

  it('leaves the session as it was', async () => {
    expect(await client.settled()).toEqual([])
  })
})

describe('an event at a wrong time', () => {
  verifies(
    ['realtime:error:active-response', 'realtime:error:too-many-responses', 'realtime:bound:beside'],
    'a second response, and a fifth beside the conversation',
    async () => {
      await using client = await openRealtime(server.url, { session: TEXT })
      const create = (response: object) => client.send({ type: 'response.create', response })
      create({})
      create({})
      expect((await client.next('error')).error).toMatchObject({ code: 'conversation_already_has_active_response' })
      for (let count = 0; count < 5; count += 1) create({ conversation: 'none' })
      expect((await client.next('error')).error).toMatchObject({ code: 'too_many_responses' })
      expect(client.heard.filter(({ type }) => type === 'response.created')).toHaveLength(5)
    },
  )
  verifies('realtime:error:commit-detected', 'a commit by hand while turns are detected', async () => {
    await using client = await openRealtime(server.url)
    client.say(makeTone(200, { level: 0 }))
    client.send({ type: 'input_audio_buffer.commit' })
    expect((await client.next('error')).error).toMatchObject({ code: 'not_implemented' })
  })
})

describe('a bound', () => {
  verifies(
    ['realtime:bound:event', 'realtime:bound:append', 'realtime:error:buffer-size'],
    'of one event and of its sound',
    async () => {
      await using client = await openRealtime(server.url, { session: BY_HAND })
      client.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(10 * MEBIBYTE + 4) })
      expect((await client.next('error')).error).toMatchObject({ code: 'buffer_size_exceeded' })
      client.send({ type: 'response.create', x: 'x'.repeat(11 * MEBIBYTE) })
      expect((await client.next('error')).error).toMatchObject({ code: 'event_too_large', event_id: null })
      expect(await client.settled()).toEqual([])
    },
  )
  verifies('realtime:bound:items', 'of the items of a conversation', async () => {
    await using client = await openRealtime(server.url, { session: TEXT })
    for (let count = 0; count <= 2000; count += 1)
      client.send({ type: 'conversation.item.create', item: message(`item_${count}`) })
    expect((await client.next('error')).error).toMatchObject({ code: 'conversation_full' })
    expect(client.heard.filter(({ type }) => type === 'conversation.item.done')).toHaveLength(2000)
  })
})
