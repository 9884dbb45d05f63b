import { expect, it } from 'vitest'
import { findFormat } from './scanned-path.ts'

it.each([
  '/v1/messages',
  '//v1/messages',
  '/v1//messages',
  '/v1/messages/',
  '/v1/messages?beta=true',
  '/v1/messages#x',
  '/v1/%6Dessages',
  '/v1/%256Dessages',
  '/v1/%25256Dessages',
  '/v1%2Fmessages',
  '/v1/messages;x=1',
  '/v1;y/messages;x',
  '/V1/Messages',
  '/v1/./messages',
  '/v1/x/../messages',
  '/v1/%2e%2e/v1/messages',
  '/../v1/messages',
  '\\v1\\messages',
  '/v1/messages%20',
  '/v1/messages%00',
  '/v1/messages%3Fx',
  '/x%3F/../v1/messages',
  'http://any.example/v1/messages',
  'HTTPS://any.example//v1/messages?x',
])('%s is scanned as messages', (target) => {
  expect(findFormat(target)).toBe('messages')
})

it.each(['/v1/chat/completions', '/v1/chat//completions/?a', '/v1/chat%2fcompletions'])(
  '%s is scanned as a chat',
  (target) => {
    expect(findFormat(target)).toBe('chat-completions')
  },
)

it.each([
  '/',
  '*',
  '/v1/messages/count_tokens',
  '/v1/messages/batches',
  '/v1/models',
  '/v1/embeddings',
  '/x/v1/messages',
  '/v1/messages2',
  '/v1/x?/v1/messages',
])('%s is not scanned', (target) => {
  expect(findFormat(target)).toBeUndefined()
})
