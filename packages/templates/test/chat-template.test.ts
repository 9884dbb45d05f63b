import { describe, expect, it } from 'vitest'
import { type ChatTurn, createChatTemplate, JinjaLimitError, parseJsonKeepingNumbers } from '../src/index.ts'

/** Tools, then each turn; `call` writes the calls of an answer, `before` comes before everything else. */
function write({
  call = '',
  before = '',
  tools = '{% for t in tools or [] %}[{{ t.function.name }}]{% endfor %}',
} = {}) {
  return (
    `${before}${tools}{% for m in messages %}{% if m.role == 'assistant' %}<a>{{ m.content or '' }}` +
    `{% for c in m.tool_calls or [] %}(${call}){% endfor %}</a>{% elif m.role == 'tool' %}` +
    '<r>{{ m.content }}</r>{% else %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endif %}{% endfor %}' +
    '{% if add_generation_prompt %}<a>{% endif %}'
  )
}

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Weather of a place',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const ASK: ChatTurn = { role: 'user', content: 'Weather?' }

function callWeather(given: unknown, id = 'call_0123456789ab', content: string | null = null): ChatTurn {
  return {
    role: 'assistant',
    content,
    tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: given } }],
  }
}

function answerCall(content: string, id = 'call_0123456789ab'): ChatTurn {
  return { role: 'tool', content, tool_call_id: id }
}

function render(source: string, messages: readonly ChatTurn[], tools: readonly unknown[] | null = [WEATHER]): string {
  return createChatTemplate({ source }).render({ messages, tools })
}

function renderCall(call: string, given: unknown): string {
  return render(write({ call }), [ASK, callWeather(given), answerCall('rain')])
}

/** The prompt of {@link renderCall} for a call written like this. */
function toPrompt(call: string): string {
  return `[weather]<user>Weather?</user><a>(${call})</a><r>rain</r><a>`
}

const OSLO = '{"city": "Oslo"}'
const WALKS =
  '{{ c.function.name }}{% set a = c.function.arguments %}{% for k, v in a.items() %} {{ k }}={{ v }}{% endfor %}'
const FILTERS = '{{ c.function.name }}{% for k, v in c.function.arguments | items %} {{ k }}={{ v }}{% endfor %}'

describe('arguments of earlier calls', () => {
  it.each([
    ['walks a variable', WALKS, 'weather city=Oslo'],
    ['filters the entries', FILTERS, 'weather city=Oslo'],
    [
      'takes each key',
      "{% set a = c['function']['arguments'] %}{{ c['function']['name'] }}{% for k in a %} {{ k }}={{ a[k] }}{% endfor %}",
      'weather city=Oslo',
    ],
    [
      'demands a mapping',
      "{{ c.function.name }} {% set a = c.function.arguments or {} %}{% if a is not mapping %}{{ raise_exception('arguments must be a mapping') }}{% endif %}{{ a | tojson }}",
      'weather {"city": "Oslo"}',
    ],
    [
      'writes JSON of the whole call',
      '{{ c.function | tojson }}',
      '{"name": "weather", "arguments": {"city": "Oslo"}}',
    ],
    [
      'passes them to a macro',
      '{% macro show(x) %}{% for k, v in x.items() %}{{ k }}:{{ v }}{% endfor %}{% endmacro %}{{ c.function.name }} {{ show(c.function.arguments) }}',
      'weather city:Oslo',
    ],
    [
      'takes either',
      '{{ c.function.name }} {% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ c.function.arguments | tojson }}{% endif %}',
      'weather {"city": "Oslo"}',
    ],
    ['adds text', "{{ c.function.name + ' ' + c.function.arguments }}", 'weather {"city": "Oslo"}'],
    ['only prints', '{{ c.function.name }} {{ c.function.arguments }}', 'weather {"city": "Oslo"}'],
    [
      'demands text',
      "{% if c.function.arguments is not string %}{{ raise_exception('text') }}{% endif %}{{ c.function.name }} {{ c.function.arguments | trim }}",
      'weather {"city": "Oslo"}',
    ],
    ['shows none', '{{ c.function.name }}', 'weather'],
  ])('have the form of a template that %s', (_name, call, expected) => {
    expect(renderCall(call, OSLO)).toBe(toPrompt(expected))
  })

  it.each([
    ['empty text', '', 'weather'],
    ['blanks', '  ', 'weather'],
    ['nothing', undefined, 'weather'],
    ['null', null, 'weather'],
    ['the text null', 'null', 'weather'],
    ['an empty object', '{}', 'weather'],
    ['a cut object', '{"city": "Os', 'weather raw={"city": "Os'],
    ['prose', 'Oslo!', 'weather raw=Oslo!'],
    ['a value', new Map([['city', 'Oslo']]), 'weather city=Oslo'],
  ])('keep the chat alive: %s', (_name, given, expected) => {
    expect(renderCall(FILTERS, given)).toBe(toPrompt(expected))
  })

  it('that are empty are an empty object as text', () => {
    expect(renderCall('{{ c.function.name ~ c.function.arguments }}', '')).toBe(toPrompt('weather{}'))
  })

  it('keep their numbers and the order of their keys', () => {
    expect(renderCall('{{ c.function | tojson }}', '{"2": 1.0, "1": 1, "x": 12345678901234567890}')).toContain(
      '{"2": 1.0, "1": 1, "x": 12345678901234567890}',
    )
  })
})

