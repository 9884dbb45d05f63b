import { writeFileSync } from 'node:fs'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ChatRequest } from '../core/request.ts'
import { createCollectingLogger } from './__fixtures__/collecting-logger.ts'
import { parseModel } from './__fixtures__/read-prompts.ts'
import { createPromptBuilder } from './prompt-builder.ts'
import type { ChatPromptInput, PromptMessage } from './prompt-input.ts'

const { signal } = new AbortController()
const prompts = createPromptBuilder()
const user = (content: string): PromptMessage => ({ role: 'user', content })
const TOOLS = [{ type: 'function', function: { name: 'f', description: 'd', parameters: { b: 1, a: 2 } } }]

async function chat(
  changes: Partial<ModelConfig>,
  input: Partial<ChatPromptInput> = {},
  options: { readonly mediaMarker?: string } = {},
) {
  const all = { messages: [user('hi')], ...input }
  const result = await prompts.chat(createModel(changes), all, { signal, ...options })
  return result.mode === 'prompt' ? result.prompt : result.mode
}

describe('the prompt of a chat', () => {
  it('is left to the backend when the model has its own template', async () => {
    expect(await chat({ template: { useTokenizerTemplate: true, chat: 'x' } })).toBe('backend')
    expect(await chat({ template: { useTokenizerTemplate: false, chat: 'x' } })).toBe('x')
  })

  it('is made of a domain request as it is', async () => {
    const request: ChatRequest = {
      kind: 'chat',
      messages: [{ role: 'user', content: 'hi' }],
      generation: { stop: ['END'] },
      choices: 1,
      structuredOutput: { kind: 'json-object' },
      stream: false,
    }
    const model = createModel({ template: { chatMessage: '{{.Content}} {{.Function}}' } })
    expect(await prompts.chat(model, request, { signal })).toEqual({ mode: 'prompt', prompt: 'hi true' })
  })

  it('is the messages, a line each, where there is no template', async () => {
    const messages = [user('a'), { role: 'assistant', content: 'b' }, user('c')]
    expect(await chat({}, { messages })).toBe('a\nb\nc')
    expect(await chat({ template: { joinChatMessagesByCharacter: '' } }, { messages })).toBe('abc')
    expect(await chat({ template: { joinChatMessagesByCharacter: ' -- ' } }, { messages })).toBe('a -- b -- c')
  })

  it('adds no separator for messages that a template leaves out', async () => {
    const template = { chatMessage: '{{if ne .RoleName "system"}}{{.Content}}{{end}}' }
    const messages = [{ role: 'system', content: 's' }, user('a'), { role: 'system', content: 's' }, user('b')]
    expect(await chat({ template }, { messages })).toBe('a\nb')
  })

  it('keeps the line of a message that is empty without a template', async () => {
    expect(await chat({}, { messages: [user('a'), user(''), user('b')] })).toBe('a\n\nb')
  })

  it('is the text that `chat` writes from the messages', async () => {
    expect(await chat({ template: { chat: '<{{.Input}}>' } })).toBe('<hi>')
    expect(await chat({ template: { chat: '<{{.Input}}>' } }, { messages: [] })).toBe('<>')
  })

  it('takes `function` instead where tools may be called', async () => {
    const template = { chat: 'chat {{.Input}}', function: '{{range .Functions}}{{.Name}},{{end}} {{.Input}}' }
    expect(await chat({ template }, { tools: TOOLS })).toBe('f,answer, hi')
    expect(await chat({ template }, { tools: TOOLS, toolChoice: 'none' })).toBe('chat hi')
    expect(await chat({ template: { chat: 'chat {{.Input}}' } }, { tools: TOOLS })).toBe('chat hi')
    expect(await chat({ template: { function: '{{.Input}}!' } })).toBe('hi')
  })

  it('lists tools for `chat` too, and none when they are switched off', async () => {
    const template = { chat: '{{len .Functions}}{{range .Functions}}{{toJson .Parameters}}{{end}}' }
    const settings = { disableNoAction: true }
    expect(await chat({ template, function: settings }, { tools: TOOLS })).toBe('1{"a":2,"b":1}')
    expect(await chat({ template, function: settings }, { tools: TOOLS, toolChoice: 'none' })).toBe('0')
  })

  it('tells the last message of a grammar, from every source of one', async () => {
    const template = { chatMessage: '{{.Function}}' }
    const messages = [user('a'), user('b')]
    expect(await chat({ template }, { messages })).toBe('false\nfalse')
    expect(await chat({ template }, { messages, tools: TOOLS })).toBe('false\ntrue')
    expect(await chat({ template }, { messages, structuredOutput: { kind: 'gbnf' } })).toBe('false\ntrue')
    expect(await chat({ template, llm: { grammar: 'root ::= "x"' } }, { messages })).toBe('false\ntrue')
    expect(await chat({ template, function: { grammar: { disable: true } } }, { messages, tools: TOOLS })).toBe(
      'false\nfalse',
    )
  })

  it('has the system prompt of the model unless a system message stands for it', async () => {
    const changes = {
      llm: { systemPrompt: 'Be kind.' },
      template: { chat: '{{if not .SuppressSystemPrompt}}{{.SystemPrompt}} {{end}}{{.Input}}' },
    }
    const messages = [{ role: 'system', content: 'Be brief.' }, user('hi')]
    expect(await chat(changes)).toBe('Be kind. hi')
    expect(await chat(changes, { messages })).toBe('Be brief.\nhi')
    const templated = { ...changes, template: { ...changes.template, chatMessage: '{{.Content}}' } }
    expect(await chat(templated, { messages })).toBe('Be kind. Be brief.\nhi')
  })

  it('knows effort and metadata, but no keys of the server', async () => {
    const template = { chat: '{{.ReasoningEffort}}{{range $k, $v := .Metadata}} {{$k}}={{$v}}{{end}}' }
    const metadata = { b: '2', a: '1', mcp_servers: 'x', chat_template_kwargs: '{}' }
    expect(await chat({ template }, { reasoningEffort: 'high', metadata })).toBe('high a=1 b=2')
    expect(await chat({ template, reasoningEffort: 'low' })).toBe('low')
    expect(await chat({ template, reasoningEffort: 'low' }, { reasoningEffort: 'high' })).toBe('high')
  })

  it('takes text for text, template or not', async () => {
    const hostile = '{{.SystemPrompt}} {{define "prompt"}}x{{end}} {{range until 99}}y{{end}} {{'
    const llm = { systemPrompt: 'secret' }
    expect(await chat({ llm }, { messages: [user(hostile)] })).toBe(hostile)
    const template = { chatMessage: '<{{.RoleName}}:{{.FunctionName}}:{{.Content}}>', chat: '[{{.Input}}]' }
    const messages = [{ role: '{{.Role}}', name: '{{.Input}}', content: hostile }]
    expect(await chat({ llm, template }, { messages })).toBe(`[<{{.Role}}:{{.Input}}:${hostile}>]`)
    const tools = [{ type: 'function', function: { name: '{{.Input}}', description: hostile } }]
    const listing = { function: '{{range .Functions}}{{.Name}} {{.Description}}{{end}}' }
    const answerless = { disableNoAction: true }
    expect(await chat({ llm, template: listing, function: answerless }, { tools })).toBe(`{{.Input}} ${hostile}`)
  })

  it('is the joined messages where the template fails', async () => {
    for (const broken of ['{{.Nope}}', '{{', '{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}']) {
      expect(await chat({ template: { chat: broken, chatMessage: '<{{.Content}}>' } })).toBe('<hi>')
    }
  })

  it("carries the backend's own marker for media", async () => {
    const messages = [{ ...user('what is <__media__>?'), media: { images: 1 } }]
    const template = { chat: 'Q: {{.Input}}' }
    expect(await chat({ template }, { messages })).toBe('Q: <__media__>what is <__media__>?')
    expect(await chat({ template }, { messages }, { mediaMarker: '<IMG-7>' })).toBe('Q: <IMG-7>what is <__media__>?')
  })

  it('lets other work in, and ends for a client that has gone', async () => {
    const messages = Array.from({ length: 10_000 }, (_, index) => user(String(index)))
    const controller = new AbortController()
    const going = prompts.chat(createModel(), { messages }, { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('gone')))
    await expect(going).rejects.toThrow('gone')
    expect(await chat({}, { messages })).toBe(messages.map(({ content }) => content).join('\n'))
  })

  it('is no longer than a backend can be sent', async () => {
    const messages = Array.from({ length: 8 }, () => user('x'.repeat(8 * 1024 * 1024)))
    await expect(chat({}, { messages })).rejects.toMatchObject({ kind: 'too_large', code: 'prompt_too_long' })
  })
})

