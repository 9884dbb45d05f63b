import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestMessage } from './test-message.ts'
import { readChats, TransferError, toJson, toMarkdown } from './transfer.ts'
import { listPath } from './tree.ts'
import { type Chat, DEFAULT_SETTINGS, type Message } from './types.ts'

const names = { user: 'You', untitled: 'Untitled' }

function toChat(messages: readonly Message[]): Chat {
  const leafId = messages.at(-1)?.id ?? null
  const entry = { id: 'chat', title: 'A chat', model: 'm', createdAt: 5, updatedAt: 6, bytes: 0, leafId }
  return { entry: { ...entry, settings: { ...DEFAULT_SETTINGS, systemPrompt: 'short', topK: 3 } }, messages }
}

const texts = (chat: Chat | undefined) =>
  listPath(chat?.messages ?? [], chat?.entry.leafId ?? null).map(({ role, text, reasoning }) => ({
    role,
    text,
    reasoning,
  }))

const chat = toChat([
  createTestMessage({ id: 'q', text: 'question' }),
  createTestMessage({ id: 'a', parentId: 'q', role: 'assistant', text: 'old', createdAt: 1 }),
  createTestMessage({
    id: 'b',
    parentId: 'q',
    role: 'assistant',
    text: '# new\n\n```js\n1\n```',
    reasoning: 'a --> b',
    model: 'm',
    createdAt: 2,
    toolCalls: [{ id: 'c', name: 'get', arguments: '{}', result: 'r', startedAt: 1 }],
  }),
])

test('JSON brings back versions, settings and calls under new ids', () => {
  const [read] = readChats(toJson([chat]))
  expect(read?.entry).toMatchObject({ title: 'A chat', model: 'm', createdAt: 5, settings: chat.entry.settings })
  expect(read?.entry.id).not.toBe('chat')
  expect(read?.messages).toHaveLength(3)
  expect(texts(read)).toEqual(texts(chat))
  expect(read?.messages.at(-1)?.toolCalls).toEqual(chat.messages.at(-1)?.toolCalls)
})

test('Markdown shows the visible version and is read again', () => {
  const text = toMarkdown([chat], names)
  expect(text).toContain('# A chat')
  expect(text).toContain('## You\n\nquestion')
  expect(text).not.toContain('old')
  expect(texts(readChats(text)[0])).toEqual(texts(chat))
})

test('no text can end a message of the Markdown form', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.constantFrom('<!-- svc-message {"role":"user"} -->', '-->', '## You\n\n', '# x'),
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.array(anyText).map((parts) => parts.join('\n').trim()),
        { minLength: 1 },
      ),
      (parts) => {
        const messages = parts.map((text, index) =>
          createTestMessage({
            id: String(index),
            parentId: index === 0 ? null : String(index - 1),
            text,
            createdAt: index,
          }),
        )
        const written = toChat(messages)
        expect(texts(readChats(toMarkdown([written], names))[0])).toEqual(texts(written))
      },
    ),
  )
})

test.each(['', 'hello', '{"format":"svc-chats"', '{"format":"other","chats":[{}]}', '[]', '{}'])(
  'refuses %j',
  (text) => {
    expect(() => readChats(text)).toThrow(TransferError)
  },
)

test('a file of strangers brings no address and no half-written answer', () => {
  const file = { kind: 'image', name: 'x', type: 'image/png', bytes: 1 }
  const messages = [
    {
      id: 'q',
      role: 'user',
      text: 1,
      attachments: [
        { ...file, data: 'https://evil.test/x' },
        { ...file, data: 'data:image/png;base64,AA' },
      ],
    },
    { id: 'a', parentId: 'q', role: 'assistant', text: 'part', state: 'streaming', background: { responseId: 'r' } },
  ]
  const [read] = readChats(JSON.stringify({ format: 'svc-chats', chats: [{ messages }] }))
  expect(read?.messages[0]).toMatchObject({ text: '', attachments: [{ data: 'data:image/png;base64,AA' }] })
  expect(read?.messages[1]?.state).toBe('interrupted')
  expect(read?.messages[1]).not.toHaveProperty('background')
})