describe('calls', () => {
  const nine = "{% if c.id | length != 9 %}{{ raise_exception('call ids have nine characters') }}{% endif %}"

  it('and results get ids of the form that a template accepts', () => {
    const source = `${write({ call: `${nine}{{ c.function.name }} {{ c.id }}` })}`.replace(
      '<r>',
      '<r {{ m.tool_call_id }}>',
    )
    for (const id of ['call_0123456789ab', 'toolu_01Ab', 'x', 'call_000000000000000000000001', 'a-b-c-d-e']) {
      const shown = render(source, [ASK, callWeather(OSLO, id), answerCall('rain', id)])
      expect(shown).toMatch(/\(weather ([a-zA-Z0-9]{9})\)<\/a><r \1>rain/)
    }
    expect(render(source, [ASK, callWeather(OSLO, 'aB3dE6gH9'), answerCall('rain', 'aB3dE6gH9')])).toContain(
      'aB3dE6gH9',
    )
  })

  it('keep ids that a template accepts', () => {
    expect(render(write({ call: '{{ c.id }}{{ c.function.name }}' }), [ASK, callWeather(OSLO)])).toContain(
      'call_0123456789ab',
    )
  })

  it('are named by their id where a template shows no name', () => {
    const call = '{{ c.id }} {{ c.function.arguments | tojson }}'
    expect(renderCall(call, OSLO)).toBe(toPrompt('functions.weather:0 {"city": "Oslo"}'))
  })

  it('show no index of the wire format', () => {
    const turn = {
      role: 'assistant',
      content: '',
      tool_calls: [{ index: 0, id: '1', function: { name: 'f', arguments: '{}' } }],
    }
    expect(render(write({ call: '{{ c | tojson }}' }), [ASK, turn])).toContain(
      '({"id": "1", "function": {"name": "f", "arguments": {}}})',
    )
  })

  it.each([
    [
      'refuses a second one',
      "{% if m.tool_calls|length > 1 %}{{ raise_exception('one call') }}{% endif %}{{ c.function.name }}{{ c.function.arguments|tojson }}",
    ],
    [
      'shows only the first one',
      '{% if loop.first %}{{ c.function.name }}{{ c.function.arguments|tojson }}{% endif %}',
    ],
  ])('get turns of their own where a template %s', (_name, call) => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: `f${id}`, arguments: OSLO } }))
    const turns = [
      ASK,
      { role: 'assistant', content: 'Hm.', tool_calls: calls },
      answerCall('second', 'b'),
      answerCall('first', 'a'),
    ]
    expect(render(write({ call }), turns, null)).toBe(
      '<user>Weather?</user><a>Hm.(fa{"city": "Oslo"})</a><r>first</r><a>(fb{"city": "Oslo"})</a><r>second</r><a>',
    )
  })

  it('have their results in their own order', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: `f${id}`, arguments: '{}' } }))
    const turns = [
      ASK,
      { role: 'assistant', content: '', tool_calls: calls },
      answerCall('second', 'b'),
      answerCall('first', 'a'),
    ]
    expect(render(write({ call: '{{ c.function | tojson }}' }), turns)).toMatch(/<r>first<\/r><r>second<\/r>/)
  })

  it('are shown where a template shows them only without content', () => {
    const source = write({ call: '{{ c.function | tojson }}' }).replace(
      "m.role == 'assistant'",
      "m.role == 'assistant' and (m.content is none or not m.tool_calls)",
    )
    expect(render(source, [ASK, callWeather(OSLO), answerCall('rain')])).toContain(
      '(' + '{"name": "weather", "arguments": {"city": "Oslo"}})',
    )
    expect(render(source, [ASK, callWeather(OSLO, 'x', 'Hm.'), answerCall('rain')])).toMatch(
      /<a>Hm\.<\/a><a>\(\{"name": "weather"/,
    )
  })

  it('are text where a template shows none, and results are turns of the user', () => {
    const source =
      "{% for m in messages %}{% if m.role not in ['user', 'assistant'] %}{{ raise_exception('unknown role') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    const turns = [ASK, callWeather(OSLO, 'x', 'Hm.'), answerCall('rain', 'x'), { role: 'user', content: 'And now?' }]
    expect(render(source, turns)).toBe(
      '<user>Weather?<assistant>Hm.\n\n{"name": "weather", "arguments": {"city": "Oslo"}}<user>Result of weather:\nrain<user>And now?',
    )
  })

  it('are shown in conversations without tools, too', () => {
    const source = write({
      call: '{% if not tools %}{{ c.function.arguments.items() | list }}{% else %}{{ c.function.arguments ~ "" }}{% endif %}{{ c.function.name }}',
    })
    expect(render(source, [ASK, callWeather(OSLO), answerCall('rain')], null)).toContain("([('city', 'Oslo')]weather)")
    expect(render(source, [ASK, callWeather(OSLO), answerCall('rain')])).toContain('({"city": "Oslo"}weather)')
  })
})

