import { describe, expect, it } from 'vitest'
import type { ToolCallSettings } from '../settings.ts'
import { MAX_MARKER_LENGTH } from './limits.ts'
import { type ParsedReply, parseToolCalls } from './parse-tool-calls.ts'
import { NO_MARKERS, type ToolFormatMarkers } from './tool-format-markers.ts'

function parse(reply: string, settings: ToolCallSettings = {}): ParsedReply {
  return parseToolCalls(reply, { settings })
}

function parseMarked(reply: string, markers: Partial<ToolFormatMarkers>): ParsedReply {
  return parseToolCalls(reply, { settings: {}, markers: { ...NO_MARKERS, ...markers } })
}

const ask = { name: 'ask', arguments: '{"x":1}' }

describe('built-in forms', () => {
  it('reads a call without its stop word when the arguments are complete', () => {
    expect(parse('<function=ask>{"x":1}')).toEqual({ calls: [ask], content: '' })
    expect(parse('<tool_call>{"name":"ask","arguments":{"x":1}}')).toEqual({ calls: [ask], content: '' })
    expect(parse('<function=ask><parameter=x>1</parameter>').calls).toEqual([])
  })

  it('drops the end of a scope that was never opened, beside its call alone', () => {
    expect(parse('<function=ask>{"x":1}</function></tool_call>')).toEqual({ calls: [ask], content: '' })
    expect(parse('<function=ask>{"x":1}</function></tool_call></tool_call>').content).toBe('</tool_call>')
  })

  it('keeps an end tag inside of a value', () => {
    const { calls } = parse('<function=doc><parameter=t>a </parameter> b</parameter></function>')
    expect(calls).toEqual([{ name: 'doc', arguments: '{"t":"a </parameter> b"}' }])
  })

  it('escapes raw line breaks in JSON arguments', () => {
    expect(parse('<function=say>{"t":"a\nb"}</function>').calls[0]?.arguments).toBe('{"t":"a\\nb"}')
    expect(parse('{"name":"say","arguments":"{\\"t\\":\\"a\nb\\"}"}').calls[0]?.arguments).toBe('{"t":"a\\nb"}')
  })

  it('takes fences off that hold a call, in any form', () => {
    for (const call of [
      '{"name":"ask","arguments":{"x":1}}',
      '<tool_call>{"name":"ask","arguments":{"x":1}}</tool_call>',
    ]) {
      expect(parse(`A\n\`\`\`json\n${call}\n\`\`\`\nB`)).toEqual({ calls: [ask], content: 'A\nB' })
    }
    expect(parse('```json\n{"x":1}\n```').content).toBe('```json\n{"x":1}\n```')
  })

  it('finds a call after JSON that is broken or cut', () => {
    const whole = '{"name":"ask","arguments":{"x":1}}'
    expect(parse(`{"name":"ask","arguments":{"x": oops}} ${whole}`).calls).toEqual([ask])
    expect(parse(`Use {" to open.\n${whole}`)).toEqual({ calls: [ask], content: 'Use {" to open.' })
  })

  it('reads no call when the name is not a word', () => {
    for (const reply of [
      '<tool_call>two words\n</tool_call>',
      '<function=>{}</function>',
      '<function= >{}</function>',
    ]) {
      expect(parse(reply)).toEqual({ calls: [], content: reply })
    }
  })
})

describe('xml_format', () => {
  const format = { toolStart: '<call ', toolSep: '>', keyStart: '<', keyValSep: '>', valEnd: '</>', toolEnd: '</call>' }

  it('reads values that end where their JSON ends', () => {
    const xmlFormat = {
      scopeStart: '<calls>[',
      toolStart: '{"name": "',
      toolSep: '", "arguments": {',
      keyStart: '"',
      keyValSep: '": ',
      valEnd: ', ',
      toolEnd: '}}, ',
      scopeEnd: ']</calls>',
      lastValEnd: '',
      lastToolEnd: '}}',
    }
    const reply =
      'A <calls>[{"name": "a", "arguments": {"q": "}}, ", "n": [2]}}, {"name": "b", "arguments": {}}]</calls> B'
    expect(parse(reply, { xmlFormat })).toEqual({
      calls: [
        { name: 'a', arguments: '{"q":"}}, ","n":[2]}' },
        { name: 'b', arguments: '{}' },
      ],
      content: 'A B',
    })
  })

  it('takes JSON arguments where no tag of a value comes', () => {
    expect(parse('<call ask>{"x":1}</call>', { xmlFormat: format }).calls).toEqual([ask])
  })

  it('is the one that counts where a preset begins alike', () => {
    const xmlFormat = { ...format, scopeStart: '<tool_call>', scopeEnd: '</tool_call>', toolStart: '<function=' }
    const reply = '<tool_call><function=ask><x>1</></call></tool_call>'
    expect(parse(reply, { xmlFormat })).toEqual({ calls: [ask], content: '' })
  })

  it('is not there without the start of a call, or with markers too long', () => {
    for (const toolStart of ['', ' \n', 'x'.repeat(MAX_MARKER_LENGTH + 1)]) {
      const reply = `${toolStart}ask>{"x":1}</call>`
      expect(parse(reply, { xmlFormat: { ...format, toolStart } })).toEqual({ calls: [], content: reply })
    }
  })
})

