// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { Viewer } from '../../lib/session.ts'
import { BODIES, compareVectors, isComplete, listKinds, writeCurl } from './kinds.ts'

const viewer = (isAdmin: boolean, permissions: Viewer['permissions']): Viewer => ({
  kind: 'account',
  isAdmin,
  permissions,
  id: '1',
  name: 'Ann',
  email: '',
  avatarUrl: '',
  provider: 'local',
})

describe('kinds of the playground', () => {
  it('lists what the server serves and the viewer may use', () => {
    const capabilities = { embeddings: true, rerank: true, tokenize: false, moderation: true }
    expect(listKinds(capabilities, viewer(false, { embeddings: true, tokenize: true }))).toEqual(['embeddings'])
    expect(listKinds(capabilities, viewer(true, {}))).toEqual(['embeddings', 'rerank', 'moderation', 'score'])
  })

  it('sends each line as a text of its own', () => {
    const input = { text: 'a\n\n b \r\n', list: 'one\ntwo' }
    expect(BODIES.embeddings('m', input).input).toEqual(['a', ' b \r'])
    expect(BODIES.rerank('m', input).documents).toEqual(['one', 'two'])
  })

  it('needs a list where the kind has one', () => {
    expect(isComplete('rerank', 'm', { text: 'q', list: ' \n' })).toBe(false)
    expect(isComplete('rerank', 'm', { text: 'q', list: 'a' })).toBe(true)
    expect(isComplete('tokenize', 'm', { text: ' ', list: '' })).toBe(true)
    expect(isComplete('embeddings', undefined, { text: 'a', list: '' })).toBe(false)
  })

  it('quotes the body of the command for a shell', () => {
    const command = writeCurl('http://host.example/v1/tokenize', { content: "it's" }, true)
    expect(command).toContain(String.raw`"content": "it'\''s"`)
    expect(command).toContain('"Authorization: Bearer $KEY"')
    expect(writeCurl('http://host.example/', {}, false)).not.toContain('Authorization')
  })

  it('compares vectors by their angle', () => {
    expect(compareVectors([1, 0], [2, 0])).toBe(1)
    expect(compareVectors([1, 0], [0, 3])).toBe(0)
    expect(compareVectors([1, 1], [-1, -1])).toBeCloseTo(-1)
    expect(compareVectors([0, 0], [1, 1])).toBe(0)
  })
})
