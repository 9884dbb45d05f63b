import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createMessageWriter } from './message-writer.ts'
import { createModelTemplates } from './model-templates.ts'
import type { PromptMessage } from './prompt-input.ts'

const PLACE = { index: 0, isLast: true, hasGrammar: false }
const CALL = { id: 'c1', name: 'f', arguments: '{"a":"<b>"}' }
const CALL_JSON =
  '[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":\\"\\u003cb\\u003e\\"}"}}]'

function writer(changes: Partial<ModelConfig>) {
  const model = createModel(changes)
  const template = createModelTemplates(model, { now: Date.now }).find('chat_message')
  return createMessageWriter(model, template)
}

function write(changes: Partial<ModelConfig>, message: Partial<PromptMessage>, place = PLACE) {
  return writer(changes).write({ role: 'user', content: '', ...message }, place)
}

const written = (changes: Partial<ModelConfig>, message: Partial<PromptMessage>, place = PLACE) =>
  write(changes, message, place).text

describe('a message without a template', () => {
  const roles = { user: 'U: ', assistant: 'A: ', system: 'S: ' }

  it('is the printed role, then the content', () => {
    expect(written({ roles }, { content: 'hi' })).toBe('U: hi')
    expect(written({ roles }, { role: 'developer', content: 'hi' })).toBe('hi')
    expect(written({}, { content: 'hi' })).toBe('hi')
    expect(written({ roles }, { role: 'toString', content: 'hi' })).toBe('hi')
  })

  it('is empty without content', () => {
    expect(written({ roles }, { content: '' })).toBe('')
  })

  it('tells calls as JSON after role and content', () => {
    const message = { role: 'assistant', toolCalls: [CALL] }
    expect(written({ roles }, message)).toBe(`A:  ${CALL_JSON}`)
    expect(written({ roles }, { ...message, content: 'So:' })).toBe(`A: So:\nA:  ${CALL_JSON}`)
    expect(written({}, message)).toBe(CALL_JSON)
    expect(written({}, { ...message, content: 'So:' })).toBe(`So:\n${CALL_JSON}`)
  })

  it('tells a call of the older format as its client wrote it, keys sorted', () => {
    const functionCall = { name: 'f', arguments: '{}', more: { z: 1, a: true } }
    const json = '{"arguments":"{}","more":{"a":true,"z":1},"name":"f"}'
    expect(written({}, { role: 'assistant', functionCall })).toBe(json)
    expect(written({}, { role: 'assistant', functionCall, toolCalls: [CALL] })).toBe(CALL_JSON)
    const both = { role: 'assistant', content: 'So:', functionCall, toolCalls: [CALL] }
    expect(written({}, both)).toBe(`So:\n${json}\n${CALL_JSON}`)
  })

  it('has a role of its own when the assistant calls a tool', () => {
    const calling = { ...roles, assistant_function_call: 'C: ' }
    expect(written({ roles: calling }, { role: 'assistant', toolCalls: [CALL] })).toBe(`C:  ${CALL_JSON}`)
    expect(written({ roles: calling }, { role: 'assistant', content: 'x', toolCalls: [] })).toBe('A: x')
    expect(written({ roles: calling }, { role: 'user', content: 'x', toolCalls: [CALL] })).toBe(
      `U: x\nU:  ${CALL_JSON}`,
    )
    const empty = { ...roles, assistant_function_call: '' }
    expect(written({ roles: empty }, { role: 'assistant', toolCalls: [CALL] })).toBe(`A:  ${CALL_JSON}`)
  })

  it('takes the place of the system prompt when it is a system message with content', () => {
    expect(write({ roles }, { role: 'system', content: 'x' }).isPlainSystem).toBe(true)
    expect(write({ roles }, { role: 'system', content: '' }).isPlainSystem).toBe(false)
    expect(write({ roles }, { role: 'user', content: 'x' }).isPlainSystem).toBe(false)
  })
})

describe('a message with a template', () => {
  const withTemplate = (chatMessage: string, changes: Partial<ModelConfig> = {}) => ({
    ...changes,
    template: { chatMessage },
  })

  it('sees role, names, content and place', () => {
    const model = withTemplate(
      '{{.SystemPrompt}}|{{.Role}}|{{.RoleName}}|{{.FunctionName}}|{{.Content}}|{{.MessageIndex}}|{{.LastMessage}}|{{.Function}}',
      { roles: { user: 'U: ' }, llm: { systemPrompt: 'Kind.' } },
    )
    const message = { name: 'bob', content: 'hi' }
    expect(written(model, message, { index: 3, isLast: false, hasGrammar: false })).toBe(
      'Kind.|U: |user|bob|hi|3|false|false',
    )
    expect(written(model, message, { index: 4, isLast: true, hasGrammar: true })).toBe(
      'Kind.|U: |user|bob|hi|4|true|true',
    )
  })

  it('gives templates calls as a list, with an index of 0 unless the client wrote one', () => {
    const model = withTemplate('{{range .FunctionCall}}{{.Index}}{{.ID}}{{.Type}}{{.FunctionCall.Name}};{{end}}')
    const toolCalls = [CALL, { ...CALL, id: 'c2' }, { ...CALL, id: 'c3', index: 7 }]
    expect(written(model, { role: 'assistant', toolCalls })).toBe('0c1functionf;0c2functionf;7c3functionf;')
  })

  it('sees one call of the older format as a map', () => {
    const model = withTemplate('{{.FunctionCall.name}} {{.FunctionCall.Name}}')
    expect(written(model, { functionCall: { name: 'f' } })).toBe('f <no value>')
  })

  it('gives templates null for no calls', () => {
    const model = withTemplate('{{if .FunctionCall}}calls{{else}}none{{end}}')
    expect(written(model, { toolCalls: [] })).toBe('none')
  })

  it('is left out when it comes out empty, and only then', () => {
    const model = withTemplate('{{if ne .Content "x"}}{{.Content}}{{end}}')
    expect(written(model, { content: 'x' })).toBeUndefined()
    expect(written(model, { content: ' ' })).toBe(' ')
  })

  it('never takes the place of the system prompt', () => {
    expect(write(withTemplate('{{.Content}}'), { role: 'system', content: 'x' })).toEqual({
      text: 'x',
      isPlainSystem: false,
    })
  })

  it('is as without one where the template fails, that message only', () => {
    const model = withTemplate('<{{if .FunctionCall}}{{.FunctionCall.Name}}{{end}}>', { roles: { system: 'S: ' } })
    const { write: next } = writer(model)
    expect(next({ role: 'system', content: 'x', toolCalls: [CALL] }, PLACE)).toEqual({
      text: `S: x\nS:  ${CALL_JSON}`,
      isPlainSystem: true,
    })
    expect(next({ role: 'system', content: 'x' }, PLACE)).toEqual({ text: '<>', isPlainSystem: false })
  })

  it('is as without one from where the template was stopped at a limit', () => {
    const endless =
      '{{if eq .Content "loop"}}{{range until 100000}}{{range until 100}}x{{end}}{{end}}{{end}}<{{.Content}}>'
    const { write: next } = writer(withTemplate(endless))
    const texts = ['a', 'loop', 'b'].map((content) => next({ role: 'user', content }, PLACE).text)
    expect(texts).toEqual(['<a>', 'loop', 'b'])
  })
})