describe('the prompt of a completion', () => {
  const template = { completion: '{{.SystemPrompt}} {{.Input | upper}} {{.ReasoningEffort}}' }

  it('is the text, or the output of `completion`', () => {
    expect(prompts.completion(createModel(), 'raw {{.x}}')).toBe('raw {{.x}}')
    const model = createModel({ template, llm: { systemPrompt: 'Kind.' } })
    expect(prompts.completion(model, 'go', { reasoningEffort: 'low' })).toBe('Kind. GO low')
  })

  it('is written here even when the backend writes prompts of chats', () => {
    const model = createModel({ template: { ...template, useTokenizerTemplate: true } })
    expect(prompts.completion(model, 'go')).toBe(' GO ')
  })

  it('is the text where the template fails', () => {
    expect(prompts.completion(createModel({ template: { completion: '{{.RoleName}}' } }), 'x')).toBe('x')
  })
})

describe('the prompt of an edit', () => {
  it('is the text, or the output of `edit` for text and instruction', () => {
    const input = { input: 'teh', instruction: 'fix' }
    expect(prompts.edit(createModel(), input)).toBe('teh')
    const model = createModel({ template: { edit: '{{.Instruction}}: {{.Input}}' } })
    expect(prompts.edit(model, input)).toBe('fix: teh')
  })
})

describe('templates', () => {
  it('are warned of once for each config, not for each request', async () => {
    const { logger, lines } = createCollectingLogger()
    const builder = createPromptBuilder({ logger })
    const yaml = 'name: odd\ntemplate:\n  chat: "{{.Nope}}"\n  chat_message: "{{"\n'
    const model = parseModel(yaml)
    for (let round = 0; round < 3; round += 1) await builder.chat(model, { messages: [user('my secret')] }, { signal })
    expect(lines.map(({ fields }) => fields.key)).toEqual(['template.chat_message', 'template.chat'])
    await builder.chat(parseModel(yaml), { messages: [] }, { signal })
    expect(lines).toHaveLength(4)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('follow changes of their files', async () => {
    await using dir = await tempDir()
    const model = createModel({ folder: dir.path, template: { chat: 'own' } })
    const write = async (text: string) => {
      writeFileSync(dir.join('own.tmpl'), text)
      return prompts.chat(model, { messages: [user('hi')] }, { signal })
    }
    expect(await write('1 {{.Input}}')).toEqual({ mode: 'prompt', prompt: '1 hi' })
    expect(await write('2 {{.Input}}')).toEqual({ mode: 'prompt', prompt: '2 hi' })
  })
})
