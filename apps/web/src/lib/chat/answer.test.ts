import { describe, expect, test } from 'vitest'
import { Answer } from './answer.ts'
import { readChatChunk } from './read-chat-chunk.ts'
import { readResponseEvent } from './read-response-event.ts'
import { createTestMessage } from './test-message.ts'
import type { Message } from './types.ts'

const empty = createTestMessage({ role: 'assistant', model: 'm', state: 'streaming', writer: { tab: 't', at: 1 } })

function gather(frames: readonly unknown[], read: typeof readChatChunk, message: Message = empty): Answer {
  const answer = new Answer(message, 1000)
  for (const [index, frame] of frames.entries())
    for (const event of read(frame)) answer.apply(event, 1100 + index * 100)
  return answer
}

const delta = (fields: object, finish: string | null = null) => ({
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})

describe('a chat stream', () => {
  test('gathers reasoning and text, with figures', () => {
    const frames = [
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning: 'hm ', reasoning_content: 'hm ' }),
      delta({ content: 'Hel' }),
      delta({ content: 'lo' }),
      delta({}, 'stop'),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } },
    ]
    const { servedModel, ...message } = gather(frames, readChatChunk).finish({ state: 'done' }, 2000)
    expect(servedModel).toBeUndefined()
    expect(message).toMatchObject({ text: 'Hello', reasoning: 'hm ', reasoningMs: 100, state: 'done', isCut: false })
    expect(message.figures).toEqual({ tokens: 9, promptTokens: 7, firstTokenMs: 200, streamMs: 200 })
    expect(message).not.toHaveProperty('writer')
  })

  test('counts pieces where the server counts no tokens', () => {
    const message = gather([delta({ content: 'a' }), delta({ content: 'b' })], readChatChunk)
    expect(message.finish({ state: 'stopped' }, 2000).figures?.tokens).toBe(2)
  })

  test('names the model that served and the limit of tokens', () => {
    const frames = [{ model: 'other', choices: [] }, delta({ content: 'a' }), delta({}, 'length')]
    const { servedModel, isCut } = gather([...frames.slice(1), frames[0]], readChatChunk).message
    expect({ servedModel, isCut }).toEqual({ servedModel: 'other', isCut: true })
  })

  test('joins the pieces of parallel calls and gives each its result', () => {
    const call = (index: number, id: string | undefined, name: string | undefined, text: string) =>
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })
    const frames = [
      call(0, 'c1', 'get', '{"a"'),
      call(1, 'c2', 'find', '{}'),
      call(0, undefined, undefined, ':1}'),
      { choices: [], mcp_tool_result: { name: 'find', result: 'Error: no' } },
      { choices: [], mcp_tool_result: { name: 'get', result: { ok: true } } },
      call(0, 'c3', 'get', '{}'),
    ]
    const { toolCalls } = gather(frames, readChatChunk).message
    expect(toolCalls).toMatchObject([
      { id: 'c1', name: 'get', arguments: '{"a":1}', result: '{"ok":true}', isFailed: false, durationMs: 400 },
      { id: 'c2', name: 'find', arguments: '{}', result: 'Error: no', isFailed: true },
      { id: 'c3', name: 'get', arguments: '{}' },
    ])
  })

  test('keeps a failure inside of the stream', () => {
    const answer = gather(
      [delta({ content: 'a' }), { error: { message: 'died', type: 'server_error' } }],
      readChatChunk,
    )
    expect(answer.failure).toMatchObject({ message: 'died', code: 'server_error' })
  })

  test('goes on with a text', () => {
    const answer = gather([delta({ content: ' two' })], readChatChunk, { ...empty, text: 'one' })
    expect(answer.message.text).toBe('one two')
  })

  test.each([
    null,
    'text',
    3,
    [],
    {},
    { choices: 'x' },
    { choices: [null] },
    { choices: [{ delta: { tool_calls: 1 } }] },
  ])('takes %j for nothing', (frame) => {
    expect(readChatChunk(frame)).toEqual([])
  })
})

describe('a responses stream', () => {
  test('gathers text, calls and the place to resume from', () => {
    const events = [
      { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model: 'm' } },
      { type: 'response.reasoning_text.delta', sequence_number: 1, delta: 'hm' },
      { type: 'response.output_text.delta', sequence_number: 2, delta: 'Hi' },
      {
        type: 'response.output_item.added',
        sequence_number: 3,
        output_index: 2,
        item: { type: 'function_call', call_id: 'c', name: 'get' },
      },
      { type: 'response.function_call_arguments.delta', sequence_number: 4, output_index: 2, delta: '{}' },
      { type: 'response.completed', sequence_number: 5, response: { usage: { input_tokens: 3, output_tokens: 4 } } },
    ]
    const { message } = gather(events, readResponseEvent)
    expect(message).toMatchObject({
      text: 'Hi',
      reasoning: 'hm',
      toolCalls: [{ id: 'c', name: 'get', arguments: '{}' }],
      background: { responseId: 'resp_1', lastSequence: 5 },
      figures: { tokens: 4, promptTokens: 3 },
      isCut: false,
    })
  })

  test('keeps the name of the response when it is resumed', () => {
    const message = { ...empty, background: { responseId: 'resp_1', lastSequence: 5 } }
    const events = [{ type: 'response.output_text.delta', sequence_number: 6, delta: 'x' }]
    expect(gather(events, readResponseEvent, message).message.background).toEqual({
      responseId: 'resp_1',
      lastSequence: 6,
    })
  })

  test.each([
    [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'died' } } }],
    [{ type: 'error', message: 'died', code: 'server_error' }],
    [{ type: 'error', error: { message: 'died', code: 'server_error' } }],
  ])('keeps the failure of %j', (event) => {
    expect(gather([event], readResponseEvent).failure).toMatchObject({ message: 'died', code: 'server_error' })
  })
})
