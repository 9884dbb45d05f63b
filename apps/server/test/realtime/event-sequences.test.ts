import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIdNames, writeLines } from '../support/realtime-lines.ts'
import {
  makeSilence,
  makeTone,
  measureSound,
  openRealtime,
  type RealtimeEvent,
  type RealtimeSocket,
} from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const CALL = { id: 'call_1', name: 'get_time', arguments: { zone: 'UTC' } }
const FAILURE = { status: 'UNAVAILABLE', message: 'the stage is gone' } as const
const TEXT = { output_modalities: ['text'] }
const BY_HAND = { audio: { input: { turn_detection: null } } }
const BY_VOICE = {
  audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 300, prefix_padding_ms: 0 } } },
}
const STORY = Array.from({ length: 60 }, (_, index) => `This is story ${index}.`).join(' ')
const HELLO = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
const SPEECH = Buffer.concat([makeSilence(300), makeTone(600), makeSilence(1000)])

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await addTalk(server)
  await addTalk(server, {
    name: 'tools',
    isShared: true,
    mind: [
      { rpc: 'Predict*', contains: 'noon', do: { text: 'It is noon.' } },
      { rpc: 'Predict*', do: { toolCalls: [CALL], via: 'deltas' } },
    ],
  })
  await addTalk(server, { name: 'deaf', isShared: true, ear: { failure: FAILURE } })
  await addTalk(server, {
    name: 'dull',
    isShared: true,
    mind: [{ rpc: 'Predict*', do: { text: 'It is noon.', failure: { ...FAILURE, afterPieces: 1 } } }],
  })
  await addTalk(server, { name: 'mute', isShared: true, mouth: { failure: FAILURE } })
  await addTalk(server, {
    name: 'endless',
    isShared: true,
    mind: [{ rpc: 'Predict*', do: { text: 'It is noon.', hang: 2 } }],
  })
  // it ends only when it is interrupted
  await addTalk(server, { name: 'long', isShared: true, mind: [{ rpc: 'Predict*', do: { text: STORY, hang: 200 } }] })
})
afterAll(() => server.close())

interface Scene {
  readonly model?: string
  readonly type?: 'transcription'
  readonly session?: object
}

function ofType(events: readonly RealtimeEvent[], type: string): RealtimeEvent {
  const event = events.find((one) => one.type === type)
  if (event === undefined) throw new Error(`no ${type}`)
  return event
}

/** Plays a scene, and compares the events that the client heard, one line each. */
function scene(
  name: string,
  { session = {}, ...options }: Scene,
  play: (client: RealtimeSocket, see: (until: string) => Promise<string[]>) => Promise<void>,
): void {
  it(name, async () => {
    await using client = await openRealtime(server.url, { ...options, session: { ...session } })
    const names = createIdNames()
    await play(client, async (until) => writeLines(await client.until(until), names))
    const eventIds = client.heard.map(({ event_id }) => event_id)
    expect(new Set(eventIds).size).toBe(eventIds.length)
  })
}

describe('a turn by text', () => {
  // verifies realtime:flow:text, realtime:client:item-create, realtime:client:response-create, realtime:event:ids, realtime:event:item-added, realtime:event:item-done, realtime:event:response-created, realtime:event:response-done, realtime:event:output-item, realtime:event:content-part, realtime:event:text
  scene('is answered by text', { session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 text ""',
      'response.output_text.delta r1 i2 #0 .0 "It is noon."',
      'response.output_text.done r1 i2 #0 .0 "It is noon."',
      'response.content_part.done r1 i2 #0 .0 text "It is noon."',
      'conversation.item.done i2 assistant completed [output_text "It is noon."] after i1',
      'response.output_item.done r1 i2 assistant completed [output_text "It is noon."] #0',
      'response.done r1 completed [i2] usage',
    ])
  })
  // verifies realtime:event:transcript, realtime:event:audio
  scene('is answered by speech', {}, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 audio ""',
      'response.output_audio_transcript.delta r1 i2 #0 .0 "It is noon."',
      'response.output_audio.delta r1 i2 #0 .0 220 ms',
      'response.output_audio.done r1 i2 #0 .0',
      'response.output_audio_transcript.done r1 i2 #0 .0 "It is noon."',
      'response.content_part.done r1 i2 #0 .0 audio "It is noon."',
      'conversation.item.done i2 assistant completed [output_audio "It is noon."] after i1',
      'response.output_item.done r1 i2 assistant completed [output_audio "It is noon."] #0',
      'response.done r1 completed [i2] usage',
    ])
  })
  // verifies realtime:flow:incomplete
  scene('ends at the limit of tokens', { session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create', response: { max_output_tokens: 2 } })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 text ""',
      'response.output_text.delta r1 i2 #0 .0 "It is"',
      'response.output_text.done r1 i2 #0 .0 "It is"',
      'response.content_part.done r1 i2 #0 .0 text "It is"',
      'conversation.item.done i2 assistant incomplete [output_text "It is"] after i1',
      'response.output_item.done r1 i2 assistant incomplete [output_text "It is"] #0',
      'response.done r1 incomplete max_output_tokens [i2] usage',
    ])
  })
})

