import * as documents from '@svc/documents'
import * as binary from '@svc/documents/binary'
import * as zip from '@svc/documents/zip'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(documents).sort()).toEqual([
    ...['CHUNK_LIMITS', 'DocumentError', 'HEAD_BYTES', 'cutText', 'estimateTokens', 'extractText', 'findDocumentType'],
  ])
  expect(Object.keys(zip)).toEqual(['openZip'])
  expect(Object.keys(binary).sort()).toEqual(['BINARY_LIMITS', 'readBinary'])
})
