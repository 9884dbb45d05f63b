import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { RequirementId } from '../spec/requirements.ts'
import { verifies } from '../spec/verifies.ts'
import { createIdNames, writeLines } from '../support/realtime-lines.ts'
import { makeSilence, makeTone, openRealtime, type RealtimeSocket } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const CALL = { id: 'call_1', name: 'get_time', arguments: { zone: 'UTC' } }
const FAILURE = { status: 'UNAVAILABLE', message: 'the stage is gone' } as const
const TEXT = { output_modalities: ['text'] }
const BY_HAND = { audio: { input: { turn_detection: null } } }
const BY_VOICE = {
  audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 300, prefix_padding_ms: 0 } } },
}
const HELLO = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
const SPEECH = Buffer.concat([makeSilence(300), makeTone(600), makeSilence(1000)])

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await addTalk(server)
  await addTalk(server, {
    name: 'tools',
    mind: [
      { rpc: 'Predict*', contains: 'noon', do: { text: 'It is noon.' } },
      { rpc: 'Predict*', do: { toolCalls: [CALL], via: 'deltas' } },
    ],
  })
  await addTalk(server, { name: 'deaf', ear: { failure: FAILURE } })
  await addTalk(server, {
    name: 'dull',
    mind: [{ rpc: 'Predict*', do: { text: 'It is noon.', failure: { ...FAILURE, afterPieces: 1 } } }],
  })
  await addTalk(server, { name: 'mute', mouth: { failure: FAILURE } })
  await addTalk(server, { name: 'endless', mind: [{ rpc: 'Predict*', do: { text: 'It is noon.', hang: 2 } }] })
  await addTalk(server, { name: 'long', mind: [{ rpc: 'Predict*', do: { text: 'A story. '.repeat(40) } }] })
})
afterAll(() => server.close())

interface Scene {
  readonly model?: string
  readonly session?: object
}

/** Plays a scene, and compares the events that the client heard, one line each. */
function scene(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  { model = 'talk', session = {} }: Scene,
  play: (client: RealtimeSocket, see: (until: string) => Promise<string[]>) => Promise<void>,
): void {
  verifies(ids, name, async () => {
    await using client = await openRealtime(server.url, { model, session: { ...session } })
    const names = createIdNames()
    await play(client, async (until) => writeLines(await client.until(until), names))
    const eventIds = client.heard.map(({ event_id }) => event_id)
    expect(new Set(eventIds).size).toBe(eventIds.length)
  })
}

describe('a turn by text', () => {
  scene([], 'is answered by text', { session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
  scene([], 'is answered by speech', {}, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
  scene([], 'ends at the limit of tokens', { session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create', response: { max_output_tokens: 2 } })
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
})

describe('a turn by voice', () => {
  scene([], 'is found, written down and answered', { session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
  scene([], 'is committed by hand', { session: { ...TEXT, ...BY_HAND } }, async (client, see) => {
    client.say(makeTone(600))
    client.send({ type: 'input_audio_buffer.commit' })
    expect(await see('conversation.item.input_audio_transcription.completed')).toMatchInlineSnapshot()
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
  scene([], 'is dropped before its commit', { session: BY_HAND }, async (client, see) => {
    client.say(makeTone(600))
    client.send({ type: 'input_audio_buffer.clear' })
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' })
    expect(await see('error')).toMatchInlineSnapshot()
  })
  scene([], 'interrupts the answer', { model: 'long', session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    await see('response.output_audio.delta')
    client.say(SPEECH)
    expect(await see('input_audio_buffer.speech_started')).toMatchInlineSnapshot()
    expect(await see('response.output_audio.delta')).toMatchInlineSnapshot()
  })
})

describe('a session for transcription', () => {
  const session = { type: 'transcription', ...BY_VOICE }
  scene([], 'writes down and answers nothing', { session }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('conversation.item.input_audio_transcription.completed')).toMatchInlineSnapshot()
    client.send({ type: 'response.create', event_id: 'mine' })
    expect(await see('error')).toMatchInlineSnapshot()
  })
})

describe('a call of a function', () => {
  const tools = [{ type: 'function', name: CALL.name, parameters: { type: 'object' } }]
  scene([], 'waits for its result', { model: 'tools', session: { ...TEXT, tools } }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
    const item = { type: 'function_call_output', call_id: CALL.id, output: 'noon' }
    client.send({ type: 'conversation.item.create', item })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
  })
})

describe('a response', () => {
  scene([], 'beside the conversation leaves nothing in it', { session: TEXT }, async (client, see) => {
    client.send({
      type: 'response.create',
      response: { conversation: 'none', metadata: { topic: 'a' }, input: [HELLO] },
    })
    expect(await see('response.done')).toMatchInlineSnapshot()
    client.send({ type: 'conversation.item.create', item: HELLO })
    expect(await see('conversation.item.done')).toMatchInlineSnapshot()
  })
  scene([], 'is cancelled by its client', { model: 'endless', session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    await see('response.output_text.delta')
    client.send({ type: 'response.create', event_id: 'second' })
    expect(await see('error')).toMatchInlineSnapshot()
    client.send({ type: 'response.cancel' })
    expect(await see('response.done')).toMatchInlineSnapshot()
    client.send({ type: 'response.cancel', event_id: 'late' })
    expect(await see('error')).toMatchInlineSnapshot()
  })
})

describe('a stage that fails ends the response, and not the session', () => {
  scene([], 'transcription', { model: 'deaf', session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('response.done')).toMatchInlineSnapshot()
    expect(await client.settled()).toEqual([])
  })
  scene([], 'the language model', { model: 'dull', session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
    expect(await client.settled()).toEqual([])
  })
  scene([], 'speech', { model: 'mute' }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toMatchInlineSnapshot()
    expect(await client.settled()).toEqual([])
  })
})

describe('items', () => {
  scene([], 'are placed, shown and removed', {}, async (client, see) => {
    const text = (id: string) => ({ ...HELLO, id, content: [{ type: 'input_text', text: id }] })
    client.send({ type: 'conversation.item.create', item: text('one') })
    client.send({ type: 'conversation.item.create', item: text('two') })
    client.send({ type: 'conversation.item.create', item: text('zero'), previous_item_id: 'root' })
    client.send({ type: 'conversation.item.create', item: text('half'), previous_item_id: 'one' })
    client.send({ type: 'conversation.item.delete', item_id: 'two' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'half' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'two', event_id: 'gone' })
    expect(await see('error')).toMatchInlineSnapshot()
  })
  scene([], 'of speech are cut where the client stopped playing', {}, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    await see('response.done')
    const [item] = client.heard.filter(({ type }) => type === 'response.output_item.done')
    const item_id = Reflect.get(Object(item?.item), 'id') as string
    client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 130 })
    client.send({ type: 'conversation.item.retrieve', item_id })
    expect(await see('conversation.item.retrieved')).toMatchInlineSnapshot()
    client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 60_000 })
    expect(await see('error')).toMatchInlineSnapshot()
  })
})

describe('settings', () => {
  scene([], 'are changed and shown whole', {}, async (client, see) => {
    client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.', ...TEXT } })
    const { session } = await client.next('session.updated')
    expect(session).toMatchObject({ type: 'realtime', instructions: 'Be brief.', ...TEXT, model: 'talk' })
    client.send({ type: 'session.update', event_id: 'mine', session: { type: 'realtime', model: 'other' } })
    expect(await see('error')).toMatchInlineSnapshot()
    await eventually(() => expect(client.heard.length).toBeGreaterThan(2))
  })
})