describe('a turn by voice', () => {
  // verifies realtime:flow:voice, realtime:client:audio-append, realtime:event:speech-started, realtime:event:speech-stopped, realtime:event:committed, realtime:event:transcription-delta, realtime:event:transcription-completed
  scene('is found, written down and answered', { session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('response.done')).toEqual([
      'input_audio_buffer.speech_started i1 from 300',
      'input_audio_buffer.speech_stopped i1 to 1210',
      'input_audio_buffer.committed i1 after none',
      'conversation.item.added i1 user completed [input_audio] after none',
      'conversation.item.done i1 user completed [input_audio] after none',
      'response.created r1 in_progress',
      'conversation.item.input_audio_transcription.delta i1 .0 "What time is it?"',
      'conversation.item.input_audio_transcription.completed i1 .0 "What time is it?"',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 audio ""',
      'response.output_audio_transcript.delta r1 i2 #0 .0 "It is noon."',
      'response.output_audio.delta r1 i2 #0 .0 220 ms',
      'response.output_audio.done r1 i2 #0 .0',
      'response.output_audio_transcript.done r1 i2 #0 .0 "It is noon."',
      'response.content_part.done r1 i2 #0 .0 audio "It is noon."',
      'conversation.item.done i2 assistant completed [output_audio "It is noon."] after i1',
      'response.output_item.done r1 i2 assistant completed [output_audio "It is noon."] #0',
      'response.done r1 completed [i2] usage',
    ])
  })
  // verifies realtime:flow:by-hand, realtime:client:audio-commit
  scene('is committed by hand', { session: { ...TEXT, ...BY_HAND } }, async (client, see) => {
    client.say(makeTone(600))
    client.send({ type: 'input_audio_buffer.commit' })
    expect(await see('conversation.item.input_audio_transcription.completed')).toEqual([
      'input_audio_buffer.committed i1 after none',
      'conversation.item.added i1 user completed [input_audio] after none',
      'conversation.item.done i1 user completed [input_audio] after none',
      'conversation.item.input_audio_transcription.delta i1 .0 "What time is it?"',
      'conversation.item.input_audio_transcription.completed i1 .0 "What time is it?"',
    ])
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 text ""',
      'response.output_text.delta r1 i2 #0 .0 "It is noon."',
      'response.output_text.done r1 i2 #0 .0 "It is noon."',
      'response.content_part.done r1 i2 #0 .0 text "It is noon."',
      'conversation.item.done i2 assistant completed [output_text "It is noon."] after i1',
      'response.output_item.done r1 i2 assistant completed [output_text "It is noon."] #0',
      'response.done r1 completed [i2] usage',
    ])
  })
  // verifies realtime:client:audio-clear, realtime:event:cleared
  scene('is dropped before its commit', { session: BY_HAND }, async (client, see) => {
    client.say(makeTone(600))
    client.send({ type: 'input_audio_buffer.clear' })
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' })
    expect(await see('error')).toEqual(['input_audio_buffer.cleared', 'error input_audio_buffer_commit_empty'])
  })
  // verifies realtime:flow:interruption, realtime:event:item-truncated
  scene('interrupts the answer', { model: 'long', session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    await see('response.output_audio.delta')
    client.say(SPEECH)
    const cut = await client.until('conversation.item.truncated')
    const cutOff = ofType(cut, 'conversation.item.truncated')
    const sentMs = client.heard
      .filter(({ type }) => type === 'response.output_audio.delta')
      .reduce((sum, { delta }) => sum + measureSound(String(delta)), 0)
    expect(cutOff.audio_end_ms).toBeGreaterThan(0)
    expect(cutOff.audio_end_ms).toBeLessThanOrEqual(sentMs)
    expect(cut.map(({ type }) => type).filter((type) => !type.endsWith('.delta'))).toEqual([
      'input_audio_buffer.speech_started',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
      'conversation.item.truncated',
    ])
    expect(ofType(cut, 'response.done').response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ id: cutOff.item_id, status: 'incomplete' }],
    })
    expect(ofType(cut, 'input_audio_buffer.speech_started').item_id).not.toBe(cutOff.item_id)
    const next = await client.until('response.created')
    expect(next.map(({ type }) => type)).toEqual([
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
    ])
    expect(ofType(next, 'input_audio_buffer.committed')).toMatchObject({
      item_id: ofType(cut, 'input_audio_buffer.speech_started').item_id,
      previous_item_id: cutOff.item_id,
    })
    client.send({ type: 'conversation.item.retrieve', item_id: String(cutOff.item_id) })
    const { item } = await client.next('conversation.item.retrieved')
    const said = String(Reflect.get(Object(item), 'content')[0].transcript)
    expect(STORY.startsWith(said)).toBe(true)
    expect(said.length).toBeLessThan(STORY.length / 2)
  })
})