describe('markers of a backend', () => {
  const tagged = { formatType: 'tag_with_json', funcNamePrefix: '<f=', funcNameSuffix: '>', funcClose: '</f>' }

  it.each<[string, Partial<ToolFormatMarkers>, string]>([
    ['before the name', { callIdPosition: 'pre_func_name', perCallStart: '<c>' }, '<c>#c7#<f=ask>{"x":1}</f>'],
    ['before the arguments', { callIdPosition: 'between_func_and_args' }, '<f=ask>#c7#{"x":1}</f>'],
    ['after the arguments', { callIdPosition: 'post_args' }, '<f=ask>{"x":1}#c7#</f>'],
    ['as a word', { callIdPosition: 'post_args', callIdSuffix: '' }, '<f=ask>{"x":1} #c7 </f>'],
  ])('reads an id %s', (_, markers, reply) => {
    const id = { callIdPrefix: '#', callIdSuffix: '#' }
    expect(parseMarked(reply, { ...tagged, ...id, ...markers })).toEqual({ calls: [{ ...ask, id: 'c7' }], content: '' })
    expect(parseMarked(reply.replace(/ ?#c7#? ?/, ''), { ...tagged, ...id, ...markers }).calls).toEqual([ask])
  })

  it('reads an id for each call of a section', () => {
    const section = { sectionStart: '<s>', sectionEnd: '</s>', perCallStart: '<c>', perCallEnd: '</c>' }
    const id = { callIdPosition: 'pre_func_name', callIdPrefix: '#', callIdSuffix: '#' }
    const reply = 'A <s><c>#1#<f=ask>{"x":1}</f></c>\n<c>#2#<f=ask>{"x":1}</f></c></s> B'
    expect(parseMarked(reply, { ...tagged, ...section, ...id })).toEqual({
      calls: [
        { ...ask, id: '1' },
        { ...ask, id: '2' },
      ],
      content: 'A B',
    })
  })

  it('reads an id in front of each name of a section, or of some', () => {
    const section = { sectionStart: '<s>', sectionEnd: '</s>' }
    const id = { callIdPosition: 'pre_func_name', callIdPrefix: '#', callIdSuffix: '#' }
    const call = '<f=ask>{"x":1}</f>'
    expect(parseMarked(`<s>#1#${call}#2#${call}${call}</s>`, { ...tagged, ...section, ...id })).toEqual({
      calls: [{ ...ask, id: '1' }, { ...ask, id: '2' }, ask],
      content: '',
    })
  })

  it('reads a name without a marker of its own', () => {
    const bare = { formatType: 'tag_with_json', perCallStart: '[CALL]', argsStart: '[ARGS]', argsEnd: '[/ARGS]' }
    expect(parseMarked('[CALL]ask[ARGS]{"x":1}[/ARGS]', bare)).toEqual({ calls: [ask], content: '' })
    expect(parseMarked('[CALL]ask{"x":1}', bare)).toEqual({ calls: [ask], content: '' })
    const section = { formatType: 'tag_with_json', sectionStart: '<s>', sectionEnd: '</s>' }
    expect(parseMarked('<s>ask{"x":1}</s>!', section)).toEqual({ calls: [ask], content: '!' })
  })

  it('reads tagged values with their prefix and separator', () => {
    const values = {
      ...tagged,
      formatType: 'tag_with_tagged',
      ...{
        argNamePrefix: '<k>',
        argNameSuffix: '</k>',
        argValuePrefix: '<v>',
        argValueSuffix: '</v>',
        argSeparator: ';',
      },
    }
    expect(parseMarked('<f=ask><k>x</k><v>1</v>;<k>y</k><v>b</v></f>', values).calls).toEqual([
      { name: 'ask', arguments: '{"x":1,"y":"b"}' },
    ])
    expect(parseMarked('<f=ask><k>x</k>1</v></f>', values).calls).toEqual([])
  })

  it.each<[string, Partial<ToolFormatMarkers>, ParsedReply['calls']]>([
    ['<s><c>{"name":"ask","arguments":{"x":1}}</c></s>', { perCallStart: '<c>', perCallEnd: '</c>' }, [ask]],
    ['<s>[{"ask":{"x":1}}]</s>', { funNameIsKey: true }, [ask]],
    ['<s>[{"ask":{"x":1},"y":2}]</s>', { funNameIsKey: true }, []],
    [
      '<s>{"id":"c1","f":{"name":"ask","arguments":{"x":1}}}</s>',
      { functionField: 'f', idField: 'id' },
      [{ ...ask, id: 'c1' }],
    ],
    ['<s>{"name":"ask","arguments":{"x":1},"n":"c2"}</s>', { genIdField: 'n' }, [{ ...ask, id: 'c2' }]],
  ])('reads JSON in %s', (reply, markers, calls) => {
    const section = { formatType: 'json_native', sectionStart: '<s>', sectionEnd: '</s>' }
    expect(parseMarked(reply, { ...section, ...markers })).toEqual({ calls, content: calls.length === 0 ? reply : '' })
  })

  it('does not take the brackets of JSON for markers', () => {
    const markers = { formatType: 'json_native', sectionStart: '[', sectionEnd: ']' }
    expect(parseMarked('[{"name":"ask","arguments":{"x":1}}]', markers)).toEqual({ calls: [ask], content: '' })
  })

  it('reads the built-in forms when they describe none', () => {
    for (const formatType of ['', 'other', 'tag_with_json', 'tag_with_tagged']) {
      expect(parseMarked('<function=ask>{"x":1}</function>', { formatType }).calls).toEqual([ask])
    }
  })
})

describe('patterns', () => {
  it('answers with captured text instead of the text around the calls', () => {
    const settings = { captureLlmResults: ['(?s)<t>(.*?)</t>'] }
    const call = '{"name":"ask","arguments":{"x":1}}'
    expect(parse(`<t> why </t>${call} x`, settings)).toEqual({ calls: [ask], content: 'why' })
    expect(parse(`${call} x`, settings)).toEqual({ calls: [ask], content: 'x' })
    expect(parse('<t>why</t> x', settings)).toEqual({ calls: [], content: '<t>why</t> x' })
  })

  it('answers without calls as replace_llm_results leaves the text, not replace_function_results', () => {
    const settings = {
      replaceLlmResults: [{ key: 'a', value: 'b' }],
      replaceFunctionResults: [{ key: 'b', value: 'c' }],
    }
    expect(parse('a', settings)).toEqual({ calls: [], content: 'b' })
  })

  it('finds tagged forms, but no bare JSON, in the rest after response_regex', () => {
    const settings = { responseRegex: ['do (?P<name>\\w+)'] }
    const reply = 'do one <function=ask>{"x":1}</function> {"name":"ask","arguments":{}}'
    expect(parse(reply, settings)).toEqual({
      calls: [{ name: 'one', arguments: '{}' }, ask],
      content: '{"name":"ask","arguments":{}}',
    })
  })

  it('takes the first of two patterns that match the same place', () => {
    const settings = { responseRegex: ['do (?P<name>\\w+) (?P<arguments>\\{.*?\\})', 'do (?P<name>\\w+)'] }
    expect(parse('do two, do ask {"x":1}', settings).calls).toEqual([{ name: 'two', arguments: '{}' }, ask])
  })

  it('leaves text that json_regex_match points at but that is not a call', () => {
    const settings = { jsonRegexMatch: ['<c>(.*?)</c>'] }
    expect(parse('a <c>{"x":1}</c> b <c>{"name":"ask","arguments":{"x":1}}</c> c', settings)).toEqual({
      calls: [ask],
      content: 'a <c>{"x":1}</c> b c',
    })
  })

  it('ignores patterns that cannot be compiled', () => {
    expect(parse('{"name":"ask","arguments":{"x":1}}', { responseRegex: ['('] }).calls).toEqual([ask])
  })
})
