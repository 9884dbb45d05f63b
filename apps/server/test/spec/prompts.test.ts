import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const HISTORY = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello!' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Who' },
      { type: 'text', text: ' are you?' },
    ],
  },
]

async function findPrompt(server: TestServer, body: object = {}): Promise<unknown> {
  const reply = await server.post('/v1/chat/completions', { model: 'm', messages: HISTORY, ...body })
  expect(reply.status).toBe(200)
  const asked = server.records('m').findLast(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request
  return (asked as { Prompt: string }).Prompt
}

const world = async (keys: Record<string, unknown>): Promise<TestServer> => {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'Fine' } }] }, keys)
  return server
}

describe('prompts by the templates of a model file', () => {
  // verifies model-file:templates:go-syntax
  it('writes each message, then the chat around them', async () => {
    await using server = await world({
      template: {
        chat_message: '<|{{.RoleName}}|>{{if eq .RoleName "user"}}{{.Content | upper}}{{else}}{{.Content}}{{end}}',
        chat: '{{.Input}}\n<|assistant|>',
      },
    })
    expect(await findPrompt(server)).toBe(
      '<|system|>Be brief.\n<|user|>HI\n<|assistant|>Hello!\n<|user|>WHO ARE YOU?\n<|assistant|>',
    )
  })

  it('reads a template from its file, and again when the file has changed', async () => {
    await using server = await world({ template: { chat: 'house' } })
    await server.writeModelFile('house.tmpl', 'first: {{.Input}}')
    expect(await findPrompt(server, { messages: [{ role: 'user', content: 'Hi' }] })).toBe('first: Hi')
    await server.writeModelFile('house.tmpl', 'the second: {{.Input}}')
    expect(await findPrompt(server, { messages: [{ role: 'user', content: 'Hi' }] })).toBe('the second: Hi')
  })

  it('roles print the text of the file, and templates that fail are left out', async () => {
    await using server = await world({
      roles: { system: 'S:', user: 'U:', assistant: 'A:' },
      template: { chat_message: '{{.Absent}}', chat: '{{.Input}}|' },
    })
    expect(await findPrompt(server)).toBe('S:Be brief.\nU:Hi\nA:Hello!\nU:Who are you?|')
  })

  it('syntax of templates in a message stays text', async () => {
    await using server = await world({ template: { chat: '[{{.Input}}]' } })
    const content = '{{.SystemPrompt}} {% raw %}'
    expect(await findPrompt(server, { messages: [{ role: 'user', content }] })).toBe(`[${content}]`)
  })

  it('edits the reply as the file says', async () => {
    await using server = await world({
      template: { chat: '{{.Input}}', reply_prefix: '> ' },
      cutstrings: ['F'],
      trimsuffix: ['e'],
    })
    for (const stream of [false, true]) {
      const reply = await server.chat('m', { stream })
      const text = stream
        ? [...reply.text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')
        : (reply.json() as { choices: { message: { content: string } }[] }).choices[0]?.message.content
      expect([stream, text]).toEqual([stream, '> in'])
    }
  })
})