describe('system turns', () => {
  const rule = (content: string, role = 'system'): ChatTurn => ({ role, content })
  const hi: ChatTurn = { role: 'user', content: 'hi' }
  const NONE = write({
    before: "{% if messages[0].role == 'system' %}{{ raise_exception('no system turns here') }}{% endif %}",
  })
  const FIRST = write({
    before:
      "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('system comes first') }}{% endif %}{% endfor %}",
  })
  const LOSES =
    "{% if messages[0].role == 'system' %}[{{ messages[0].content }}]{% endif %}{% for m in messages %}{% if m.role != 'system' %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}"
  const ALTERNATES =
    "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}[{{ messages[0].content }}]{% else %}{% set rest = messages %}{% endif %}" +
    "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}"

  it.each([
    ['no system turn', NONE, [rule('Be brief.'), hi], '<user>Be brief.\n\nhi</user><a>'],
    ['no system turn, two of them', NONE, [rule('A.'), rule('B.', 'developer'), hi], '<user>A.\n\nB.\n\nhi</user><a>'],
    ['only the first', FIRST, [rule('A.'), rule('B.', 'developer'), hi], '<system>A.\n\nB.</system><user>hi</user><a>'],
    ['only the first, a later one', FIRST, [rule('A.'), hi, rule('B.')], '<system>A.</system><user>hi\n\nB.</user><a>'],
    [
      'only the first, none at the head',
      FIRST,
      [hi, { role: 'assistant', content: 'yes' }, rule('B.'), hi],
      '<user>hi</user><a>yes</a><user>B.\n\nhi</user><a>',
    ],
    [
      'any, developer as system',
      write(),
      [rule('A.', 'developer'), hi, rule('B.')],
      '<system>A.</system><user>hi</user><system>B.</system><a>',
    ],
    ['only the first in silence', LOSES, [rule('A.'), rule('B.'), hi], '[A.\n\nB.]<user>hi'],
    ['only the first in silence, a later one', LOSES, [rule('A.'), hi, rule('B.')], '[A.]<user>hi\n\nB.'],
    ['turns that alternate', ALTERNATES, [rule('A.'), hi, rule('B.'), hi], '[A.]<user>hi\n\nB.\n\nhi'],
    [
      'turns that alternate, equal neighbours',
      ALTERNATES,
      [hi, hi, { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }, hi],
      '<user>hi\n\nhi<assistant>a\n\nb<user>hi',
    ],
    [
      'turns that alternate, an answer first',
      ALTERNATES,
      [{ role: 'assistant', content: 'a' }, hi],
      '<user><assistant>a<user>hi',
    ],
  ])('fit a template that takes %s', (_name, source, messages, expected) => {
    expect(render(source, messages, null)).toBe(expected)
  })

  it('are tried in other places before a refusal', () => {
    // Only a conversation of this length is refused, so no sample shows it.
    const source = `{% if messages|length > 7 and messages[-1].role == 'system' %}{{ raise_exception('the last turn is of the system') }}{% endif %}${write()}`
    const turns = [
      ...Array.from({ length: 4 }, () => [hi, { role: 'assistant', content: 'yes' }]).flat(),
      rule('Be brief.'),
    ]
    expect(render(source, turns, null)).toMatch(/^<system>Be brief\.<\/system><user>hi/)
  })

  it('leave the refusal where nothing helps', () => {
    const refuses = `{% if messages|length > 1000 and messages[-1].role == 'system' %}{{ raise_exception('last') }}{% endif %}${write()}`
    const long = Array.from({ length: 500 }, () => [hi, { role: 'assistant', content: 'yes' }]).flat()
    expect(() => render(refuses, [...long, rule('A.')], null)).toThrow('last')
    const source = `{% if messages|length > 7 %}{{ raise_exception('too long') }}{% endif %}${write()}`
    const turns = Array.from({ length: 4 }, () => [hi, { role: 'assistant', content: 'yes' }]).flat()
    expect(() => render(source, turns, null)).toThrow('too long')
    expect(() => render("{{ raise_exception('never') }}", [rule('A.'), hi])).toThrow('never')
  })
})

