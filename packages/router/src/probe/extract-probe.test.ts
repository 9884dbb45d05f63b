import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { extractProbe } from './extract-probe.ts'
import type { ProbeFormat } from './probe.ts'

const extract = (format: ProbeFormat, body: unknown) =>
  extractProbe(parseJson(new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))).root, format)

const parts = [
  { type: 'text', text: 'one' },
  { type: 'image_url', image_url: { url: 'data:,' } },
  { type: 'text', text: 'two' },
  { type: 'text', text: 7 },
  'loose',
]

it.each<[ProbeFormat, unknown, string[]]>([
  [
    'chat',
    {
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: parts },
      ],
    },
    ['be brief', 'one\ntwo'],
  ],
  ['chat', { messages: [{ role: 'assistant', content: null }, {}, 5, { role: 'tool', content: '42' }] }, ['42']],
  [
    'messages',
    { system: 'no', messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'no' }, parts[0]] }] },
    ['one'],
  ],
  ['ollama-chat', { messages: [{ role: 'user', content: 'hello', images: ['AAAA'] }] }, ['hello']],
  ['ollama-generate', { prompt: 'hello', system: 'no', suffix: 'no' }, ['hello']],
  ['completions', { prompt: 'once' }, ['once']],
  ['completions', { prompt: ['once', 'twice'] }, ['once', 'twice']],
  ['completions', { prompt: [1, 2, 3] }, []],
  ['edits', { input: 'teh', instruction: 'fix it' }, ['teh', 'fix it']],
  ['edits', { instruction: 'write' }, ['write']],
  ['responses', { instructions: 'be brief', input: 'hello' }, ['be brief', 'hello']],
  [
    'responses',
    {
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
        { type: 'function_call', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '42' },
        { type: 'item_reference', id: 'i' },
        { role: 'user', content: 'again' },
      ],
    },
    ['hello', 'hi', '42', 'again'],
  ],
])('finds the texts of %s: %j', (format, body, turns) => {
  expect(extract(format, body)).toEqual({ turns, text: turns.map((turn) => `${turn}\n`).join('') })
})

it.each<[ProbeFormat, unknown]>([
  ['chat', {}],
  ['chat', { messages: 'hello' }],
  ['messages', []],
  ['responses', { input: 5 }],
  ['completions', { prompt: null }],
  ['edits', { input: 'x' }],
  ['ollama-generate', 'null'],
])('finds no probe where the body has not the form of %s: %j', (format, body) => {
  expect(extract(format, body)).toBeUndefined()
})

it('takes the last of members with one name, as readers of JSON do', () => {
  expect(extract('completions', '{"prompt":"first","prompt":"last \\u00e4"}')?.text).toBe('last ä\n')
})
