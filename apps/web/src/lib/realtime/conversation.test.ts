import { describe, expect, it } from 'vitest'
import { type Conversation, EMPTY_CONVERSATION, MAX_ENTRIES, takeEvent } from './conversation.ts'
import { readCaption } from './entries.ts'
import { readServerEvent } from './events.ts'
import { listStages } from './turn-times.ts'

type Event = Readonly<Record<string, unknown>>

/** Takes events of 100 ms each. */
function take(events: readonly Event[], from: Conversation = EMPTY_CONVERSATION): Conversation {
  return events.reduce<Conversation>((conversation, event, index) => {
    const read = readServerEvent(JSON.stringify({ event_id: `event_${index}`, ...event }))
    return read === undefined ? conversation : takeEvent(conversation, read, index * 100)
  }, from)
}

const lines = ({ entries }: Conversation) =>
  entries.map((entry) =>
    entry.kind === 'caption'
      ? `${entry.role}: ${readCaption(entry)} [${entry.state}]`
      : `${entry.kind}: ${entry.kind === 'tools' ? entry.names.join(',') : `${entry.name} ${entry.arguments}`}`,
  )

const session = {
  type: 'session.created',
  session: { id: 'sess_1', audio: { input: { transcription: { model: 'whisper' } } } },
}
const user = (id: string, more: object = {}) => ({
  id,
  type: 'message',
  object: 'realtime.item',
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_audio', transcript: null }],
  ...more,
})
const model = (id: string, more: object = {}) => ({
  id,
  type: 'message',
  status: 'in_progress',
  role: 'assistant',
  content: [],
  ...more,
})
const at = (type: string, id: string, more: object = {}) => ({
  type,
  response_id: 'resp_1',
  item_id: id,
  output_index: 0,
  content_index: 0,
  ...more,
})

const SPOKEN_TURN = [
  session,
  { type: 'input_audio_buffer.speech_started', audio_start_ms: 200, item_id: 'u1' },
  { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 1500, item_id: 'u1' },
  { type: 'input_audio_buffer.committed', item_id: 'u1', previous_item_id: null },
  { type: 'conversation.item.added', item: user('u1'), previous_item_id: null },
  { type: 'conversation.item.done', item: user('u1'), previous_item_id: null },
  at('conversation.item.input_audio_transcription.delta', 'u1', { delta: 'What is ' }),
  at('conversation.item.input_audio_transcription.completed', 'u1', { transcript: 'What is the time?' }),
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', response_id: 'resp_1', output_index: 0, item: model('a1') },
  { type: 'conversation.item.added', item: model('a1'), previous_item_id: 'u1' },
  at('response.content_part.added', 'a1', { part: { type: 'audio', transcript: '' } }),
  at('response.output_audio_transcript.delta', 'a1', { delta: 'It is ' }),
  at('response.output_audio.delta', 'a1', { delta: 'AAA=' }),
  at('response.output_audio_transcript.delta', 'a1', { delta: 'noon.' }),
  at('response.output_audio.done', 'a1'),
  at('response.output_audio_transcript.done', 'a1', { transcript: 'It is noon.' }),
  at('response.content_part.done', 'a1', { part: { type: 'audio', transcript: 'It is noon.' } }),
  {
    type: 'response.output_item.done',
    response_id: 'resp_1',
    item: model('a1', { status: 'completed', content: [{ type: 'output_audio', transcript: 'It is noon.' }] }),
  },
  { type: 'response.done', response: { id: 'resp_1', status: 'completed', output: [model('a1')] } },
]

