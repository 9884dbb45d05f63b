import type { ChatCompletionRequest } from '@svc/wire/openai'
import { describe, expect, it } from 'vitest'
import { toTextOnly } from './text-only.ts'

const image = { type: 'image_url' as const, image_url: { url: 'https://a/b' } }
const text = (value: string) => ({ type: 'text' as const, text: value })
const textOnly = (messages: ChatCompletionRequest['messages'], fields = {}) => toTextOnly({ messages, ...fields })

describe('text alone', () => {
  it('is the text of the messages, for every role', () => {
    const { messages } = textOnly([
      { role: 'system', content: 'be brief' },
      { role: 'user', name: 'ada', content: [text('a'), image, text('b')] },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], reasoning: 'hm' },
      { role: 'user', content: 'why?' },
    ])
    expect(messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', name: 'ada', content: 'a\n\nb' },
      { role: 'assistant', content: 'no' },
      { role: 'user', content: 'why?' },
    ])
  })

  it("has no calls; the result of a tool becomes the user's text", () => {
    const { messages } = textOnly([
      { role: 'user', content: 'how warm?' },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f' } }] },
      { role: 'tool', tool_call_id: 'a', content: '20' },
      { role: 'function', name: 'g', content: '21' },
    ])
    expect(messages.slice(1)).toEqual([
      { role: 'user', content: '20' },
      { role: 'user', content: '21' },
    ])
  })

  it('leaves out every option that is not about text', () => {
    const kept = { model: 'm', max_tokens: 5, stop: 'x', stream: true, frequency_penalty: 1 }
    const dropped = {
      tools: [],
      tool_choice: 'auto',
      response_format: 'json_object',
      thinking: {},
      reasoning_effort: 'low',
    }
    const { messages, ...rest } = textOnly([{ role: 'user', content: 'a' }], { ...kept, ...dropped })
    expect(messages).toHaveLength(1)
    expect(JSON.parse(JSON.stringify(rest))).toEqual(kept)
  })
})

describe('a last turn of the user', () => {
  const refusal = (param: string) =>
    expect.objectContaining({ kind: 'invalid_request', code: 'text_only', details: { param } })

  it('with media only is refused', () => {
    expect(() => textOnly([{ role: 'user', content: [image] }])).toThrow(refusal('messages[0].content'))
    expect(() => textOnly([{ role: 'user', content: [text(' '), { type: 'hologram' }] }])).toThrow(
      refusal('messages[0].content'),
    )
  })

  it('is refused also when something else follows it', () => {
    const messages = [
      { role: 'user' as const, content: 'a' },
      { role: 'assistant' as const, content: 'b' },
      { role: 'user' as const, content: [image] },
      { role: 'assistant' as const, content: 'c' },
    ]
    expect(() => textOnly(messages)).toThrow(refusal('messages[2].content'))
  })

  it('may hold media in a turn that also holds text', () => {
    const asked = { role: 'user' as const, content: 'what is this?' }
    expect(textOnly([asked, { role: 'user', content: [image] }]).messages).toEqual([asked])
    expect(textOnly([{ role: 'user', content: [image] }, asked]).messages).toEqual([asked])
  })

  it('may be empty, and media of earlier turns are dropped in silence', () => {
    expect(textOnly([{ role: 'user', content: '' }]).messages).toEqual([])
    const earlier = [
      { role: 'user' as const, content: [image] },
      { role: 'assistant' as const, content: 'a cat' },
      { role: 'user' as const, content: 'sure?' },
    ]
    expect(textOnly(earlier).messages).toEqual(earlier.slice(1))
  })
})
