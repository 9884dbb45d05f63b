import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_CALL_LENGTH, MAX_CALLS, MAX_PATTERN_TEXT_LENGTH } from './limits.ts'
import { parseToolCalls } from './parse-tool-calls.ts'
import { type ParsedToolCall, type ToolCallEvent, type ToolCallOptions, toCalls } from './tool-call.ts'
import { createToolCallStream } from './tool-call-stream.ts'
import { NO_MARKERS } from './tool-format-markers.ts'

const plain: ToolCallOptions = { settings: {} }

function feed(pieces: readonly string[], options: ToolCallOptions = plain): ToolCallEvent[][] {
  const stream = createToolCallStream(options)
  return [...pieces.map((piece) => stream.push(piece)), stream.end()]
}

function join(events: readonly ToolCallEvent[]): { calls: readonly ParsedToolCall[]; content: string } {
  return { calls: toCalls(events), content: events.map((event) => (event.type === 'text' ? event.text : '')).join('') }
}

function text(said: string): ToolCallEvent {
  return { type: 'text', text: said }
}

function call(index: number, name: string, json: string): ToolCallEvent[] {
  return [
    { type: 'call-start', index, name },
    { type: 'call-arguments', index, text: json },
  ]
}

const xmlFormat = {
  scopeStart: '<calls>[',
  toolStart: '{"name": "',
  toolSep: '", "arguments": {',
  keyStart: '"',
  keyValSep: '": ',
  valEnd: ', ',
  toolEnd: '}}, ',
  scopeEnd: ']</calls>',
  rawArgval: false,
  lastValEnd: '',
  lastToolEnd: '}}',
}

const markers = {
  ...NO_MARKERS,
  formatType: 'tag_with_tagged',
  sectionStart: '<s>',
  sectionEnd: '</s>',
  perCallStart: '<c>',
  perCallEnd: '</c>',
  funcNamePrefix: '<f=',
  funcNameSuffix: '>',
  funcClose: '</f>',
  argNamePrefix: '<p=',
  argNameSuffix: '>',
  argValueSuffix: '</p>',
}

describe('the sent events and their time', () => {
  it('sends text at once, except possible beginnings of calls and white space that may stand before one', () => {
    const pieces = ['One mo', 'ment. ', '{"na', 'me": "ask", "argu', 'ments": {"x": 1.0}}', '\n', 'Done', '.']
    expect(feed(pieces)).toEqual([
      [text('One mo')],
      [text('ment.')],
      [],
      [],
      call(0, 'ask', '{"x": 1.0}'),
      [],
      [text(' Done')],
      [text('.')],
      [],
    ])
  })

  it('releases held text as soon as it cannot be a call', () => {
    expect(feed(['if (a) {', ' b', ' }; [', '1] <too', 'l> `', '`code`', '`'])).toEqual([
      [text('if (a)')],
      [text(' { b')],
      [text(' };')],
      [text(' [1]')],
      [text(' <tool>')],
      [text(' ``code')],
      [],
      [text('``')],
    ])
  })

  it('sends each call of a scope when the next begins', () => {
    const pieces = [
      '<minimax:tool_call><invoke name="a"><parameter name="x">1</parameter></invoke>',
      '<invoke name="b"></invoke>',
      '</minimax:tool_call>',
    ]
    expect(feed(pieces)).toEqual([[], call(0, 'a', '{"x":1}'), call(1, 'b', '{}'), []])
  })

  it('sends a call that is cut off as text, never a part of it', () => {
    const cut = '<tool_call>\n<function=ask>\n<parameter=x>\n1\n</parameter>\n'
    expect(feed([...cut])).toEqual([...[...cut].map(() => []), [text(cut)]])
  })

  it('sends nothing before the end when there are patterns', () => {
    const settings = { responseRegex: ['CALL (?P<name>\\w+) (?P<arguments>\\{.*?\\})'] }
    const pieces = ['Well. CA', 'LL ask {"x":1} and', ' CALL ask {"x":2}']
    expect(feed(pieces, { settings })).toEqual([
      [],
      [],
      [],
      [text('Well.'), ...call(0, 'ask', '{"x":1}'), text(' and'), ...call(1, 'ask', '{"x":2}')],
    ])
  })
})

