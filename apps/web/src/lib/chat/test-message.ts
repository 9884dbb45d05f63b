import type { Message } from './types.ts'

/** A message for tests. */
export function createTestMessage(fields: Partial<Message> = {}): Message {
  return {
    id: 'message',
    chatId: 'chat',
    parentId: null,
    role: 'user',
    createdAt: 0,
    text: '',
    attachments: [],
    reasoning: '',
    toolCalls: [],
    state: 'done',
    ...fields,
  }
}
