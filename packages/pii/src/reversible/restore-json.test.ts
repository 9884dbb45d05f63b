import { expect, it } from 'vitest'
import { restoreJsonBody } from './restore-json.ts'
import { createTokenMap } from './token-map.ts'

const map = createTokenMap({ prefix: '<PII:', suffix: '>', texts: [] })
map.mask({ group: 'NAME' }, 'Jo "J" Doe')

const restore = (text: string) => new TextDecoder().decode(restoreJsonBody(map, new TextEncoder().encode(text)))

it('texts of a reply are restored as values, arguments as JSON text, and nothing else changes', () => {
  const source =
    '{ "choices":[{"message":{"content":"hi \\u003cPII:NAME_001\\u003e","tool_calls":[{"function":' +
    '{"arguments":"{\\"n\\":\\"<PII:NAME_001>\\",\\"m\\":1}"}}]},"logprobs":{"content":[{"token":"<PII:NAME_001>"}]}}], "x":1.0 }'
  const expected =
    '{ "choices":[{"message":{"content":"hi Jo \\"J\\" Doe","tool_calls":[{"function":' +
    '{"arguments":"{\\"n\\":\\"Jo \\\\\\"J\\\\\\" Doe\\",\\"m\\":1}"}}]},"logprobs":{"content":[{"token":"<PII:NAME_001>"}]}}], "x":1.0 }'
  expect(restore(source)).toBe(expected)
})

it('keys of the input of a call are restored', () => {
  expect(restore('{"content":[{"type":"tool_use","input":{"<PII:NAME_001>":1}}]}')).toBe(
    '{"content":[{"type":"tool_use","input":{"Jo \\"J\\" Doe":1}}]}',
  )
})

it.each(['\n!', '/P', '"q', '\\', 'z🔑', '🔑'])('tokens that begin with %j are found as JSON writes them', (prefix) => {
  const own = createTokenMap({ prefix, suffix: '>', texts: [] })
  const token = own.mask({ group: 'NAME' }, 'Jo')
  const reply = (name: string) => JSON.stringify({ content: name, function: { arguments: JSON.stringify({ name }) } })
  const restored = restoreJsonBody(own, new TextEncoder().encode(reply(token)))
  expect(new TextDecoder().decode(restored)).toBe(reply('Jo'))
})

it.each(['', 'gone <PII:NAME_001>', '{"a":"b"}', '{"a":"\\u0041"}'])('%j comes back as the same bytes', (text) => {
  const bytes = new TextEncoder().encode(text)
  expect(restoreJsonBody(map, bytes)).toBe(bytes)
})
