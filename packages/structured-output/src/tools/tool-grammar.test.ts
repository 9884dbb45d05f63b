import { describe, expect, it } from 'vitest'
import { createSampler, matchesGbnf, readGbnf, seededRandom } from '../../test/gbnf.ts'
import { createToolGrammar, type ToolGrammarInput } from './tool-grammar.ts'

const WEATHER = {
  name: 'weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}
const CLOCK = { name: 'clock' }
const ANSWER = { name: 'answer', parameters: { properties: { message: { type: 'string' } } } }

const call = (city: string): string => `{"name": "weather", "arguments": {"city": "${city}"}}`

/** The texts that the grammar accepts. */
function taken(input: Partial<ToolGrammarInput>, texts: readonly string[]): readonly string[] {
  const { grammar } = createToolGrammar({ functions: [WEATHER, CLOCK], settings: {}, ...input })
  const read = readGbnf(grammar)
  return texts.filter((text) => matchesGbnf(read, text))
}

function takesAll(input: Partial<ToolGrammarInput>, right: readonly string[], wrong: readonly string[]): void {
  expect(taken(input, right)).toEqual(right)
  expect(taken(input, wrong)).toEqual([])
}

describe('the grammar of calls', () => {
  it('is one call of one tool, by its whole schema', () => {
    takesAll(
      {},
      [call('Köln'), '{"name":"weather","arguments":{"city":"x","days":3}}', '{"name":"clock","arguments":{}}'],
      [
        '{"name":"weather","arguments":{}}',
        '{"name":"weather","arguments":{"city":1}}',
        '{"name":"clock","arguments":{"city":"x"}}',
        '{"name":"other","arguments":{}}',
        '{"name":"clock"}',
        `[${call('a')}]`,
        'It is late.',
      ],
    )
  })

  it('lets the model answer through the pseudo-tool, which always has a message', () => {
    takesAll(
      { functions: [CLOCK, ANSWER], answerTool: 'answer' },
      ['{"name":"answer","arguments":{"message":"Hi"}}', '{"name":"answer","arguments":{"message":""}}'],
      ['{"name":"answer","arguments":{}}'],
    )
  })

  it('follows references inside of the schema of each tool', () => {
    const tree = (type: string): Readonly<Record<string, unknown>> => ({
      $defs: { node: { properties: { value: { type }, next: { $ref: '#/$defs/node' } }, required: ['value'] } },
      $ref: '#/$defs/node',
    })
    const functions = [
      { name: 'a', parameters: tree('integer') },
      { name: 'b', parameters: tree('string') },
    ]
    takesAll(
      { functions },
      ['{"name":"a","arguments":{"value":1,"next":{"value":2}}}', '{"name":"b","arguments":{"value":"x"}}'],
      ['{"name":"a","arguments":{"value":"x"}}', '{"name":"b","arguments":{"value":1}}'],
    )
  })

  it('uses both keys of the model', () => {
    const settings = { functionNameKey: 'function', functionArgumentsKey: 'parameters' }
    takesAll({ settings }, ['{"function": "clock", "parameters": {}}'], ['{"name": "clock", "arguments": {}}'])
  })

  it('orders keys and properties as the model wants them', () => {
    const settings = { grammar: { propertiesOrder: 'arguments, name,days' } }
    takesAll(
      { settings },
      ['{"arguments":{"days":2,"city":"x"},"name":"weather"}'],
      [call('x'), '{"arguments":{"city":"x","days":2},"name":"weather"}'],
    )
  })

  it.each([
    [false, '[\n', ',\n'],
    [true, '[', ','],
  ])(
    'takes several calls at once where the model has it (without line breaks: %s)',
    (disableParallelNewLines, start, comma) => {
      const settings = { grammar: { parallelCalls: true, disableParallelNewLines } }
      const several = `${start}${call('a')}${comma}${call('b')}]`
      takesAll({ settings }, [several, `${start}${call('a')}]`, call('a')], [`${start}]`, `${call('a')}${call('b')}`])
      takesAll({ settings, parallel: false }, [call('a')], [several])
    },
  )

  it('begins with the prefix', () => {
    const settings = { grammar: { prefix: '<calls>\n"', parallelCalls: true, disableParallelNewLines: true } }
    takesAll({ settings }, [`<calls>\n"${call('a')}`, `<calls>\n"[${call('a')}]`], [call('a')])
  })

  it('takes text or calls in mixed mode without free text beside calls', () => {
    const settings = { grammar: { mixedMode: true, noMixedFreeString: true } }
    takesAll({ settings }, [call('a'), 'Hello {"you"}', ''], ['{"a": 1}', '{'])
  })

  it('takes text before calls in mixed mode, and after them where the model has it', () => {
    const mixed = { grammar: { mixedMode: true } }
    takesAll({ settings: mixed }, ['Hello', '', `Let me see. ${call('a')}`], [`${call('a')} done`, 'an {"object": 1}'])
    const after = { grammar: { mixedMode: true, expectStringsAfterJson: true } }
    takesAll({ settings: after }, [`Let me see. ${call('a')} Done.`, 'Hello'], [`${call('a')} {}`])
  })

  it('keeps text and a prefix apart, for any repetition of the prefix', () => {
    const settings = { grammar: { mixedMode: true, prefix: 'aab' } }
    takesAll({ settings }, [`aaab${call('x')}`, 'aa', 'aba {}', `baab${call('x')}`], ['aab', 'xaaab', 'aab {}'])
  })

  it('writes tags where the schema type says so', () => {
    const settings = { grammar: { schemaType: 'llama3.1', parallelCalls: true } }
    const clock = '<function=clock>{}</function>'
    takesAll(
      { settings },
      [clock, '<function=weather>{"city":"x"}</function>', `${clock}\n${clock}`],
      [call('x'), '<function=weather>{}</function>', '<function=other>{}</function>'],
    )
    takesAll({ settings, parallel: false }, [clock], [`${clock}\n${clock}`])
  })

  it('names its triggers and checks arguments against the rest of the schema', () => {
    const parameters = { properties: { list: { type: 'array', items: { type: 'integer' }, uniqueItems: true } } }
    const { triggers, check } = createToolGrammar({
      functions: [{ name: 'sum', parameters }],
      settings: { grammar: { triggers: [{ word: '<tool_call>' }, {}, { word: '' }] } },
    })
    expect(triggers).toEqual(['<tool_call>'])
    expect(check('sum', { list: [1, 2] })).toBeUndefined()
    expect(check('sum', { list: [1, 1] })).toEqual([{ pointer: '/list', reason: expect.stringContaining('twice') }])
    expect(check('none', {})).toBeUndefined()
  })

  it('names the strict tool with an unusable schema', () => {
    const broken = { name: 'broken', strict: true, parameters: { properties: { a: { $ref: '#/nowhere' } } } }
    expect(() => createToolGrammar({ functions: [CLOCK, broken], settings: {} })).toThrow(
      expect.objectContaining({
        kind: 'invalid_request',
        code: 'unsupported_schema',
        message: expect.stringMatching(/tool 2 \("broken"\).*\/properties\/a\/\$ref/),
      }),
    )
  })

  it('has bounds for all tools together', () => {
    const functions = Array.from({ length: 100 }, (_, index) => ({
      name: `tool${index}`,
      strict: true,
      parameters: { properties: { a: { pattern: `^x${index}$` } } },
    }))
    expect(() => createToolGrammar({ functions, settings: {} })).toThrow(/tool 65 .* 64 different patterns/)
    expect(createToolGrammar({ functions: functions.slice(0, 60), settings: {} }).grammar).toContain('tool59')
  })

  it('samples parse as JSON', () => {
    const { grammar, check } = createToolGrammar({
      functions: [WEATHER, CLOCK, { name: 'q"\\', parameters: { type: 'object', additionalProperties: true } }],
      settings: { grammar: { parallelCalls: true } },
    })
    const sample = createSampler(readGbnf(grammar), seededRandom(11), 4)
    for (let count = 0; count < 200; count += 1) {
      for (const { name, arguments: values } of [JSON.parse(sample())].flat())
        expect(check(name, values)).toBeUndefined()
    }
  })
})
