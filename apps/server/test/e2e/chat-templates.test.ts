import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { readDemoWeights } from '../support/demo-weights.ts'
import { openChat, postChat, readAnswer } from './open-chat.ts'

/** Refuses text arguments, long ids, a second system turn and equal neighbours, and does not show tools. */
const STRICT = [
  "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('one system turn') }}{% endif %}",
  "{% if not loop.first and loop.previtem.role == m.role %}{{ raise_exception('roles alternate') }}{% endif %}",
  '<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}',
  "{% if c.id | length != 9 %}{{ raise_exception('nine letters') }}{% endif %}",
  '{{ c.function.name }}{% for k, v in c.function.arguments.items() %} {{ k }}={{ v }}{% endfor %}{% endfor %}',
  '<|im_end|>\n{% endfor %}<|im_start|>assistant\n',
].join('')
const TOOLS = [{ type: 'function', function: { name: 'weather' } }]
const SHORT = { temperature: 0, max_tokens: 3 }

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_THREADS: '1' } })
  await writeFile(join(server.folder, 'models', 'strict.gguf'), await readDemoWeights({ template: STRICT }))
  await writeFile(join(server.folder, 'base.gguf'), await readDemoWeights({ template: undefined }))
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a chat template that refuses the usual forms', () => {
  verifies(
    'model-file:chat-template:any-conversation',
    'takes a conversation with tools of a usual client',
    async () => {
      const id = 'call_0123456789ab'
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello!' },
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '' } }],
        },
        { role: 'tool', tool_call_id: id, content: 'rain' },
      ]
      expect(await readAnswer(await postChat(server.url, 'strict.gguf', { ...SHORT, messages }))).not.toBe('')
    },
  )

  verifies(
    'model-file:chat-template:tools-not-shown',
    'and shows no tools: the reply says so, whole and streamed',
    async () => {
      const ask = { ...SHORT, tools: TOOLS }
      for (const stream of [false, true]) {
        const reply = await postChat(server.url, 'strict.gguf', { ...ask, stream })
        expect([reply.status, reply.headers.get('x-svc-warning')]).toEqual([
          200,
          'tools_not_shown: the chat template of the model shows no tools',
        ])
        await reply.text()
      }
      const without = await postChat(server.url, 'strict.gguf', SHORT)
      expect(without.headers.get('x-svc-warning')).toBeNull()
    },
  )
})

describe('weights without a chat template', () => {
  verifies('model-file:chat-template:absent', 'are said to continue text, and are not offered for chats', async () => {
    const added = await runBuilt(server.folder, ['models', 'add', 'base.gguf'])
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toMatch(/^added model "base": .*\nThe file has no chat template: the model continues text\./)
    const listed = await runBuilt(server.folder, ['models', 'list'])
    expect(listed.stdout).toMatch(
      /^base +llama +completion,edit,tokenize +base\.yaml +no chat template: continues text$/m,
    )
    const capabilities = await (await fetch(`${server.url}/api/models/capabilities`)).json()
    expect(JSON.stringify(capabilities)).toContain('"base"')
    await eventually(() => expect(server.output()).toContain('model has no chat template and continues text'))
  })

  it('continue the text of a chat without marks of another form, and the reply says so', async () => {
    const reply = await postChat(server.url, 'base', { ...SHORT, max_tokens: 20 })
    expect(reply.headers.get('x-svc-warning')).toBe(
      'no_chat_template: the model has no chat template: it continues the text of the messages',
    )
    expect(await readAnswer(reply)).not.toContain('<|im_')
  })

  it('chat with a template of the model file', async () => {
    const text =
      'name: base-chat\nbackend: llama\nparameters: {model: base.gguf}\ntemplate: {chat_message: "{{.RoleName}}: {{.Content}}"}\n'
    await writeFile(join(server.folder, 'models', 'base-chat.yaml'), text)
    const reply = await postChat(server.url, 'base-chat', SHORT)
    expect([reply.status, reply.headers.get('x-svc-warning')]).toEqual([200, null])
    const chat = openChat(server.url, 'base-chat', SHORT)
    expect(await chat.ended).toBe('whole')
  })
})
