// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { Viewer } from '../../lib/session.ts'
import { writeCurl, writeFormCurl } from './commands.ts'
import { BODIES, compareVectors, isComplete, listKinds } from './kinds.ts'

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
    expect(listKinds({ audio_speech: true, audio_transcription: true }, viewer(false, { audio_speech: true }))).toEqual(
      ['speech'],
    )
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
    expect(writeCurl('http://host.example/', {}, { needsKey: false, output: 'a.wav' })).toContain('-o a.wav')
    const form = writeFormCurl(
      'http://host.example/',
      [
        ['prompt', "it's"],
        ['file', '@a.wav'],
      ],
      false,
    )
    expect(form).toBe(String.raw`curl http://host.example/ \
  -F 'prompt=it'\''s' \
  -F file=@a.wav`)
  })

  it('compares vectors by their angle', () => {
    expect(compareVectors([1, 0], [2, 0])).toBe(1)
    expect(compareVectors([1, 0], [0, 3])).toBe(0)
    expect(compareVectors([1, 1], [-1, -1])).toBeCloseTo(-1)
    expect(compareVectors([0, 0], [1, 1])).toBe(0)
  })
})
