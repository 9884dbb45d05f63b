import { describe, expect, it } from 'vitest'
import type { ToolCallSettings } from '../settings.ts'
import { parseToolCalls } from './parse-tool-calls.ts'
import type { ToolCallOptions } from './tool-call.ts'
import { createToolCallStream } from './tool-call-stream.ts'

const tools = [{ name: 'ask' }, { name: 'say' }]
const good = '{"name":"ask","arguments":{"x":1}}'
const ask = { name: 'ask', arguments: '{"x":1}' }
const say = { name: 'say', arguments: '{"y":2}' }

const hermes = `<tool_call>${good}</tool_call>`
const qwen = '<tool_call><function=ask><parameter=x>1</parameter></function></tool_call>'
const glm = '<tool_call>ask<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>'
const invoke = '<invoke name="ask"><parameter name="x">1</parameter></invoke>'
const minimax = `<minimax:tool_call>${invoke}</minimax:tool_call>`
const kimi = '<|tool_call_begin|>functions.ask:0<|tool_call_argument_begin|>{"x":1}<|tool_call_end|>'

/** A good call, and a broken one of the same form. */
const PAIRS: readonly (readonly [form: string, good: string, broken: string])[] = [
  ['hermes, a brace is missing', hermes, '<tool_call>{"name":"say","arguments":{"y":2}</tool_call>'],
  ['hermes, a quote is missing', hermes, '<tool_call>\n{"name":"say","arguments":{"y":"two}}\n</tool_call>'],
  ['hermes, a quote too many', hermes, '<tool_call>{"name":"say","arguments":{"y":"a "b" c"}}</tool_call>'],
  ['hermes, words of Python', hermes, '<tool_call>{"name":"say","arguments":{"y":None}}</tool_call>'],
  ['hermes, no arguments', hermes, '<tool_call>{"name":"say"}</tool_call>'],
  ['hermes, no name', hermes, '<tool_call>{"arguments":{"y":2}}</tool_call>'],
  ['hermes, arguments in broken text', hermes, '<tool_call>{"name":"say","arguments":"{\\"y\\":"}</tool_call>'],
  ['hermes, arguments in words', hermes, '<tool_call>{"name":"say","arguments":"two of them"}</tool_call>'],
  ['hermes, a list of arguments', hermes, '<tool_call>{"name":"say","arguments":[2]}</tool_call>'],
  ['hermes, a number', hermes, '<tool_call>{"name":"say","arguments":2}</tool_call>'],
  ['functionary', '<function=ask>{"x":1}</function>', '<function=say>{"y":</function>'],
  ['functionary, a quote is missing', '<function=ask>{"x":1}</function>', '<function=say>{"y":"two}</function>'],
  ['qwen, a value without its end', qwen, '<tool_call><function=say><parameter=y>2</function></tool_call>'],
  ['qwen, a value without any end', qwen, '<tool_call><function=say><parameter=y>2</tool_call>'],
  ['qwen, a call without its end', qwen, '<tool_call><function=say><parameter=y>2</parameter></tool_call>'],
  ['glm, a value without its end', glm, '<tool_call>say<arg_key>y</arg_key><arg_value>2</tool_call>'],
  ['glm, a key without its value', glm, '<tool_call>say<arg_key>y</arg_key></tool_call>'],
  [
    'minimax, a value without its end',
    minimax,
    '<minimax:tool_call><invoke name="say"><parameter name="y">2</invoke></minimax:tool_call>',
  ],
  ['kimi', kimi, '<|tool_call_begin|>functions.say:0<|tool_call_argument_begin|>{"y":<|tool_call_end|>'],
  ['bare JSON, a brace is missing', good, '{"name":"say","arguments":{"y":2}'],
  ['bare JSON, a quote is missing', good, '{"name":"say","arguments":{"y":"two}}'],
  ['bare JSON, arguments in words', good, '{"name":"say","arguments":"two of them"}'],
  ['mistral', `[TOOL_CALLS][${good}]`, '[TOOL_CALLS][{"name":"say","arguments":{"y":}}]'],
]

function parse(reply: string, options: Partial<ToolCallOptions> = {}): ReturnType<typeof parseToolCalls> {
  return parseToolCalls(reply, { settings: {}, tools, ...options })
}

/** Parses a reply that comes one unit at a time. */
function stream(reply: string): ReturnType<typeof parseToolCalls> {
  const calls = createToolCallStream({ settings: {}, tools })
  const events = [...reply.split('').flatMap((piece) => calls.push(piece)), ...calls.end()]
  const found = events.flatMap((event, at) => {
    const body = events[at + 1]
    return event.type === 'call-start' && body?.type === 'call-arguments'
      ? [{ name: event.name, arguments: body.text }]
      : []
  })
  return { calls: found, content: events.map((event) => (event.type === 'text' ? event.text : '')).join('') }
}

