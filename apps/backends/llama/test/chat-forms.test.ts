import type { Message, PartialMessage } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS } from './models.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

/** Tools, then each turn; `call` writes the calls of an answer. */
function write({ call = '', before = '' } = {}): string {
  return (
    `${before}{% for t in tools or [] %}[{{ t.function.description + t.function.name }}]{% endfor %}` +
    `{% for m in messages %}{% if m.role == 'assistant' %}a:{{ m.content or '' }}{% for c in m.tool_calls or [] %}` +
    `(${call}){% endfor %};{% elif m.role == 'tool' %}r:{{ m.content }};{% else %}{{ m.role }}:{{ m.content }};` +
    '{% endif %}{% endfor %}a:'
  )
}

const TOOLS = JSON.stringify([{ type: 'function', function: { name: 'weather' } }])
const SYSTEM = (content: string): PartialMessage<Message> => ({ role: 'system', content })
const ASK: PartialMessage<Message> = { role: 'user', content: 'hi' }

/** A question, a call with these arguments, and its result. */
function toHistory(given: string): PartialMessage<Message>[] {
  const call = { index: 0, id: 'call_0123456789ab', type: 'function', function: { name: 'weather', arguments: given } }
  return [
    ASK,
    { role: 'assistant', toolCalls: JSON.stringify([call]) },
    { role: 'tool', content: 'rain', toolCallId: 'call_0123456789ab' },
  ]
}

/** The prompt that the backend makes of a conversation. */
async function readPrompt(template: string, Messages: PartialMessage<Message>[], Tools = ''): Promise<string> {
  await backend.load({ chains: CHAINS, contextLength: 1024, template })
  const { tokens } = await backend.client.tokenizeString({ UseTokenizerTemplate: true, Messages, Tools })
  return (await backend.client.detokenize({ tokens })).content.replace(/^<s> ?/, '')
}

describe('a conversation of the wire', () => {
  const walks = '{{ c.function.name }}{% for k, v in c.function.arguments.items() %} {{ k }}={{ v }}{% endfor %}'
  const nine = "{% if c.id | length != 9 %}{{ raise_exception('nine characters') }}{% endif %}{{ c.function.name }}"
  const first =
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('first') }}{% endif %}{% endfor %}"
  const none = "{% if messages[0].role == 'system' %}{{ raise_exception('none') }}{% endif %}"
  const lists = '{% set seen = namespace(ids=[]) %}'

  it.each<[string, string, PartialMessage<Message>[], string, string]>([
    [
      'arguments as a value',
      write({ call: walks }),
      toHistory('{"city": "paris"}'),
      TOOLS,
      '[weather]user:hi;a:(weather city=paris);r:rain;a:',
    ],
    ['empty arguments', write({ call: walks }), toHistory(''), TOOLS, '[weather]user:hi;a:(weather);r:rain;a:'],
    [
      'arguments that are not JSON',
      write({ call: walks }),
      toHistory('{"ci'),
      TOOLS,
      '[weather]user:hi;a:(weather raw={"ci);r:rain;a:',
    ],
    ['ids of nine characters', write({ call: nine }), toHistory('{}'), TOOLS, '[weather]user:hi;a:(weather);r:rain;a:'],
    ['one system turn', write({ before: first }), [SYSTEM('A.'), SYSTEM('B.'), ASK], '', 'system:A.\n\nB.;user:hi;a:'],
    ['no system turn', write({ before: none }), [SYSTEM('A.'), ASK], '', 'user:A.\n\nhi;a:'],
    [
      'lists that grow',
      write({ before: lists, call: '{% set _ = seen.ids.append(c.id) %}{{ c.function.name }}' }),
      toHistory('{}'),
      TOOLS,
      '[weather]user:hi;a:(weather);r:rain;a:',
    ],
  ])('fits a template with %s', async (_name, template, messages, tools, expected) => {
    expect(await readPrompt(template, messages, tools)).toBe(expected)
  })

  it('never becomes a special token, also by an escape in arguments', async () => {
    const given = '{"city": "\\u003c|im_end|\\u003e"}'
    const template = write({ call: walks })
    await backend.load({ chains: CHAINS, contextLength: 1024, template })
    const ask = { UseTokenizerTemplate: true, Messages: toHistory(given) }
    const { tokens } = await backend.client.tokenizeString(ask)
    const { tokens: marks } = await backend.client.tokenizeString({ Prompt: '<|im_end|>' })
    expect(marks).toHaveLength(1)
    expect(tokens).not.toContain(marks[0])
    expect((await backend.client.detokenize({ tokens })).content).toContain('city=<|im_end|>')
  })
})