describe('a conversation', () => {
  it('shows both sides of a spoken turn, and the times of its stages', () => {
    const conversation = take(SPOKEN_TURN)
    expect(lines(conversation)).toEqual(['user: What is the time? [done]', 'assistant: It is noon. [done]'])
    expect(conversation).toMatchObject({ isHearing: false, responseId: undefined, fault: undefined })
    expect(conversation.times && listStages(conversation.times)).toEqual([
      { stage: 'transcribed', ms: 500 },
      { stage: 'firstText', ms: 1000 },
      { stage: 'firstSound', ms: 1100 },
      { stage: 'done', ms: 1700 },
    ])
  })

  it('grows with each piece', () => {
    expect(take(SPOKEN_TURN.slice(0, 2)).isHearing).toBe(true)
    expect(lines(take(SPOKEN_TURN.slice(0, 7)))).toEqual(['user: What is  [open]'])
    expect(lines(take(SPOKEN_TURN.slice(0, 13)))[1]).toBe('assistant: It is  [open]')
    expect(take(SPOKEN_TURN.slice(0, 13)).responseId).toBe('resp_1')
  })

  it('keeps the order of the server when a late turn is put before others', () => {
    const conversation = take([
      session,
      { type: 'response.output_item.added', response_id: 'resp_1', item: model('a1') },
      at('conversation.item.input_audio_transcription.delta', 'u2', { delta: 'And then' }),
      { type: 'conversation.item.added', item: user('u1', { content: [{ type: 'input_text', text: 'Hi' }] }) },
      { type: 'conversation.item.added', item: model('a1'), previous_item_id: 'u1' },
      { type: 'conversation.item.added', item: user('u2'), previous_item_id: 'a1' },
    ])
    expect(conversation.entries.map(({ id }) => id)).toEqual(['u1', 'a1', 'u2'])
  })

  it('ignores unknown events, and events of things that it does not know', () => {
    const known = take(SPOKEN_TURN)
    for (const event of [
      { type: 'response.something.new', item_id: 'a1', delta: 'x' },
      { type: 'rate_limits.updated', rate_limits: [] },
      { type: 'conversation.item.truncated', item_id: 'nobody' },
      { type: 'response.function_call_arguments.delta', item_id: 'nobody', delta: '{' },
      { type: 'response.output_audio_transcript.delta', item_id: 7, delta: 'x' },
      { type: 'constructor' },
    ])
      expect(lines(take([event], known))).toEqual(lines(known))
    expect(readServerEvent('nothing')).toBeUndefined()
    expect(readServerEvent('[1]')).toBeUndefined()
    expect(readServerEvent('{"type":5}')).toBeUndefined()
  })

  it('takes events with wrong fields', () => {
    for (const { type } of SPOKEN_TURN)
      for (const value of [null, 7, 'x', [], {}, [[]], true]) {
        const fields = ['session', 'item', 'item_id', 'response', 'delta', 'error', 'content_index', 'transcript']
        expect(() => take([{ type, ...Object.fromEntries(fields.map((field) => [field, value])) }])).not.toThrow()
      }
  })

  it('marks answers that are interrupted, fail or end early', () => {
    const open = take(SPOKEN_TURN.slice(0, 15))
    const done = (status: string, details: object) => ({
      type: 'response.done',
      response: { id: 'resp_1', status, status_details: details, output: [model('a1')] },
    })
    const cut = take([done('cancelled', { reason: 'turn_detected' })], open)
    expect(lines(cut)[1]).toBe('assistant: It is noon. [cut]')
    const failed = take([done('failed', { error: { code: 'tts_error', message: 'no voice' } })], open)
    expect(lines(failed)[1]).toBe('assistant: It is noon. [failed]')
    expect(failed.fault).toEqual({ code: 'tts_error', message: 'no voice' })
    const early = take([done('incomplete', { reason: 'max_output_tokens' })], open)
    expect(early.entries[1]).toMatchObject({ state: 'cut', fault: 'max_output_tokens' })
    const truncated = take([{ type: 'conversation.item.truncated', item_id: 'a1', audio_end_ms: 5 }], take(SPOKEN_TURN))
    expect(lines(truncated)[1]).toBe('assistant: It is noon. [cut]')
    expect(take([{ type: 'conversation.item.deleted', item_id: 'a1' }], truncated).entries).toHaveLength(1)
  })

  it('says why words are missing', () => {
    const failed = take([
      ...SPOKEN_TURN.slice(0, 6),
      at('conversation.item.input_audio_transcription.failed', 'u1', { error: { message: 'too noisy' } }),
    ])
    expect(failed.entries[0]).toMatchObject({ state: 'failed', fault: 'too noisy' })
    // a session that writes nothing down has no words to wait for
    const mute = take([{ type: 'session.created', session: {} }, ...SPOKEN_TURN.slice(1, 6)])
    expect(lines(mute)).toEqual(['user:  [done]'])
  })

  it('shows calls of functions and of tools', () => {
    const call = {
      id: 'f1',
      type: 'function_call',
      status: 'in_progress',
      name: 'look_up',
      call_id: 'c',
      arguments: '',
    }
    const tool = { id: 'm1', type: 'mcp_call', server_label: 'files', name: 'read', arguments: '' }
    const conversation = take([
      session,
      {
        type: 'response.output_item.added',
        item: { id: 'l1', type: 'mcp_list_tools', server_label: 'files', tools: [{ name: 'read' }] },
      },
      { type: 'response.output_item.added', item: call },
      at('response.function_call_arguments.delta', 'f1', { delta: '{"q":' }),
      at('response.function_call_arguments.done', 'f1', { arguments: '{"q":1}' }),
      { type: 'response.output_item.done', item: { ...call, status: 'completed', arguments: '{"q":1}' } },
      { type: 'response.output_item.added', item: tool },
      at('response.mcp_call_arguments.done', 'm1', { arguments: '{}' }),
      { type: 'response.output_item.done', item: { ...tool, arguments: '{}', output: 'text' } },
      { type: 'response.output_item.added', item: { ...tool, id: 'm2', error: { message: 'gone' } } },
      {
        type: 'conversation.item.added',
        item: { id: 'q1', type: 'mcp_approval_request', name: 'write', server_label: 'files' },
      },
      { type: 'conversation.item.added', item: { id: 'o1', type: 'function_call_output', output: '1' } },
    ])
    expect(lines(conversation)).toEqual([
      'tools: read',
      'tool: look_up {"q":1}',
      'tool: read {}',
      'tool: read ',
      'consent: write ',
    ])
    expect(conversation.entries.slice(1, 4)).toMatchObject([
      { state: 'asked' },
      { state: 'done', result: 'text', server: 'files' },
      { state: 'failed', result: 'gone' },
    ])
  })

  it('notes people and sounds where the pipeline knows them', () => {
    const conversation = take([
      ...SPOKEN_TURN.slice(0, 6),
      { type: 'conversation.item.speaker', item_id: 'u1', speaker: 'Ann' },
      { type: 'conversation.item.sound_detection', item_id: 'u1', detections: [{ label: 'Dog', score: 0.9 }] },
    ])
    expect(conversation.entries[0]).toMatchObject({ speaker: 'Ann', sounds: ['Dog'] })
  })

  it('takes the voice over WebRTC from its own events', () => {
    const playing = take([...SPOKEN_TURN.slice(0, 13), { type: 'output_audio_buffer.started', response_id: 'resp_1' }])
    expect(playing.isPlaying).toBe(true)
    expect(playing.times).toMatchObject({ firstSoundAt: 1300 })
    expect(take([{ type: 'output_audio_buffer.cleared' }], playing).isPlaying).toBe(false)
  })

  it('forgets a failure with the next response, and the oldest entries beyond a bound', () => {
    const failed = take([{ type: 'error', error: { type: 'invalid_request_error', message: 'No.' } }])
    expect(failed.fault).toEqual({ code: 'invalid_request_error', message: 'No.' })
    expect(take([{ type: 'response.created', response: { id: 'r' } }], failed).fault).toBeUndefined()
    const many = take(
      Array.from({ length: MAX_ENTRIES + 5 }, (_, index) => ({
        type: 'conversation.item.added',
        item: user(`u${index}`),
      })),
    )
    expect(many.entries).toHaveLength(MAX_ENTRIES)
    expect(many.entries.at(-1)?.id).toBe(`u${MAX_ENTRIES + 4}`)
  })
})
