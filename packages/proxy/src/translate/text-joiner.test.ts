import { describe, expect, it } from 'vitest'
import { cutAt, joinChunks, messagesStream } from '../../test/streams.ts'
import { createTranslator } from './translator.ts'

const translator = createTranslator({ provider: 'provider_b', mode: 'full', model: 'm' })

type Block = { readonly type: string; readonly [field: string]: unknown }

/** The text of a whole reply and of a stream of the same blocks. */
async function joinBoth(content: readonly Block[]) {
  const body = { id: 'x', content, stop_reason: 'end_turn' }
  const whole = translator.reply(new TextEncoder().encode(JSON.stringify(body))).choices[0]?.message.content
  const events = content.flatMap((block, index) => {
    const { text = '', cited, ...rest } = block
    const delta = (piece: object) => ({ type: 'content_block_delta', index, delta: piece })
    return [
      { type: 'content_block_start', index, content_block: { ...rest, text: '' } },
      ...(cited === true ? [delta({ type: 'citations_delta', citation: {} })] : []),
      // A piece for each character.
      ...[...String(text)].map((piece) => delta({ type: 'text_delta', text: piece })),
      { type: 'content_block_stop', index },
    ]
  })
  const stream = messagesStream({ type: 'message_start' }, ...events, { type: 'message_stop' })
  const { text } = await joinChunks(translator.events(cutAt(stream)))
  return { whole, streamed: text }
}

describe('the text blocks of a reply', () => {
  const text = (given: string, more = {}): Block => ({ type: 'text', text: given, ...more })
  const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search' }

  it.each<[string, Block[], string]>([
    ['two texts', [text('one'), text('two')], 'one\n\ntwo'],
    ['texts around something else', [text('one'), search, text('two')], 'one\n\ntwo'],
    ['an empty text between', [text('one'), text(''), text('two')], 'one\n\ntwo'],
    ['an empty text first', [text(''), text('two')], 'two'],
    ['a line end before the next', [text('one\n'), text('two')], 'one\ntwo'],
    ['a blank at the start of the next', [text('one'), text(' two')], 'one two'],
    ['a text that is cut at its citations', [text('In '), text('1999', { citations: [] }), text(' it')], 'In 1999 it'],
    ['a cited text before plain text', [text('1999', { citations: [] }), text(', it')], '1999, it'],
  ])('are joined: %s', async (_, blocks, expected) => {
    expect(await joinBoth(blocks)).toEqual({ whole: expected, streamed: expected })
  })

  it('are one text where a citation comes inside a stream', async () => {
    expect((await joinBoth([text('1999', { cited: true }), text(', it')])).streamed).toBe('1999, it')
  })
})

describe('the thoughts of a reply', () => {
  const blocks: Block[] = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'enc' },
    { type: 'thinking', thinking: '', signature: 'sig-2' },
    { type: 'text', text: 'hi' },
  ]
  const marks = [
    { type: 'thinking', thinking: '', signature: 'sig' },
    { type: 'redacted_thinking', data: 'enc' },
    { type: 'thinking', thinking: '', signature: 'sig-2' },
  ]

  it('keep their signatures, each behind its text', async () => {
    const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece })
    const events = [
      { type: 'message_start' },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 'si' }),
      delta(0, { type: 'signature_delta', signature: 'g' }),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: blocks[1] },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: blocks[2] },
      { type: 'content_block_stop', index: 2 },
      { type: 'message_stop' },
    ]
    const deltas: unknown[] = []
    for await (const chunk of translator.events(cutAt(messagesStream(...events)))) deltas.push(chunk.choices[0]?.delta)
    expect(deltas.slice(1, -1)).toEqual([{ reasoning: 'hm' }, ...marks.map((mark) => ({ thinking_blocks: [mark] }))])
    expect(JSON.stringify(deltas)).not.toContain('tool_calls')
  })

  it('are whole in a whole reply', () => {
    const body = { id: 'x', content: blocks, stop_reason: 'end_turn' }
    const { message } = translator.reply(new TextEncoder().encode(JSON.stringify(body))).choices[0] ?? {}
    expect(message).toMatchObject({ reasoning: 'hm', thinking_blocks: blocks.slice(0, 3) })
  })
})