describe('speech while the model thinks', () => {
  scene(
    'ends the response that nobody has heard',
    { model: 'endless', session: { ...TEXT, ...BY_VOICE } },
    async (client) => {
      client.say(SPEECH)
      await client.until('response.output_text.delta')
      client.say(SPEECH)
      const ended = await client.until('response.created')
      expect(ended.map(({ type }) => type).filter((type) => !type.endsWith('.delta'))).toEqual([
        'input_audio_buffer.speech_started',
        'response.output_text.done',
        'response.content_part.done',
        'conversation.item.done',
        'response.output_item.done',
        'response.done',
        'input_audio_buffer.speech_stopped',
        'input_audio_buffer.committed',
        'conversation.item.added',
        'conversation.item.done',
        'response.created',
      ])
      expect(ofType(ended, 'response.done').response).toMatchObject({
        status: 'cancelled',
        status_details: { reason: 'turn_detected' },
      })
    },
  )
})

describe('a session for transcription', () => {
  // verifies realtime:flow:transcription
  scene('writes down and answers nothing', { type: 'transcription', session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('conversation.item.input_audio_transcription.completed')).toEqual([
      'input_audio_buffer.speech_started i1 from 300',
      'input_audio_buffer.speech_stopped i1 to 1210',
      'input_audio_buffer.committed i1 after none',
      'conversation.item.added i1 user completed [input_audio] after none',
      'conversation.item.done i1 user completed [input_audio] after none',
      'conversation.item.input_audio_transcription.delta i1 .0 "What time is it?"',
      'conversation.item.input_audio_transcription.completed i1 .0 "What time is it?"',
    ])
    client.send({ type: 'response.create', event_id: 'mine' })
    expect(await see('error')).toEqual(['error invalid_event'])
  })
})

describe('a call of a function', () => {
  const tools = [{ type: 'function', name: CALL.name, parameters: { type: 'object' } }]
  // verifies realtime:flow:call, realtime:event:arguments
  scene('waits for its result', { model: 'tools', session: { ...TEXT, tools } }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 function_call in_progress c1 get_time  #0',
      'conversation.item.added i2 function_call in_progress c1 get_time  after i1',
      'response.function_call_arguments.delta r1 i2 c1 #0 "{\\"zone\\":\\"UTC\\"}"',
      'response.function_call_arguments.done r1 i2 c1 #0 get_time {"zone":"UTC"}',
      'conversation.item.done i2 function_call completed c1 get_time {"zone":"UTC"} after i1',
      'response.output_item.done r1 i2 function_call completed c1 get_time {"zone":"UTC"} #0',
      'response.done r1 completed [i2] usage',
    ])
    const item = { type: 'function_call_output', call_id: CALL.id, output: 'noon' }
    client.send({ type: 'conversation.item.create', item })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i3 function_call_output c1 noon after i2',
      'conversation.item.done i3 function_call_output c1 noon after i2',
      'response.created r2 in_progress',
      'response.output_item.added r2 i4 assistant in_progress [] #0',
      'conversation.item.added i4 assistant in_progress [] after i3',
      'response.content_part.added r2 i4 #0 .0 text ""',
      'response.output_text.delta r2 i4 #0 .0 "It is noon."',
      'response.output_text.done r2 i4 #0 .0 "It is noon."',
      'response.content_part.done r2 i4 #0 .0 text "It is noon."',
      'conversation.item.done i4 assistant completed [output_text "It is noon."] after i3',
      'response.output_item.done r2 i4 assistant completed [output_text "It is noon."] #0',
      'response.done r2 completed [i4] usage',
    ])
  })
})

