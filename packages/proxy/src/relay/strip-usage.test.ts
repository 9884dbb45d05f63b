import { expect, it } from 'vitest'
import { stripUsage } from './strip-usage.ts'

const figures = '{"prompt_tokens":3,"completion_tokens":{"a":[1]}}'
const choice = '"choices":[{"delta":{"content":"gr\u00c3\u00bc\u00c3\u009f \\"usage\\":null"}}]'

it.each([
  ['events without figures', `data: {${choice}}\n\ndata: [DONE]\n\n`, `data: {${choice}}\n\ndata: [DONE]\n\n`],
  ['the event of the figures', `data: {"choices":[],"usage":${figures}}\n\ndata: [DONE]\n\n`, 'data: [DONE]\n\n'],
  ['an event of figures without choices', `data: {"id":"x","usage":${figures}}\r\n\r\n: c\r\n\r\n`, ': c\r\n\r\n'],
  ['nothing at the end', `data: {${choice},"usage":null}\n\n`, `data: {${choice}}\n\n`],
  ['nothing at the start', `data: {"usage":null,${choice}}\n\n`, `data: {${choice}}\n\n`],
  ['nothing in the middle', `data: {"id":"x", "usage" : null ,${choice}}\n\n`, `data: {"id":"x" ,${choice}}\n\n`],
  ['figures beside text', `data: {"id":"x","usage":${figures},${choice}}\n\n`, `data: {"id":"x",${choice}}\n\n`],
  ['figures twice', `data: {"usage":${figures},${choice},"usage":${figures}}\n\n`, `data: {${choice}}\n\n`],
  ['a named event', `event: x\ndata: {${choice},"usage":${figures}}\n\n`, `event: x\ndata: {${choice}}\n\n`],
  [
    'figures in a field of a vendor',
    `data: {${choice},"x":{"usage":${figures}}}\n\n`,
    `data: {${choice},"x":{"usage":${figures}}}\n\n`,
  ],
  ['text in their place', 'data: {"choices":[{"usage":"$&"}],"usage":1}\n\n', 'data: {"choices":[{"usage":"$&"}]}\n\n'],
  ['broken data', 'data: {"usage":\n\n', 'data: {"usage":\n\n'],
  ['an unfinished event', `data: {"choices":[],"usage":${figures}}`, ''],
])('takes the figures out: %s', (_, events, expected) => {
  expect(stripUsage(events)).toBe(expected)
})
