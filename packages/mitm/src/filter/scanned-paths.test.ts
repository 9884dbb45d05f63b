import { describe, expect, it } from 'vitest'
import { createScannedPaths, findPathFault } from './scanned-paths.ts'

const { findFormat } = createScannedPaths()

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
  '/v1/responses',
  '/v1/completions',
  '/openai/v1/chat/completions',
  '/v1/embeddings',
  '/x/v1/messages',
  '/v1/messages2',
  '/v1/x?/v1/messages',
])('%s is not scanned', (target) => {
  expect(findFormat(target)).toBeUndefined()
})

describe('paths beside the usual ones', () => {
  const ADDED = createScannedPaths([
    '/v1/responses',
    '/V1//embeddings/',
    '/v1/messages/count_tokens',
    '/openai/deployments/*/chat/completions',
    '/*/v1/*/completions',
    'no path',
  ])

  it('stand behind them, in canonical form, and the others of providers are named', () => {
    expect(ADDED.paths).toEqual([
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/responses',
      '/v1/embeddings',
      '/v1/messages/count_tokens',
      '/openai/deployments/*/chat/completions',
      '/*/v1/*/completions',
    ])
    expect(ADDED.unread).toEqual(['/v1/completions'])
    expect(createScannedPaths().unread).toEqual([
      '/v1/responses',
      '/v1/completions',
      '/v1/embeddings',
      '/v1/messages/count_tokens',
    ])
    expect(createScannedPaths(['/*/embeddings']).unread).not.toContain('/v1/embeddings')
  })

  it.each([
    ['/v1/messages', 'messages'],
    ['/v1/responses?stream=1', 'responses'],
    ['/v1/%72esponses', 'responses'],
    ['/v1/embeddings', 'embeddings'],
    ['/v1/messages/count_tokens', 'messages'],
    ['/openai/deployments/gpt/chat/completions?api-version=1', 'chat-completions'],
    ['/openai/deployments/a%2Fb/chat/completions', 'chat-completions'],
    ['/OpenAI/x/../deployments/G;p/chat/completions/', 'chat-completions'],
    ['/p/v1/engines/x/completions', 'completions'],
    ['/openai/deployments/chat/completions', undefined],
    ['/openai/deployments//chat/completions', undefined],
    ['/v1/x/completions', undefined],
    ['/v1/responses/resp_1', undefined],
    ['/v1/completions', undefined],
    ['/x/openai/deployments/gpt/chat/completions', undefined],
  ])('%s is read as %s', (target, format) => {
    expect(ADDED.findFormat(target)).toBe(format)
  })

  it.each([
    ['', 'is not a path'],
    ['v1/responses', 'is not a path'],
    ['https://api.example/v1/responses', 'is not a path'],
    ['/v1/responses?x=1', 'is not a path'],
    ['/v1/%72esponses', 'is not a path'],
    ['/v1/ responses', 'is not a path'],
    ['/', 'ends in none of'],
    ['/*', 'ends in none of'],
    ['/v1/files', 'ends in none of'],
    ['/v1/myresponses', 'ends in none of'],
    ['/v1/resp*', 'beside other characters'],
    ['/**/responses', 'beside other characters'],
  ])('%s can match nothing: %s', (entry, reason) => {
    expect(findPathFault(entry)).toContain(reason)
    expect(createScannedPaths([entry]).paths).toHaveLength(2)
  })

  it('take a hostile target in a moment', () => {
    const many = createScannedPaths([`/${'*/'.repeat(500)}completions`])
    expect(many.findFormat(`/${'a/'.repeat(8000)}completion`)).toBeUndefined()
    expect(many.findFormat(`/${'a/'.repeat(8000)}completions`)).toBe('completions')
  })
})
