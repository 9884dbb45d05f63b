import { describe, expect, it } from 'vitest'
import { type ChatInput, createChatTemplate, openChatTemplate } from './chat-template.ts'

const TOKENS = { bos: '<s>', eos: '</s>' }
const ASK: ChatInput = { messages: [{ role: 'user', content: 'hi' }], tools: null, variables: {} }

function render(template: string, input: Partial<ChatInput> = {}): string {
  return createChatTemplate({ main: template }, TOKENS).render({ ...ASK, ...input })
}

describe('a chat template', () => {
  it.each([
    ['shows tools', '{{ tools | tojson }}{{ messages[0].content }}', 'with-tools'],
    ['does not show tools', '{{ messages[0].content }}', 'without-tools'],
  ])('%s', (_, main, support) => {
    expect(createChatTemplate({ main }, TOKENS).support).toBe(support)
  })

  it('is the one for tools where the model has two and the conversation has tools', () => {
    const main = '{{ messages[0].content }}'
    const template = createChatTemplate({ main, forTools: '{{ tools[0].function.name }}' }, TOKENS)
    expect(template.support).toBe('with-tools')
    expect(template.render({ ...ASK, tools: [{ function: { name: 'look' } }] })).toBe('look')
    expect(template.render({ ...ASK, tools: [] })).toBe('hi')
  })

  it('protects data after it was brought into its form', () => {
    const calls = [{ function: { name: 'f', arguments: '{"a": "\\u003cx\\u003e"}' } }]
    const messages = [{ role: 'assistant', content: '', tool_calls: calls }]
    const seen: unknown[] = []
    const template = createChatTemplate({ main: '{{ messages[0].tool_calls[0].function.arguments.a }}' }, TOKENS)
    const protect = <Value>(value: Value): Value => {
      seen.push(value)
      return value
    }
    expect(template.render({ ...ASK, messages }, protect)).toBe('<x>')
    expect(JSON.stringify(seen.map(toPlain))).toContain('<x>')
  })

  it('sees the tokens, the wish for an answer and further variables', () => {
    const template = '{{ bos_token }}{{ eos_token }}{{ add_generation_prompt }}{{ effort }}'
    expect(render(template, { variables: { effort: 'high' } }).toLowerCase()).toBe('<s></s>truehigh')
  })

  it('does not let variables replace the conversation', () => {
    const variables = { messages: [], bos_token: 'x', add_generation_prompt: false }
    expect(render('{{ bos_token }}{{ messages[0].content }}', { variables })).toBe('<s>hi')
  })

  it('sees tools, or null', () => {
    const template = '{% if tools %}{{ tools[0].function.name }}{% else %}none{% endif %}'
    expect(render(template)).toBe('none')
    expect(render(template, { tools: [{ function: { name: 'look' } }] })).toBe('look')
  })

  it('sees only the present fields of a message', () => {
    const template =
      "{% for key in ['name', 'tool_call_id', 'tool_calls', 'reasoning_content'] %}" +
      '{% if key in messages[0] %}{{ key }} {% endif %}{% endfor %}'
    const messages = [{ role: 'user', content: '', name: '', tool_calls: undefined }]
    expect(render(template, { messages })).toBe('')
    expect(render(template, { messages: [{ role: 'tool', content: '', name: 'n', tool_call_id: 'c' }] })).toBe(
      'name tool_call_id ',
    )
  })

  it.each([
    ['as a value where it writes JSON itself', '{{ c.function.arguments | tojson }}', '{"b": 1}'],
    ['as a value where it walks the entries', '{% for k, v in c.function.arguments.items() %}{{ k }}{% endfor %}', 'b'],
    [
      'as the text that came where it takes only text',
      '{% if c.function.arguments is string %}{{ c.function.arguments }}{% endif %}',
      '{"b":1}',
    ],
    ['as the text that came where it only prints', '{{ c.function.arguments }}', '{"b":1}'],
  ])('sees arguments of calls %s', (_, body, expected) => {
    const calls = [{ id: 'c1', function: { name: 'f', arguments: '{"b":1}' } }]
    const messages = [{ role: 'assistant', content: '', tool_calls: calls }]
    const template = `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }} ${body}`
    expect(render(`${template}{% endfor %}{% endfor %}`, { messages })).toBe(`f ${expected}`)
  })

  it('fails as a bad request where it refuses', () => {
    expect(() => render("{{ raise_exception('roles must alternate') }}")).toThrow(/roles must alternate/)
  })
})

describe('thinking', () => {
  it.each([
    ['one that does not know it', '{{ messages[0].content }}', false],
    [
      'one that switches it off',
      '{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}',
      true,
    ],
    ['one that opens it always', '{{ messages[0].content }}<think>\n', true],
    ['one that cannot render a short talk', "{{ raise_exception('no') }}", false],
  ])('is seen in %s', (_, template, expected) => {
    expect(createChatTemplate({ main: template }, TOKENS).supportsThinking).toBe(expected)
  })
})

describe('a malformed template', () => {
  it('is said in the log and refuses every conversation', () => {
    const warnings: string[] = []
    const log = { warn: (line: string) => void warnings.push(line), error: () => {} }
    const template = openChatTemplate({ main: '{% if %}' }, { tokens: TOKENS, log })
    expect(warnings).toHaveLength(1)
    expect(() => template.render(ASK)).toThrow(/cannot be read/)
    expect(template.supportsThinking).toBe(false)
  })

  it('costs only conversations with tools where the other one is good', () => {
    const warnings: string[] = []
    const log = { warn: (line: string) => void warnings.push(line), error: () => {} }
    const sources = { main: '{{ messages[0].content }}', forTools: '{% if %}' }
    const template = openChatTemplate(sources, { tokens: TOKENS, log })
    expect(warnings).toHaveLength(1)
    expect(template.render(ASK)).toBe('hi')
  })
})

describe('no template', () => {
  it('refuses every conversation', () => {
    const log = { warn: () => {}, error: () => {} }
    const template = openChatTemplate({ main: undefined }, { tokens: TOKENS, log })
    expect(template.support).toBe('none')
    expect(() => template.render(ASK)).toThrow(/no chat template: it continues text/)
  })
})

function toPlain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, item]) => [key, toPlain(item)]))
  return Array.isArray(value) ? value.map(toPlain) : value
}