describe('tools', () => {
  const now = (more: object = {}): unknown => ({ type: 'function', function: { name: 'now', ...more } })

  it.each([
    [
      'adds text to the description',
      "{% for t in tools or [] %}{{ '// ' + t.function.description }} {{ t.function.name }}{% endfor %}",
      now(),
      '//  now',
    ],
    [
      'walks the properties',
      '{% for t in tools or [] %}{{ t.function.name }}{% for k in t.function.parameters.properties %} {{ k }}{% endfor %}{% endfor %}',
      now({ description: 'd' }),
      'now',
    ],
    [
      'walks the entries',
      '{% for t in tools or [] %}{{ t.function.name }}{% for k, v in t.function.parameters.properties.items() %} {{ k }}{% endfor %}{% endfor %}',
      now({ parameters: {} }),
      'now',
    ],
    [
      'writes JSON of the parts',
      '{% for t in tools or [] %}{{ t.function.name }} {{ t.function.parameters | tojson }}{{ t.function.description | tojson }}{% endfor %}',
      now({ parameters: null, description: null }),
      'now {"type": "object", "properties": {}}""',
    ],
    [
      'reads the type',
      "{% for t in tools or [] %}{{ t.type + ' ' + t.function.parameters.type + ' ' + t.function.name }}{% endfor %}",
      { function: { name: 'now' } },
      'function object now',
    ],
    [
      'reads a flat one',
      '{% for t in tools or [] %}{{ t.function.name }}{% endfor %}',
      { type: 'function', name: 'now' },
      'now',
    ],
    ['walks a list that must be there', '{% for t in tools %}{{ t.function.name }}{% endfor %}', now(), 'now'],
    [
      'demands a description of each property',
      '{% for t in tools or [] %}{{ t.function.name }}{% for k, v in t.function.parameters.properties.items() %} {{ k + v.description + v.type.upper() }}{% endfor %}{% endfor %}',
      now({ parameters: { type: 'object', properties: { at: { type: ['null', 'string'] } } } }),
      'now atSTRING',
    ],
  ])('have all that a template needs which %s', (_name, tools, tool, expected) => {
    expect(render(write({ tools }), [ASK], [tool])).toBe(`${expected}<user>Weather?</user><a>`)
    expect(render(write({ tools }), [ASK], null)).toBe('<user>Weather?</user><a>')
  })

  it('are shown by the template for them', () => {
    const template = createChatTemplate({ source: '{{ messages[0].content }}', toolSource: write() })
    expect(template.showsTools).toBe(true)
    expect(template.render({ messages: [ASK], tools: [WEATHER] })).toBe('[weather]<user>Weather?</user><a>')
    expect([null, []].map((tools) => template.render({ messages: [ASK], tools }))).toEqual(['Weather?', 'Weather?'])
  })

  it.each([
    [true, write()],
    [false, write({ tools: '' })],
    [false, write({ tools: '{{ tools | length }}' })],
    [false, "{{ raise_exception('no') }}"],
    [true, '{{ messages[0].content }}{{ functions }}{{ datetime + "" }}'],
  ])('are shown: %s, by %j', (shown, source) => {
    expect(createChatTemplate({ source }).showsTools).toBe(shown)
  })
})