describe('a response', () => {
  // verifies realtime:flow:beside
  scene('beside the conversation leaves nothing in it', { session: TEXT }, async (client, see) => {
    client.send({
      type: 'response.create',
      response: { conversation: 'none', metadata: { topic: 'a' }, input: [HELLO] },
    })
    expect(await see('response.done')).toEqual([
      'response.created r1 in_progress',
      'response.output_item.added r1 i1 assistant in_progress [] #0',
      'response.content_part.added r1 i1 #0 .0 text ""',
      'response.output_text.delta r1 i1 #0 .0 "It is noon."',
      'response.output_text.done r1 i1 #0 .0 "It is noon."',
      'response.content_part.done r1 i1 #0 .0 text "It is noon."',
      'response.output_item.done r1 i1 assistant completed [output_text "It is noon."] #0',
      'response.done r1 completed [i1] usage',
    ])
    client.send({ type: 'conversation.item.create', item: HELLO })
    expect(await see('conversation.item.done')).toEqual([
      'conversation.item.added i2 user completed [input_text "Hello"] after none',
      'conversation.item.done i2 user completed [input_text "Hello"] after none',
    ])
  })
  // verifies realtime:client:response-cancel
  scene('is cancelled by its client', { model: 'endless', session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    await see('response.output_text.delta')
    client.send({ type: 'response.create', event_id: 'second' })
    expect(await see('error')).toEqual([
      'response.output_text.delta r1 i2 #0 .0 " is"',
      'error conversation_already_has_active_response',
    ])
    client.send({ type: 'response.cancel' })
    expect(await see('response.done')).toEqual([
      'response.output_text.done r1 i2 #0 .0 "It is"',
      'response.content_part.done r1 i2 #0 .0 text "It is"',
      'conversation.item.done i2 assistant incomplete [output_text "It is"] after i1',
      'response.output_item.done r1 i2 assistant incomplete [output_text "It is"] #0',
      'response.done r1 cancelled client_cancelled [i2] usage',
    ])
    client.send({ type: 'response.cancel', event_id: 'late' })
    expect(await see('error')).toEqual(['error response_cancel_not_active'])
  })
})

describe('a stage that fails ends the response, and not the session', () => {
  // verifies realtime:flow:failed-transcription, realtime:event:transcription-failed, realtime:error:transcription
  scene('transcription', { model: 'deaf', session: BY_VOICE }, async (client, see) => {
    client.say(SPEECH)
    expect(await see('response.done')).toEqual([
      'input_audio_buffer.speech_started i1 from 300',
      'input_audio_buffer.speech_stopped i1 to 1210',
      'input_audio_buffer.committed i1 after none',
      'conversation.item.added i1 user completed [input_audio] after none',
      'conversation.item.done i1 user completed [input_audio] after none',
      'response.created r1 in_progress',
      'conversation.item.input_audio_transcription.failed i1 .0 transcription_failed',
      'error transcription_failed',
      'response.done r1 failed transcription_failed usage',
    ])
    expect(await client.settled()).toEqual([])
  })
  // verifies realtime:flow:failed-model, realtime:error:processing
  scene('the language model', { model: 'dull', session: TEXT }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 text ""',
      'response.output_text.delta r1 i2 #0 .0 "It"',
      'response.output_text.done r1 i2 #0 .0 "It"',
      'response.content_part.done r1 i2 #0 .0 text "It"',
      'conversation.item.done i2 assistant incomplete [output_text "It"] after i1',
      'response.output_item.done r1 i2 assistant incomplete [output_text "It"] #0',
      'error processing_error',
      'response.done r1 failed processing_error [i2] usage',
    ])
    expect(await client.settled()).toEqual([])
  })
  // verifies realtime:flow:failed-speech, realtime:error:speech
  scene('speech', { model: 'mute' }, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    expect(await see('response.done')).toEqual([
      'conversation.item.added i1 user completed [input_text "Hello"] after none',
      'conversation.item.done i1 user completed [input_text "Hello"] after none',
      'response.created r1 in_progress',
      'response.output_item.added r1 i2 assistant in_progress [] #0',
      'conversation.item.added i2 assistant in_progress [] after i1',
      'response.content_part.added r1 i2 #0 .0 audio ""',
      'response.output_audio_transcript.delta r1 i2 #0 .0 "It is noon."',
      'response.output_audio.done r1 i2 #0 .0',
      'response.output_audio_transcript.done r1 i2 #0 .0 "It is noon."',
      'response.content_part.done r1 i2 #0 .0 audio "It is noon."',
      'conversation.item.done i2 assistant incomplete [output_audio "It is noon."] after i1',
      'response.output_item.done r1 i2 assistant incomplete [output_audio "It is noon."] #0',
      'error tts_error',
      'response.done r1 failed tts_error [i2] usage',
    ])
    expect(await client.settled()).toEqual([])
  })
})

