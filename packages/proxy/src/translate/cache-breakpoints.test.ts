import type { MessagesRequest } from '@svc/wire/messages'
import { describe, expect, it } from 'vitest'
import { addCacheBreakpoints } from './cache-breakpoints.ts'

const mark = { cache_control: { type: 'ephemeral' } }
const bare: MessagesRequest = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }
const tool = (name: string) => ({ name, input_schema: {} })
const marks = (fields: Partial<MessagesRequest>) =>
  JSON.stringify(addCacheBreakpoints({ ...bare, ...fields })).split('"cache_control"').length - 1

describe('cache breakpoints', () => {
  // verifies cloud-proxy:cache-prompt:at-most-three, cloud-proxy:cache-prompt:breakpoints
  it('are exactly three where system, tools and messages all exist', () => {
    const request = { ...bare, system: 's', tools: [tool('f'), tool('g')] }
    expect(addCacheBreakpoints(request)).toEqual({
      model: 'm',
      max_tokens: 1,
      system: [{ type: 'text', text: 's', ...mark }],
      tools: [tool('f'), { ...tool('g'), ...mark }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] }],
    })
  })

  it.each<[string, Partial<MessagesRequest>]>([
    ['on a block', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark }] }] }],
    ['on a tool', { tools: [{ ...tool('f'), ...mark }, tool('g')] }],
    ['on the system text', { system: [{ type: 'text', text: 'a', ...mark }] }],
    [
      'inside a result',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a', ...mark }] }],
          },
        ],
      },
    ],
  ])('stay where the client has set them: %s', (_, fields) => {
    expect(marks({ system: 's', ...fields })).toBe(1)
  })

  it('stand on the last block of the last message alone', () => {
    const image = { type: 'image' as const, source: { type: 'url' as const, url: 'https://a/b' } }
    const messages: MessagesRequest['messages'] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: [{ type: 'text', text: 'c' }, image] },
    ]
    expect(addCacheBreakpoints({ ...bare, messages }).messages).toEqual([
      messages[0],
      messages[1],
      {
        role: 'user',
        content: [
          { type: 'text', text: 'c' },
          { ...image, ...mark },
        ],
      },
    ])
  })

  it.each([
    [{}, 1],
    [{ system: '' }, 1],
    [{ system: [] }, 1],
    [{ system: [{ type: 'text' as const, text: '' }] }, 1],
    [
      {
        system: [
          { type: 'text' as const, text: 'a' },
          { type: 'text' as const, text: 'b' },
        ],
      },
      2,
    ],
    [{ tools: [] }, 1],
    [{ tools: [tool('f')] }, 2],
    [{ messages: [{ role: 'user' as const, content: '' }] }, 0],
    [{ messages: [{ role: 'user' as const, content: [] }] }, 0],
    [{ messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: '' }] }] }, 0],
    [{ messages: [{ role: 'assistant' as const, content: [{ type: 'thinking' as const, thinking: 'hm' }] }] }, 0],
  ])('skip missing and unmarkable parts: %j has %i', (fields, count) => {
    expect(marks(fields)).toBe(count)
  })

  it('leave the request that they were asked for as it was', () => {
    const request = { ...bare, system: 's' }
    const before = structuredClone(request)
    addCacheBreakpoints(request)
    expect(request).toEqual(before)
  })
})
