import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { selectTools } from './select-tools.ts'

const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })
const named = (settings: ModelConfig['function'], tools: readonly unknown[], toolChoice?: unknown) => {
  const { functions, ...rest } = selectTools(createModel({ function: settings }), { tools, toolChoice })
  return { ...rest, names: functions.map(({ name }) => name) }
}
const OFF = { mustCall: false, isActive: false, needsGrammar: false, names: [] }

describe('tools of a prompt', () => {
  it('are none without tools, or when the client allows none', () => {
    expect(named({}, [])).toEqual(OFF)
    expect(selectTools(createModel(), {})).toMatchObject({ isActive: false, needsGrammar: false, functions: [] })
    expect(named({}, [tool('a')], 'none')).toEqual(OFF)
    expect(named({}, [null, 1, 'a', [], {}, tool(''), { type: 'function', function: { name: 1 } }])).toEqual(OFF)
  })

  it('are all of them, and the answer where a grammar leaves no other way to give one', () => {
    expect(named({}, [tool('a'), tool('b')])).toMatchObject({
      isActive: true,
      needsGrammar: true,
      names: ['a', 'b', 'answer'],
      answerTool: 'answer',
    })
    expect(named({ grammar: { disable: true } }, [tool('a')])).toMatchObject({
      isActive: true,
      needsGrammar: false,
      names: ['a'],
    })
  })

  it.each([undefined, null, 'auto', '', 'anything', {}, { type: 'function' }, '{"broken', 7])(
    'are all of them for a choice of %j',
    (choice) => {
      expect(named({}, [tool('a'), tool('b')], choice).names).toEqual(['a', 'b', 'answer'])
    },
  )

  it.each([
    { type: 'function', function: { name: 'b' } },
    { type: 'function', name: 'b' },
    { name: 'b' },
    '{"type":"function","function":{"name":"b"}}',
    'b',
  ])('are the one that is chosen by %j', (choice) => {
    expect(named({}, [tool('a'), tool('b')], choice)).toMatchObject({
      isActive: true,
      needsGrammar: true,
      names: ['b'],
    })
  })

  it('are none when the client chooses an unknown tool', () => {
    expect(named({}, [tool('a')], { type: 'function', function: { name: 'z' } })).toMatchObject({
      isActive: true,
      needsGrammar: true,
      names: [],
    })
  })

  it('take no answer when a call is required, a tool is strict or the file says so', () => {
    expect(named({}, [tool('a')], 'required').names).toEqual(['a'])
    expect(named({}, [tool('a'), tool('b', { strict: true })]).names).toEqual(['a', 'b'])
    expect(named({ disableNoAction: true }, [tool('a')]).names).toEqual(['a'])
  })

  it('need a grammar for a strict tool even when the file has none', () => {
    expect(named({ grammar: { disable: true } }, [tool('a', { strict: true })]).needsGrammar).toBe(true)
  })

  it('keep name, description and parameters, in either form', () => {
    const parameters = { type: 'object' }
    const wanted = { name: 'a', description: 'does a', strict: false, parameters }
    const model = createModel({ function: { disableNoAction: true } })
    const nested = [tool('a', { description: 'does a', parameters })]
    const flat = [{ type: 'function', name: 'a', description: 'does a', parameters }]
    expect(selectTools(model, { tools: nested }).functions).toEqual([wanted])
    expect(selectTools(model, { tools: flat }).functions).toEqual([wanted])
    const wrong = [tool('a', { description: 1, strict: 'yes', parameters: [] })]
    expect(selectTools(model, { tools: wrong }).functions).toEqual([{ name: 'a', description: '', strict: false }])
  })

  it('name the answer as the file wants it', () => {
    const settings = { noActionFunctionName: 'say', noActionDescriptionName: 'just say it' }
    const { functions, answerTool } = selectTools(createModel({ function: settings }), { tools: [tool('a')] })
    expect(functions.at(-1)).toMatchObject({ name: 'say', description: 'just say it' })
    expect(answerTool).toBe('say')
  })
})
