import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../core/request.ts'
import { toPredictOptions } from '../engine/to-predict-options.ts'
import {
  type BackendMessage,
  type PromptRecord,
  readModel,
  readPrompts,
  toPromptInput,
  toStop,
} from './__fixtures__/read-prompts.ts'
import { createPromptBuilder } from './prompt-builder.ts'
import { selectTools } from './select-tools.ts'

const records = readPrompts()
const exact = records.filter(({ quirk }) => quirk === undefined)
const { signal } = new AbortController()

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])

function isChatMessage(message: BackendMessage): message is ChatMessage {
  return ROLES.has(message.role)
}

async function chatPrompt({ file, request }: PromptRecord): Promise<string | null> {
  const chat = await createPromptBuilder().chat(readModel(file), toPromptInput(request), { signal })
  return chat.mode === 'prompt' ? chat.prompt : null
}

// verifies model-file:galleries:load-as-they-are
describe('prompts of existing model files', () => {
  it('has all records', () => {
    const count = (wanted: string) => records.filter(({ kind }) => kind === wanted).length
    expect([count('chat'), count('completion'), count('edit')]).toEqual([83, 6, 3])
    expect(records.length - exact.length).toBe(3)
  })

  it.each(exact.filter(({ kind }) => kind === 'chat'))('chat $name', async (record) => {
    expect(await chatPrompt(record)).toBe(record.prompt)
  })

  it.each(exact.filter(({ kind }) => kind === 'completion'))('completion $name', ({ file, request, prompts }) => {
    const model = readModel(file)
    const texts = [request.prompt ?? []].flat()
    expect(texts.map((text) => createPromptBuilder().completion(model, text))).toEqual(prompts)
  })

  it.each(exact.filter(({ kind }) => kind === 'edit'))('edit $name', ({ file, request, prompts }) => {
    const { input = '', instruction = '' } = request
    expect([createPromptBuilder().edit(readModel(file), { input, instruction })]).toEqual(prompts)
  })

  it.each(records)('stop words of $name', ({ file, request, stop }) => {
    const input = { messages: [], generation: { stop: toStop(request) } }
    const fields = toPredictOptions(readModel(file), input, { correlationId: 'c', choice: 0, prompt: 'p' })
    expect(fields.StopPrompts).toEqual(stop)
  })

  it.each(records.filter(({ kind }) => kind === 'chat'))('tools of $name', ({ file, request, ...record }) => {
    const input = toPromptInput(request)
    const { isActive, needsGrammar } = selectTools(readModel(file), input)
    expect(isActive).toBe(record.tools_active)
    expect(needsGrammar || input.structuredOutput !== undefined).toBe(record.grammar)
  })

  it.each(exact.filter((record) => record.backend_messages !== undefined))('messages of $name', (record) => {
    const messages = toPromptInput(record.request).messages.filter(isChatMessage)
    const input = { messages, generation: {} }
    const fields = toPredictOptions(readModel(record.file), input, { correlationId: 'c', choice: 0 })
    const sent = fields.Messages?.map(({ role, content, name, toolCallId, reasoningContent, toolCalls }) => ({
      role,
      content,
      name,
      tool_call_id: toolCallId,
      reasoning_content: reasoningContent,
      tool_calls: toolCalls,
    }))
    expect(sent).toEqual(record.backend_messages)
  })
})

describe('where our prompt is better than the recorded one', () => {
  const recorded = (name: string): PromptRecord => {
    const record = records.find((each) => each.name === name)
    if (record?.quirk === undefined) throw new Error(`no quirk ${name}`)
    return record
  }

  it.each(['01/tool-choice-required', '02/tool-choice-required'])('lists all tools for %s', async (name) => {
    const record = recorded(name)
    const named = async (tool: string) => {
      const choice = { type: 'function', function: { name: tool } }
      return (await chatPrompt({ ...record, request: { ...record.request, tool_choice: choice } })) ?? ''
    }
    const prompt = (await chatPrompt(record)) ?? ''
    const [weather, search] = [await named('get_weather'), await named('search_notes')]
    const line = (text: string, word: string) => text.split('\n').find((each) => each.includes(word)) ?? 'none'
    expect(prompt).toContain(line(weather, 'get_weather'))
    expect(prompt).toContain(line(search, 'search_notes'))
    expect(prompt).not.toContain('answer without performing')
  })

  it('takes an empty list of calls for no calls', async () => {
    expect(await chatPrompt(recorded('04/empty-tool-calls'))).toBe(
      'You are terse.\nNever guess.\n\n### Human:\nw?\n### Helper:\n\nhello\n### Human:\nbye\n### Helper:\n',
    )
  })
})
