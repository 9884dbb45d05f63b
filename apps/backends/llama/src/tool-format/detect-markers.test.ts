import { describe, expect, it } from 'vitest'
import { createChatTemplate } from '../engine/chat-template.ts'
import { detectMarkers } from './detect-markers.ts'
import { writeProbes } from './probe-calls.ts'

/** The markers of a template whose assistant turns write each call as `body` does, between `before` and `after`. */
function detect(body: string, { before = '', after = '', join = '' } = {}) {
  const template = [
    '{% for m in messages %}<|{{ m.role }}|>{{ m.content or "" }}',
    `{% if m.tool_calls %}${before}{% for c in m.tool_calls %}{% set f = c.function %}${body}`,
    `{% if not loop.last %}${join}{% endif %}{% endfor %}${after}{% endif %}<|end|>`,
    '{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}',
  ].join('')
  const chat = createChatTemplate({ main: template }, { bos: '', eos: '' })
  const written = writeProbes((messages, tools) => chat.render({ messages, tools, variables: {} }))
  const markers = written && detectMarkers(written)
  return {
    written,
    markers:
      markers && Object.fromEntries(Object.entries(markers).filter(([, value]) => value !== '' && value !== false)),
  }
}

const JSON_CALL = '{"name": {{ f.name | tojson }}, "arguments": {{ f.arguments | tojson }}}'

describe('forms that need no markers', () => {
  it.each([
    ['hermes', `<tool_call>\n${JSON_CALL}\n</tool_call>`, {}],
    ['a list behind one mark', JSON_CALL, { before: '[TOOL_CALLS] [', join: ', ', after: ']' }],
    ['functionary', '<function={{ f.name }}>{{ f.arguments | tojson }}</function>', {}],
  ])('%s', (_name, body, frame) => {
    const { written, markers } = detect(body, frame)
    expect(written?.two).toBeDefined()
    expect(markers).toBeUndefined()
  })
})

it('a template with one call a turn shows no form of two', () => {
  const body =
    "{% if m.tool_calls|length > 1 %}{{ raise_exception('one call') }}{% endif %}<call>{{ f | tojson }}</call>"
  const { written } = detect(body)
  expect(written).toEqual({ one: expect.stringContaining('svcprobeone'), two: undefined })
  expect(written?.one).not.toContain('<|assistant|>')
})

describe('forms that are read off the template', () => {
  it('JSON with keys of its own', () => {
    expect(detect('{"function": {{ f.name | tojson }}, "parameters": {{ f.arguments | tojson }}}').markers).toEqual({
      formatType: 'json_native',
      nameField: 'function',
      argsField: 'parameters',
    })
  })

  it('JSON in a section with marks around each call', () => {
    const body = '<<{"fn": {{ f.name | tojson }}, "in": {{ f.arguments | tojson }}, "ref": "{{ c.id }}"}>>'
    expect(detect(body, { before: '<calls>', after: '</calls>' }).markers).toEqual({
      formatType: 'json_native',
      sectionStart: '<calls>',
      sectionEnd: '</calls>',
      perCallStart: '<<',
      perCallEnd: '>>',
      nameField: 'fn',
      argsField: 'in',
      idField: 'ref',
    })
  })

  it('a name, then JSON', () => {
    const body = '[CALL]{{ f.name }}[ARGS]{{ f.arguments | tojson }}'
    expect(detect(body).markers).toEqual({
      formatType: 'tag_with_json',
      funcNamePrefix: '[CALL]',
      funcNameSuffix: '[ARGS]',
    })
  })

  it('a name, an id, then JSON', () => {
    const body = '[CALL]{{ f.name }}[ID]{{ c.id }}[ARGS]{{ f.arguments | tojson }}'
    expect(detect(body).markers).toEqual({
      formatType: 'tag_with_json',
      funcNamePrefix: '[CALL]',
      callIdPosition: 'between_func_and_args',
      callIdPrefix: '[ID]',
      callIdSuffix: '[ARGS]',
    })
  })

  it('tagged values', () => {
    const values = '{% for k, v in f.arguments.items() %}<key>{{ k }}</key>\n<value>{{ v }}</value>\n{% endfor %}'
    expect(detect(`<call>{{ f.name }}\n${values}</call>`, { join: '\n' }).markers).toEqual({
      formatType: 'tag_with_tagged',
      funcNamePrefix: '<call>',
      funcClose: '</call>',
      argNamePrefix: '<key>',
      argNameSuffix: '</key>',
      argValuePrefix: '<value>',
      argValueSuffix: '</value>',
    })
  })

  it('a mark that shares its end with the end of the turn', () => {
    expect(detect('to={{ f.name }}<|json|>{{ f.arguments | tojson }}<|call|>').markers).toMatchObject({
      funcNamePrefix: 'to=',
      funcNameSuffix: '<|json|>',
      funcClose: '<|call|>',
    })
  })
})

describe('forms that markers cannot describe', () => {
  it.each([
    ['a template that shows no calls', ''],
    [
      'keys that are tags',
      '<call {{ f.name }}>{% for k, v in f.arguments.items() %}<{{ k }}>{{ v }}</{{ k }}>{% endfor %}</call>',
    ],
    ['a template that refuses', "{{ raise_exception('no calls') }}"],
  ])('%s gives nothing', (_name, body) => {
    expect(detect(body).markers).toBeUndefined()
  })
})