describe('items', () => {
  // verifies realtime:client:item-retrieve, realtime:client:item-delete, realtime:event:item-retrieved, realtime:event:item-deleted
  scene('are placed, shown and removed', {}, async (client, see) => {
    const text = (id: string) => ({ ...HELLO, id, content: [{ type: 'input_text', text: id }] })
    client.send({ type: 'conversation.item.create', item: text('one') })
    client.send({ type: 'conversation.item.create', item: text('two') })
    client.send({ type: 'conversation.item.create', item: text('zero'), previous_item_id: 'root' })
    client.send({ type: 'conversation.item.create', item: text('half'), previous_item_id: 'one' })
    client.send({ type: 'conversation.item.delete', item_id: 'two' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'half' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'two', event_id: 'gone' })
    expect(await see('error')).toEqual([
      'conversation.item.added i1 user completed [input_text "one"] after none',
      'conversation.item.done i1 user completed [input_text "one"] after none',
      'conversation.item.added i2 user completed [input_text "two"] after i1',
      'conversation.item.done i2 user completed [input_text "two"] after i1',
      'conversation.item.added i3 user completed [input_text "zero"] after none',
      'conversation.item.done i3 user completed [input_text "zero"] after none',
      'conversation.item.added i4 user completed [input_text "half"] after i1',
      'conversation.item.done i4 user completed [input_text "half"] after i1',
      'conversation.item.deleted i2',
      'conversation.item.retrieved i4 user completed [input_text "half"]',
      'error invalid_item_id',
    ])
  })
  // verifies realtime:client:item-truncate
  scene('of speech are cut where the client stopped playing', {}, async (client, see) => {
    client.send({ type: 'conversation.item.create', item: HELLO })
    client.send({ type: 'response.create' })
    await see('response.done')
    const [item] = client.heard.filter(({ type }) => type === 'response.output_item.done')
    const item_id = Reflect.get(Object(item?.item), 'id') as string
    client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 130 })
    client.send({ type: 'conversation.item.retrieve', item_id })
    expect(await see('conversation.item.retrieved')).toEqual([
      'conversation.item.truncated i2 .0 to 130',
      'conversation.item.retrieved i2 assistant incomplete [output_audio "It is"]',
    ])
    client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 60_000 })
    expect(await see('error')).toEqual(['error invalid_value'])
  })
})

describe('settings', () => {
  // verifies realtime:client:session-update, realtime:event:session-updated, realtime:client:event-id, realtime:event:error
  scene('are changed and shown whole', {}, async (client) => {
    client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.', ...TEXT } })
    const { session } = await client.next('session.updated')
    expect(session).toMatchObject({ type: 'realtime', instructions: 'Be brief.', ...TEXT, model: 'talk' })
    client.send({ type: 'session.update', event_id: 'mine', session: { type: 'realtime', model: 'other' } })
    expect((await client.next('error')).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'session_update_error',
      message: expect.stringContaining('session.model'),
      param: 'session.model',
      event_id: 'mine',
    })
  })
})