describe('however a reply is cut', () => {
  const parts = [
    ...[
      '<tool_call>',
      '</tool_call>',
      '<function=ask>',
      '<function=a b>',
      '</function>',
      '<parameter=x>',
      '</parameter>',
    ],
    ...[
      '<tool_calls>',
      '</tool_calls>',
      '[TOOL_CALLS]',
      '<|python_tag|>',
      '<minimax:tool_call>',
      '</minimax:tool_call>',
    ],
    ...[
      '<invoke name="a">',
      '</invoke>',
      '<parameter name="k">',
      '<arg_key>',
      '</arg_key>',
      '<arg_value>',
      '</arg_value>',
    ],
    ...['<|tool_calls_section_begin|>', '<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>'],
    ...[
      '<|tool_call_end|>',
      '<|tool_calls_section_end|>',
      '```',
      '```json\n',
      '<s>',
      '</s>',
      '<c>',
      '</c>',
      '<f=a>',
      '</f>',
    ],
    ...['<p=x>', '</p>', '<calls>[', ']</calls>', '{"name": "a", "arguments": {"x": 1, "y": "}"}}', '{"a":', '{}', '"'],
    ...[
      '{"name":"ask","arguments":{}}',
      '{"arguments":"","name":"ask"}',
      '{"name":"answer","arguments":{"message":"m"}}',
    ],
    ...[
      '{"name":"ask","arguments":"x"}',
      '\n{"name":"ask","arguments":{}}',
      '{"name":"ask","arguments":{"x":"y}}',
      '[{',
    ],
    ...['[', ']', '{', '}', ',', ' ', '\n', 'word', '1', 'é🤔'],
  ]
  const part = fc.constantFrom(...parts, ...parts.map((whole) => whole.slice(0, -1)), ...parts.slice(0, 20))
  const reply = fc.array(part, { maxLength: 14 }).map((found) => found.join(''))
  const options = fc.constantFrom<ToolCallOptions>(
    plain,
    { settings: { xmlFormat }, markers, tools: [{ name: 'ask' }] },
    { settings: {}, markers: { ...markers, perCallStart: '', callIdPosition: 'pre_func_name', callIdPrefix: '1' } },
    { settings: {}, markers: { ...markers, formatType: 'json_native', funNameIsKey: true } },
    { settings: { responseRegex: ['(?P<name>word)(?P<arguments>\\{\\})?'] } },
    { settings: { jsonRegexMatch: ['<c>(.*?)</c>'], replaceLlmResults: [{ key: 'word', value: '' }] } },
  )

  it('the same calls and the same text are found', () => {
    fc.assert(
      fc.property(reply, options, fc.array(fc.nat(), { maxLength: 5 }), (whole, chosen, places) => {
        const offsets = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length]
        const pieces = offsets.slice(1).map((end, index) => whole.slice(offsets[index], end))
        const parsed = parseToolCalls(whole, chosen)
        expect(join(feed(pieces, chosen).flat())).toEqual(parsed)
        expect(join(feed(whole.split(''), chosen).flat())).toEqual(parsed)
      }),
      { numRuns: 250 },
    )
  })

  it('text without possible calls stays as it is', () => {
    const prose = fc.string({ unit: 'binary' }).filter((found) => !/[{[<`]/.test(found))
    fc.assert(
      fc.property(prose, (whole) => {
        expect(parseToolCalls(whole, plain)).toEqual({ calls: [], content: whole })
      }),
    )
  })

  it('arguments come out as the model wrote them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (members, indent) => {
        const json = JSON.stringify(members, null, indent)
        const { calls, content } = parseToolCalls(`Well. {"arguments": ${json}, "name": "ask"}`, plain)
        expect([calls, content]).toEqual([[{ name: 'ask', arguments: json }], 'Well.'])
      }),
    )
  })
})

describe('names', () => {
  const tools = [{ name: 'ask', parameters: { properties: { s: { type: 'string' } } } }]

  it.each([
    ['{"name":"ask","arguments":{}}', 1],
    ['{"name":"other","arguments":{}}', 0],
    ['[{"name":"other","arguments":{}},{"name":"ask","arguments":{}}]', 2],
    ['[{"name":"other","arguments":{}}]', 0],
    ['```json\n{"name":"other","arguments":{}}\n```', 0],
    ['<tool_call>{"name":"other","arguments":{}}{"name":"more","arguments":{}}</tool_call>', 2],
    ['<function=other>{}</function>', 1],
    ['[TOOL_CALLS][{"name":"other","arguments":{}}]', 1],
  ])('%s: %i calls when the request has ask alone', (reply, count) => {
    const { calls, content } = parseToolCalls(reply, { settings: {}, tools })
    expect([calls.length, content]).toEqual([count, count === 0 ? reply : ''])
  })

  it('separates declared text from apparent JSON', () => {
    const reply = '<function=ask><parameter=s>12</parameter><parameter=n>12</parameter></function>'
    expect(parseToolCalls(reply, { settings: {}, tools }).calls[0]?.arguments).toBe('{"s":"12","n":12}')
  })
})

describe('the answer pseudo-tool', () => {
  const reply = '{"name":"answer","arguments":{"message":"It is 5."}}'

  it('is content', () => {
    expect(parseToolCalls(reply, { settings: {}, tools: [] })).toEqual({ calls: [], content: 'It is 5.' })
    expect(parseToolCalls('<function=answer>{"message":"Hi."}</function>', plain).content).toBe('Hi.')
    expect(
      parseToolCalls('{"name":"say","arguments":{"message":"Hi."}}', { settings: { noActionFunctionName: 'say' } }),
    ).toEqual({ calls: [], content: 'Hi.' })
  })

  it.each(['{"message":""}', '{"message":5}', '{}', 'null', '"text"'])('gives no call with %s', (json) => {
    expect(parseToolCalls(`{"name":"answer","arguments":${json}}`, plain)).toEqual({ calls: [], content: '' })
  })

  it('is a call where it is turned off, or a tool of the request', () => {
    for (const options of [{ settings: { disableNoAction: true } }, { settings: {}, tools: [{ name: 'answer' }] }]) {
      expect(parseToolCalls(reply, options).calls).toEqual([{ name: 'answer', arguments: '{"message":"It is 5."}' }])
    }
  })
})

describe('bounds', () => {
  it.each([
    ...[
      '{',
      '[',
      '{"',
      '{"a":',
      '[{"a":',
      '<',
      '`',
      '```json\n',
      '<tool_call>',
      '<tool_call>a',
      '<function=a>',
      '</tool_call>',
    ],
    ...[
      '<function=a><parameter=b>',
      '</parameter>',
      '<|tool_calls_section_begin|>',
      ' ',
      '{"name":"a","arguments":{}}',
    ],
  ])('takes linear time over many %s', (unit) => {
    const whole = unit.repeat(8000)
    const { calls, content } = join(feed(whole.match(/.{1,5}/gs) ?? []).flat())
    expect({ calls, content }).toEqual(parseToolCalls(whole, plain))
    expect(calls.length).toBeLessThanOrEqual(MAX_CALLS)
  })

  it('takes linear time over one long value', () => {
    const value = '</parameter> x'.repeat(5000)
    const reply = `<function=a><parameter=b>${value}</parameter></function>`
    expect(join(feed(reply.match(/.{1,3}/gs) ?? []).flat()).calls).toEqual([
      { name: 'a', arguments: JSON.stringify({ b: value }) },
    ])
  })

  it('reads no more calls than a reply may hold', () => {
    const reply = '{"name":"a","arguments":{}}\n'.repeat(MAX_CALLS + 1)
    const { calls, content } = parseToolCalls(reply, plain)
    expect([calls.length, content]).toEqual([MAX_CALLS, '{"name":"a","arguments":{}}\n'])
    expect(parseToolCalls(`[${reply.trim().replaceAll('\n', ',')}]`, plain).calls).toEqual([])
  })

  it('takes a call for text once it is too long, wherever it is cut', () => {
    const whole = `{"name":"a","arguments":{"x":"${'y'.repeat(MAX_CALL_LENGTH)}"}}`
    expect(parseToolCalls(whole, plain)).toEqual({ calls: [], content: whole })
    expect(join(feed(whole.match(/.{1,99991}/g) ?? []).flat())).toEqual({ calls: [], content: whole })
  })

  it('reads long replies without patterns', () => {
    const options = { settings: { responseRegex: ['x(?P<name>y)'] } }
    const long = 'x'.repeat(MAX_PATTERN_TEXT_LENGTH)
    expect(parseToolCalls(`${long}xy`, options)).toEqual({ calls: [], content: `${long}xy` })
    expect(join(feed([long, '{"name":"a","arguments":{}}', '!'], options).flat()).calls).toHaveLength(1)
  })

  it('holds back no long line for a name', () => {
    expect(feed([`<function=${'a'.repeat(300)}`, 'b'])[0]).toEqual([text(`<function=${'a'.repeat(300)}`)])
    expect(feed(['<function=a\n', 'b'])[0]).toEqual([text('<function=a')])
  })
})
