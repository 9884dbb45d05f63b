import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../parse-body.ts'
import { responseEvent } from './events.ts'
import { responseRequest } from './request.ts'

/** The message for the client, or `ok`. */
function verdict(fields: object): string {
  try {
    parseBody(responseRequest, { model: 'm', input: 'hi', ...fields })
    return 'ok'
  } catch (error) {
    if (SvcError.is(error) && error.kind === 'invalid_request') return String(error.details?.param ?? '(body)')
    throw error
  }
}

describe('a responses request is accepted', () => {
  it.each([
    ['a text', {}],
    [
      'items of every type',
      {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be kind' }] },
          { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
          { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
          { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '1' }] },
          { type: 'item_reference', id: 'msg_2' },
          { type: null, id: 'msg_3' },
          { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' }] },
        ],
      },
    ],
    ['tools, of types it does not know too', { tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] }],
    ['tools among which to choose', { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: ['f'] } }],
    ['a form of the answer', { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } } }],
    ['fields that are null', { store: null, tools: null, text: null, temperature: null, metadata: null }],
    ['unknown fields', { vendor_key: 1 }],
  ])('%s', (_, fields) => {
    expect(verdict(fields)).toBe('ok')
  })
})

describe('a responses request is refused, naming the field', () => {
  it.each([
    ['input', { input: 5 }],
    ['input[0].role', { input: [{ role: 'judge', content: 'a' }] }],
    ['input[0].content', { input: [{ id: 'a', role: 'user', content: 5 }] }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    ['tools[0].server_label', { tools: [{ type: 'mcp', server_url: 'https://x.test' }] }],
    ['tools[0].vector_store_ids', { tools: [{ type: 'file_search' }] }],
    ['tools[0].vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: [] }] }],
    ['temperature', { temperature: -1 }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['background', { background: 'yes' }],
  ])('%s', (param, fields) => {
    expect(verdict(fields)).toBe(param)
  })
})

describe('an event of a response', () => {
  it('has its fields by type', () => {
    const delta = {
      type: 'response.output_text.delta',
      sequence_number: 4,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: 'a',
      logprobs: [],
    }
    expect(responseEvent.parse(delta)).toEqual(delta)
    expect(responseEvent.safeParse({ ...delta, sequence_number: -1 }).success).toBe(false)
    expect(responseEvent.safeParse({ ...delta, type: 'response.hologram' }).success).toBe(false)
  })
})
