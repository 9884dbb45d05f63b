import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import type { ProbeFormat } from '../probe/probe.ts'
import { extractFacts } from './extract-facts.ts'

const extract = (format: ProbeFormat, body: unknown) =>
  extractFacts(parseJson(new TextEncoder().encode(JSON.stringify(body))).root, format)

const says = (content: unknown, role = 'user') => ({ messages: [{ role, content }] })

describe('facts of a body', () => {
  it.each<[ProbeFormat, unknown, ('hasImages' | 'hasAudio' | 'hasTools')[]]>([
    ['chat', says('hello'), []],
    ['chat', says([{ type: 'text', text: 'x' }]), []],
    ['chat', says([{ type: 'image_url', image_url: { url: 'data:,' } }]), ['hasImages']],
    ['chat', says([{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }]), ['hasAudio']],
    ['chat', { ...says('x'), tools: [{ type: 'function' }] }, ['hasTools']],
    ['chat', { ...says('x'), functions: [{ name: 'f' }] }, ['hasTools']],
    ['chat', { ...says('x'), tools: [] }, []],
    ['messages', says([{ type: 'image', source: {} }]), ['hasImages']],
    ['messages', says([{ type: 'tool_result', content: [{ type: 'image', source: {} }] }]), ['hasImages']],
    ['responses', { input: 'hello' }, []],
    ['responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }, ['hasImages']],
    ['responses', { input: [{ type: 'function_call_output', output: [{ type: 'input_image' }] }] }, ['hasImages']],
    ['responses', { input: 'x', tools: [{ type: 'web_search' }] }, ['hasTools']],
    ['ollama-chat', { messages: [{ role: 'user', content: 'x', images: ['AAAA'] }] }, ['hasImages']],
    ['ollama-generate', { prompt: 'x', images: ['AAAA'] }, ['hasImages']],
    ['ollama-generate', { prompt: 'x', images: [] }, []],
    ['completions', { prompt: 'image_url' }, []],
    ['edits', { instruction: 'x' }, []],
  ])('%s %j: %j', (format, body, expected) => {
    const facts = extract(format, body)
    const found = (['hasImages', 'hasAudio', 'hasTools'] as const).filter((key) => facts[key])
    expect(found).toEqual(expected)
  })

  it('the opening of a conversation stays the same in its later turns', () => {
    const first = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ]
    const later = [...first, { role: 'assistant', content: 'hi' }, { role: 'user', content: 'more' }]
    const opening = extract('chat', { messages: first }).opening
    expect(opening).toContain('hello')
    expect(extract('chat', { messages: later }).opening).toBe(opening)
    const other = [first[0], { role: 'user', content: 'bye' }]
    expect(extract('chat', { messages: other }).opening).not.toBe(opening)
  })

  it('a response has the id of its conversation, and no opening where earlier turns are elsewhere', () => {
    expect(extract('responses', { input: 'x', conversation: 'conv_1' }).conversation).toBe('conv_1')
    expect(extract('responses', { input: 'x', conversation: { id: 'conv_1' } }).conversation).toBe('conv_1')
    expect(extract('responses', { input: 'x', conversation: 'x'.repeat(257) }).conversation).toBeUndefined()
    expect(extract('responses', { input: 'x', previous_response_id: 'resp_1' }).opening).toBe('')
    expect(extract('chat', { ...says('x'), conversation: 'conv_1' }).conversation).toBeUndefined()
  })

  it.each(['chat', 'messages', 'responses', 'completions', 'edits', 'ollama-chat', 'ollama-generate'] as const)(
    '%s: bodies of a wrong form have no facts',
    (format) => {
      for (const body of [
        {},
        [],
        'x',
        1,
        null,
        { messages: 'x', input: 5, tools: 7, images: {} },
        { messages: [5, null] },
      ]) {
        expect(extract(format, body)).toMatchObject({ hasImages: false, hasAudio: false, hasTools: false })
      }
    },
  )

  it('a long opening is cut, and still told from others', () => {
    const long = 'a'.repeat(20_000)
    const one = extract('completions', { prompt: `${long}x` }).opening
    expect(one?.length).toBeLessThan(9_000)
    expect(extract('completions', { prompt: `${long}y` }).opening).not.toBe(one)
    expect(extract('completions', { prompt: `b${long}x` }).opening).not.toBe(one)
  })
})
