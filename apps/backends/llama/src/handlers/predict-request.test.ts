import { PredictOptions } from '@svc/backend-client/proto'
import { parseJsonKeepingNumbers } from '@svc/templates'
import { describe, expect, it } from 'vitest'
import { toPromptSource } from './predict-request.ts'

type Fields = Parameters<typeof PredictOptions.fromPartial>[0]

function source(fields: Fields): ReturnType<typeof toPromptSource> {
  return toPromptSource(PredictOptions.fromPartial(fields))
}

function chat(fields: Fields): unknown {
  return source({ UseTokenizerTemplate: true, Messages: [{ role: 'user', content: 'hi' }], ...fields })
}

describe('a prompt', () => {
  it('is the text of the request', () => {
    expect(source({ Prompt: 'hi' })).toEqual({ kind: 'text', text: 'hi' })
    expect(source({ Prompt: 'hi', Messages: [{ role: 'user' }] })).toEqual({ kind: 'text', text: 'hi' })
    expect(source({ Prompt: 'hi', UseTokenizerTemplate: true })).toEqual({ kind: 'text', text: 'hi' })
  })

  it('keeps numbers and keys of calls and tools as they were written', () => {
    const toolCalls = '[{"function": {"name": "f", "arguments": {"2": 1.0, "1": 1}}}]'
    const asked = chat({ Messages: [{ role: 'assistant', toolCalls }], Tools: toolCalls })
    const written = parseJsonKeepingNumbers(toolCalls)
    expect(asked).toMatchObject({ input: { messages: [{ tool_calls: written }], tools: written } })
  })

  it('is the conversation where the template of the model is asked for', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const Messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', reasoningContent: 'hm', toolCalls: JSON.stringify(calls) },
      { role: 'tool', content: '3', name: 'f', toolCallId: 'c1' },
    ]
    expect(chat({ Messages, Prompt: 'ignored' })).toMatchObject({
      kind: 'chat',
      input: {
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: '',
            reasoning_content: 'hm',
            tool_calls: parseJsonKeepingNumbers(JSON.stringify(calls)),
          },
          { role: 'tool', content: '3', name: 'f', tool_call_id: 'c1' },
        ],
        tools: null,
        variables: {},
      },
    })
  })

  it.each<[string, Fields, unknown]>([
    ['declared', { Tools: '[{"type":"function"}]' }, [new Map([['type', 'function']])]],
    ['switched off', { Tools: '[{"type":"function"}]', ToolChoice: '"none"' }, null],
    ['switched off without quotes', { Tools: '[{"type":"function"}]', ToolChoice: 'none' }, null],
    ['an empty list', { Tools: '[]' }, null],
    ['null', { Tools: 'null' }, null],
  ])('has tools: %s', (_, fields, tools) => {
    expect(chat(fields)).toMatchObject({ input: { tools } })
  })

  it('has the variables of its metadata, those of the client last', () => {
    const Metadata = {
      enable_thinking: 'false',
      reasoning_effort: 'low',
      chat_template_kwargs: '{"enable_thinking":true,"x":[1]}',
      other: 'y',
    }
    expect(chat({ Metadata })).toMatchObject({
      input: { variables: { enable_thinking: true, reasoning_effort: 'low', x: [1] } },
    })
    expect(chat({ Metadata: { enable_thinking: 'false' } })).toMatchObject({
      input: { variables: { enable_thinking: false } },
    })
  })

  it.each<[string, Fields]>([
    ['Messages[0].role', { Messages: [{ role: '' }] }],
    ['Messages[0].role', { Messages: [{ role: 'a<b' }] }],
    ['Messages[0].tool_calls', { Messages: [{ role: 'assistant', toolCalls: '{}' }] }],
    ['Tools', { Tools: '{"a":1}' }],
    ['Metadata.chat_template_kwargs', { Metadata: { chat_template_kwargs: '[1]' } }],
    ['Metadata.chat_template_kwargs', { Metadata: { chat_template_kwargs: '{' } }],
  ])('is refused for a bad %s', (param, fields) => {
    expect(() => chat(fields)).toThrowError(expect.objectContaining({ details: { param } }))
  })
})