describe('a broken call beside a good one is text', () => {
  it.each(PAIRS)('%s', (_, whole, broken) => {
    for (const reply of [`${whole}\n${broken}`, `${broken}\n${whole}`]) {
      const { calls, content } = parse(reply)
      expect(calls, reply).toEqual([ask])
      expect(content, reply).toContain(broken.replace(/<\/?(tool_call|minimax:tool_call)>/g, '').trim())
      expect(stream(reply)).toEqual({ calls, content })
    }
  })

  it.each(PAIRS)('%s, between two good ones', (_, whole, broken) => {
    const reply = `${whole}\n${broken}\n${whole}`
    expect(parse(reply).calls).toEqual([ask, ask])
    expect(stream(reply)).toEqual(parse(reply))
  })

  it('keeps the place of the text', () => {
    const broken = '<tool_call>{"name":"say","arguments":"two"}</tool_call>'
    expect(parse(`A ${broken} B ${hermes} C`)).toEqual({
      calls: [ask],
      content: `A ${broken} B C`,
    })
  })
})

describe('lists of calls', () => {
  const broken = '{"name":"say","arguments":{"y": oops}}'
  it.each([
    [`[TOOL_CALLS][${good}, ${broken}]`, `${broken}]`],
    [`[TOOL_CALLS][${broken}, ${good}]`, `[TOOL_CALLS][${broken}, ]`],
    [`[TOOL_CALLS][${good}, {"name":"say"}]`, '{"name":"say"}'],
    [`[TOOL_CALLS][{"name":"say"}, ${good}]`, '{"name":"say"}'],
    [`[TOOL_CALLS][${good}, {"name":"say","argu`, '{"name":"say","argu'],
    [`<tool_calls>[${good}, {"name":"say","arguments":2}]</tool_calls>`, '{"name":"say","arguments":2}'],
    [`<tool_calls>[${good}, 5]</tool_calls>`, '5]'],
    [`[${good}, ${broken}]`, `[, ${broken}]`],
    [`[${good}, {"name":"say"}]`, '{"name":"say"}'],
    [`[{"name":"say","arguments":"two"}, ${good}]`, '{"name":"say","arguments":"two"}'],
  ])('%s', (reply, content) => {
    expect(parse(reply)).toEqual({ calls: [ask], content })
    expect(stream(reply)).toEqual(parse(reply))
  })

  it.each([`[${good}`, `[{"x":1}, {"y":2}]`, `[TOOL_CALLS][{"x":1}]`, `[TOOL_CALLS][5, ${broken}]`])(
    '%s holds no call',
    (reply) => {
      expect(parse(reply)).toEqual({ calls: [], content: reply })
    },
  )

  it('sends each call of a marked list when it is complete', () => {
    const calls = createToolCallStream({ settings: {}, tools })
    expect(calls.push(`[TOOL_CALLS][${good}`).filter(({ type }) => type === 'call-start')).toHaveLength(1)
  })
})

describe('a call with unusable arguments', () => {
  it.each(['"two of them"', '"{\\"x\\":"', '[1]', '7', 'true'])('alone stays a call: %s', (value) => {
    expect(parse(`Well. {"name":"ask","arguments":${value}} Done.`).calls).toHaveLength(1)
    expect(parse(`<tool_call>{"name":"ask","arguments":${value}}</tool_call>`).calls).toHaveLength(1)
  })

  it('without arguments is a call like others', () => {
    const pair = `<tool_call>{"name":"ask","arguments":null}</tool_call>${hermes}`
    expect(parse(pair).calls).toEqual([{ name: 'ask', arguments: 'null' }, ask])
  })

  it('is text beside a good one in patterns of the model file too', () => {
    const settings: ToolCallSettings = { responseRegex: ['<f=(?P<name>\\w+)>(?P<arguments>.*?)</f>'] }
    const broken = '<f=say>{"y":</f>'
    expect(parse(`<f=ask>{"x":1}</f>${broken}`, { settings })).toEqual({ calls: [ask], content: broken })
    expect(parse(`${broken}<f=ask>{"x":1}</f>`, { settings })).toEqual({ calls: [ask], content: broken })
    const json: ToolCallSettings = { jsonRegexMatch: ['<c>(.*?)</c>'] }
    const words = '{"name":"say","arguments":"two"}'
    expect(parse(`<c>${good}${words}</c>`, { settings: json })).toEqual({ calls: [ask], content: words })
  })
})

describe('values that only look like other calls', () => {
  it.each([
    ['an end tag', '<function=ask><parameter=x>a </parameter> b</parameter></function>', 'a </parameter> b'],
    ['an end of a call', '<function=ask><parameter=x>a </function> b</parameter></function>', 'a </function> b'],
    [
      'a whole call of another form',
      `<function=ask><parameter=x>see <tool_call>{}</tool_call></parameter></function>`,
      'see <tool_call>{}</tool_call>',
    ],
    [
      'the start of a call',
      '<function=ask><parameter=x>write <function=name></parameter></function>',
      'write <function=name>',
    ],
  ])('%s', (_, reply, value) => {
    expect(parse(reply)).toEqual({ calls: [{ name: 'ask', arguments: JSON.stringify({ x: value }) }], content: '' })
  })

  it('finds the good call inside a broken one only behind its markers', () => {
    const reply = `{"name":"say","arguments":{"y": ${good}`
    expect(parse(reply)).toEqual({ calls: [], content: reply })
  })
})

it('reads on from the next call after the longest value', () => {
  const reply = `<function=say><parameter=y>${'z'.repeat(200_000)}<function=say>{"y":2}</function>`
  expect(parse(reply).calls).toEqual([say])
})
