import { describe, expect, it } from 'vitest'
import { compileJinja, JinjaLimitError, renderChatTemplate, TemplateFloat } from '../src/index.ts'

const TURNS = '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}'
const messages = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Hi' },
]

describe('renderChatTemplate', () => {
  it('renders a conversation by a source and by a compiled template', () => {
    expect(renderChatTemplate({ template: TURNS, messages })).toBe('<system>Be kind.<user>Hi')
    expect(renderChatTemplate({ template: compileJinja(TURNS), messages })).toBe('<system>Be kind.<user>Hi')
  })

  it('always has tools, documents and the prompt for an answer', () => {
    const template = '{{ tools }} {{ documents }} {{ add_generation_prompt }}'
    expect(renderChatTemplate({ template, messages })).toBe('None None False')
    const input = { template, messages, tools: [{ name: 'f' }], documents: ['d'], addGenerationPrompt: true }
    expect(renderChatTemplate(input)).toBe("[{'name': 'f'}] ['d'] True")
  })

  it('has no tokens but the ones given', () => {
    const template = '[{{ bos_token }}{{ eos_token }}]{{ bos_token is defined }}'
    expect(renderChatTemplate({ template, messages })).toBe('[]False')
    expect(renderChatTemplate({ template, messages, bosToken: '<s>', eosToken: '</s>' })).toBe('[<s></s>]True')
  })

  it('passes further variables on, which replace none of the others', () => {
    const template = '{{ enable_thinking }}{{ messages|length }}{{ tools }}{{ bos_token }}'
    const kwargs = { enable_thinking: false, messages: [], tools: 1, bos_token: 'x' }
    expect(renderChatTemplate({ template, messages, kwargs, bosToken: '<s>' })).toBe('False2None<s>')
  })

  it.each(['reasoning_content', 'thinking', 'reasoning'])(
    'gives thoughts under %s the names that templates read',
    (name) => {
      const template = '{{ messages[0].reasoning_content }}|{{ messages[0].thinking }}'
      const message = { role: 'assistant', content: '', [name]: 'Hm.' }
      expect(renderChatTemplate({ template, messages: [message] })).toBe('Hm.|Hm.')
      expect(renderChatTemplate({ template, messages: [new Map(Object.entries(message))] })).toBe('Hm.|Hm.')
      expect(message).toEqual({ role: 'assistant', content: '', [name]: 'Hm.' })
    },
  )

  it('leaves a message without thoughts as it is', () => {
    const template = '{{ messages[0].keys()|list }}'
    expect(renderChatTemplate({ template, messages: [{ role: 'a', thinking: null }] })).toBe("['role', 'thinking']")
  })

  it('reads the time of the clock that is passed', () => {
    const clock = { now: () => Date.UTC(2030, 0, 2, 23, 30), offsetMinutes: () => 60 }
    expect(renderChatTemplate({ template: "{{ strftime_now('%Y-%m-%d %H:%M') }}", messages, clock })).toBe(
      '2030-01-03 00:30',
    )
  })

  it('has the limits that are passed', () => {
    expect(() => renderChatTemplate({ template: TURNS, messages, limits: { maxTextLength: 5 } })).toThrow(
      JinjaLimitError,
    )
  })

  it("fails with the template's message, at its line", () => {
    const template = "\n{{ raise_exception('Roles must alternate') }}"
    expect(() => renderChatTemplate({ template, messages })).toThrow(
      expect.objectContaining({
        name: 'JinjaRuntimeError',
        kind: 'invalid_request',
        code: 'template_raised',
        message: 'Roles must alternate',
        line: 2,
        exception: 'TemplateError',
      }),
    )
  })
})

describe('data', () => {
  const show = (value: unknown): string => compileJinja('{{ x|tojson }}').render({ x: value })

  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'null'],
    [true, 'true'],
    ['a', '"a"'],
    [1, '1'],
    [1.5, '1.5'],
    [new TemplateFloat(1), '1.0'],
    [-0, '-0.0'],
    [2 ** 53, '9007199254740992'],
    [1e21, '1e+21'],
    [Number.NaN, 'NaN'],
    [5n, '5'],
    [12345678901234567890n, '12345678901234567890'],
    [[1, [2]], '[1, [2]]'],
    [{ a: 1, b: undefined, c: { d: [] } }, '{"a": 1, "c": {"d": []}}'],
    [
      new Map([
        ['10', 1],
        ['9', 2],
      ]),
      '{"10": 1, "9": 2}',
    ],
    [Object.assign(Object.create(null), { a: 1 }), '{"a": 1}'],
    [JSON.parse('{"__proto__": 1, "constructor": 2}'), '{"__proto__": 1, "constructor": 2}'],
  ])('takes %s as %s', (value, json) => {
    expect(show(value)).toBe(json)
  })

  it.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a date', new Date(0)],
    ['a set', new Set([1])],
    ['a pattern', /a/],
    ['an error', new Error('e')],
    ['bytes', new Uint8Array(1)],
    ['a class', new (class Secret {})()],
    ['a map with other keys', new Map([[1, 2]])],
  ])('refuses %s', (_name, value) => {
    expect(() => show(value)).toThrow(expect.objectContaining({ kind: 'invalid_request', code: 'template_input' }))
    expect(() => show([{ a: value }])).toThrow(expect.objectContaining({ code: 'template_input' }))
  })

  it('refuses data inside itself', () => {
    const data: Record<string, unknown> = {}
    data.self = data
    expect(() => show(data)).toThrow(JinjaLimitError)
  })

  it('is never changed, and gives no access to the host', () => {
    const data = { list: [1], dict: { a: 1 }, toString: 'own' }
    const template =
      '{{ x.constructor is defined }}{{ x.dict.__proto__ is defined }}{{ x.toString }}{{ x.list.push is defined }}'
    expect(compileJinja(template).render({ x: data })).toBe('FalseFalseownFalse')
    expect(data).toEqual({ list: [1], dict: { a: 1 }, toString: 'own' })
    for (const name of ['process', 'globalThis', 'require', 'module', 'console', 'eval', 'Function']) {
      expect(compileJinja(`{{ ${name} is defined }}`).render({})).toBe('False')
    }
  })

  it('hides the functions of the language where it has their names', () => {
    expect(compileJinja('{{ range }}').render({ range: 5 })).toBe('5')
  })
})

describe('chance', () => {
  it('come from the ports', () => {
    const template = compileJinja('{{ [1, 2, 3, 4]|random }}')
    expect(template.render({}, { random: () => 0 })).toBe('1')
    expect(template.render({}, { random: () => 0.99 })).toBe('4')
  })

  it('makes filler text of the length asked for', () => {
    const text = compileJinja('{{ lipsum(2, false, 3, 4) }}').render({}, { random: () => 0 })
    expect(text).toBe('Lorem lorem lorem.\n\nLorem lorem lorem.')
  })
})