describe('a chat template', () => {
  it('may append to lists', () => {
    const before = '{% set seen = namespace(ids=[]) %}'
    expect(
      render(write({ before, call: '{% set _ = seen.ids.append(c.id) %}{{ c.function.name }}' }), [
        ASK,
        callWeather(OSLO),
        answerCall('rain'),
      ]),
    ).toBe(toPrompt('weather'))
  })

  it('leaves its input as it was', () => {
    const messages = [{ role: 'developer', content: 'A.' }, ASK, callWeather(''), answerCall('rain')]
    const copy = structuredClone(messages)
    render("{% set _ = messages.pop() %}{% set _ = messages[0].update(role='x') %}{{ messages }}", messages)
    expect(messages).toEqual(copy)
  })

  it('protects data in its last form', () => {
    const template = createChatTemplate({
      source: write({ call: '{{ c.function.name }} {{ c.function.arguments.city }}' }),
    })
    const protect = <Value>(value: Value): Value => protectValue(value) as Value
    const given = parseJsonKeepingNumbers('{"city": "\\u003cmark>"}')
    for (const city of ['{"city": "\\u003cmark>"}', given]) {
      const shown = template.render({ messages: [ASK, callWeather(city)], tools: null, protect })
      expect(shown).toContain('(weather [mark])')
    }
  })

  it('is bounded while its demands are found', () => {
    const template = createChatTemplate({
      source: '{% for x in range(100000) %}{% for y in range(100000) %}{% endfor %}{% endfor %}',
    })
    expect(template.showsTools).toBe(false)
    expect(() => template.render({ messages: [ASK], tools: null })).toThrow(JinjaLimitError)
  })

  it('finds its demands once', () => {
    let reads = 0
    const clock = { now: () => reads++ }
    const template = createChatTemplate({ source: `{{ strftime_now('%Y') }}${write({ call: FILTERS })}`, clock })
    const turns = [ASK, callWeather(OSLO), answerCall('rain')]
    for (const tools of [null, [WEATHER]]) template.render({ messages: turns, tools })
    reads = 0
    for (const tools of [null, [WEATHER], null]) template.render({ messages: turns, tools })
    expect(reads).toBe(3)
  })
})

function protectValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('<mark>', '[mark]')
  if (Array.isArray(value)) return value.map(protectValue)
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, protectValue(item)]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, protectValue(item)]))
}
