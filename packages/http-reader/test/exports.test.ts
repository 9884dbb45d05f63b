import * as reader from '@svc/http-reader'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(reader).sort()).toEqual([
    'HeadReader',
    'LINGER_BYTES',
    'LINGER_MS',
    'MAX_AHEAD_BYTES',
    'NO_HEADERS',
    'PLAIN_METHODS',
    'Reply',
    'createLastReply',
    'createRequestReader',
    'endConnection',
    'listMissing',
    'toPreparedHeaders',
    'watchHalfClosed',
    'watchUnread',
  ])
})
