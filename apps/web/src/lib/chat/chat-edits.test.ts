import { describe, expect, it } from 'vitest'
import {
  addTurn,
  addVersion,
  dropMessage,
  judgeUnfinished,
  measureChat,
  reopenAnswer,
  replaceMessage,
  SILENCE_MS,
  toTitle,
} from './chat-edits.ts'
import { createTestMessage } from './test-message.ts'
import { type Attachment, type Chat, DEFAULT_SETTINGS, type Message } from './types.ts'

const file: Attachment = { id: 'f', kind: 'text', name: 'notes.md', type: 'text/plain', bytes: 3, data: 'abc' }

const makeChat = (messages: readonly Message[], leafId: string | null, title = 'A title'): Chat => ({
  entry: { id: 'c', title, createdAt: 0, updatedAt: 0, model: 'm', settings: DEFAULT_SETTINGS, leafId, bytes: 0 },
  messages,
})

/** Two versions of the first answer; the older one has been asked on. */
const TREE = [
  createTestMessage({ id: 'q1', createdAt: 1 }),
  createTestMessage({ id: 'a1', parentId: 'q1', role: 'assistant', createdAt: 2 }),
  createTestMessage({ id: 'a2', parentId: 'q1', role: 'assistant', createdAt: 3 }),
  createTestMessage({ id: 'q2', parentId: 'a1', createdAt: 4 }),
  createTestMessage({ id: 'a3', parentId: 'q2', role: 'assistant', createdAt: 5 }),
]
const ids = (chat: Chat) => chat.messages.map(({ id }) => id)

it.each([
  ['Who are you?', [], 'Who are you?'],
  ['  two\n\n lines\t', [], 'two lines'],
  ['', [file], 'notes.md'],
  [' \n', [file], 'notes.md'],
  ['', [], ''],
  ['x'.repeat(70), [], 'x'.repeat(70)],
  ['x'.repeat(71), [], `${'x'.repeat(69)}…`],
])('makes a title of %j', (text, attachments, title) => {
  expect(toTitle(text, attachments)).toBe(title)
})

it.each(['q1', 'a3', 'none'])('replaces the message %s and no other', (id) => {
  const replaced = replaceMessage(TREE, createTestMessage({ id, text: 'new' }))
  expect(replaced.map((message) => message.id)).toEqual(TREE.map((message) => message.id))
  expect(replaced.filter(({ text }) => text === 'new').map((message) => message.id)).toEqual(id === 'none' ? [] : [id])
})

describe('addTurn', () => {
  const question = createTestMessage({ id: 'q9', text: 'And now?', createdAt: 8 })
  const answer = createTestMessage({ id: 'a9', parentId: 'q9', role: 'assistant', createdAt: 9 })

  it.each([
    ['names a new chat', '', 'And now?'],
    ['keeps the title of a chat', 'Birds', 'Birds'],
  ])('%s', (_, title, after) => {
    const chat = addTurn(makeChat(TREE, 'a3', title), question, answer)
    expect(chat.entry).toMatchObject({ title: after, leafId: 'a9', updatedAt: 9 })
    expect(ids(chat)).toEqual(['q1', 'a1', 'a2', 'q2', 'a3', 'q9', 'a9'])
  })
})

it('shows a new version of an answer', () => {
  const chat = addVersion(makeChat(TREE, 'a3'), createTestMessage({ id: 'a4', parentId: 'q1', createdAt: 7 }))
  expect(chat.entry).toMatchObject({ leafId: 'a4', updatedAt: 7, title: 'A title' })
  expect(ids(chat).at(-1)).toBe('a4')
})

it('goes on with a broken answer and forgets how it broke', () => {
  const broken = createTestMessage({
    id: 'a',
    text: 'so far',
    state: 'failed',
    isCut: true,
    failure: { message: 'gone', status: 0 },
    background: { responseId: 'r', lastSequence: 1 },
  })
  const answer = reopenAnswer(broken, { tab: 't', at: 5 })
  expect(answer).toMatchObject({ id: 'a', text: 'so far', state: 'streaming', writer: { tab: 't', at: 5 } })
  for (const key of ['failure', 'isCut', 'background']) expect(answer).not.toHaveProperty(key)
})

describe('dropMessage', () => {
  it.each([
    ['an answer at the end', 'a3', 'q2', ['q1', 'a1', 'a2', 'q2'], 'q2'],
    ['a question with its answer', 'q2', 'a1', ['q1', 'a1', 'a2'], 'a1'],
    ['one version of an answer with all that follows', 'a1', 'q1', ['q1', 'a2'], 'a2'],
    ['the version that nobody looks at', 'a2', 'a1', ['q1', 'a1', 'q2', 'a3'], 'a3'],
    ['a message whose parent is gone', 'a3', 'none', ['q1', 'a1', 'a2', 'q2'], 'q2'],
    ['everything', 'q1', null, [], null],
    ['nothing for an unknown message', 'none', 'a3', ['q1', 'a1', 'a2', 'q2', 'a3'], 'a3'],
  ] as const)('removes %s', (_, messageId, leafId, left, end) => {
    const chat = dropMessage(makeChat(TREE, 'a3'), messageId, leafId)
    expect(ids(chat)).toEqual(left)
    expect(chat.entry.leafId).toBe(end)
    expect(chat.entry.title).toBe(left.length === 0 ? '' : 'A title')
    const known = TREE.map(({ id }) => id).filter((id) => chat.removed.has(id))
    expect([...known, ...left].sort()).toEqual(TREE.map(({ id }) => id).sort())
  })
})

it('measures a chat by its messages', () => {
  expect(measureChat(makeChat([], null)).entry.bytes).toBe(0)
  const one = measureChat(makeChat([createTestMessage({ text: '' })], null)).entry.bytes
  const more = measureChat(makeChat([createTestMessage({ text: 'abc', attachments: [file] })], null)).entry.bytes
  expect(more - one).toBe(2 * 3 + file.data.length)
})

describe('judgeUnfinished', () => {
  const background = { responseId: 'r', lastSequence: 0 }
  const other = (at: number) => ({ tab: 'other', at })

  it.each([
    ['of another tab that wrote just now', { writer: other(100) }, 'wait'],
    ['of another tab, though the server goes on', { writer: other(100), background }, 'wait'],
    ['of another tab whose clock is ahead', { writer: other(9_999_999) }, 'wait'],
    ['of a tab that has been silent', { writer: other(100 - SILENCE_MS) }, 'interrupt'],
    ['of a silent tab, where the server goes on', { writer: other(100 - SILENCE_MS), background }, 'resume'],
    ['of this tab', { writer: { tab: 'own', at: 100 } }, 'interrupt'],
    ['of this tab, where the server goes on', { writer: { tab: 'own', at: 100 }, background }, 'resume'],
    ['of nobody', {}, 'interrupt'],
    ['without a name on the server', { background: { responseId: '', lastSequence: 0 } }, 'interrupt'],
  ] as const)('decides about a message %s', (_, message, fate) => {
    expect(judgeUnfinished(message, { tab: 'own', now: 100 })).toBe(fate)
  })
})
