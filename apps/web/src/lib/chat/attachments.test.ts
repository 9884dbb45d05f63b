import { expect, test } from 'vitest'
import { findKind } from './attachments.ts'

test.each([
  ['notes.txt', 'text/plain', 'text'],
  ['data.json', 'application/json', 'text'],
  ['main.rs', '', 'text'],
  ['Dockerfile.dockerfile', '', 'text'],
  ['a.ts', 'video/mp2t', 'text'],
  ['a.svg', 'image/svg+xml', 'text'],
  ['cat.png', 'image/png', 'image'],
  ['a.mp3', 'audio/mpeg', 'audio'],
  ['a.mp4', 'video/mp4', 'video'],
  ['a.zip', 'application/zip', undefined],
  ['program', '', undefined],
])('%s of type "%s" is %s', (name, type, kind) => {
  expect(findKind({ name, type })).toBe(kind)
})
