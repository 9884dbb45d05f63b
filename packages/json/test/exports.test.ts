import * as json from '@svc/json'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(json).sort()).toEqual([
    'DEFAULT_MAX_DEPTH',
    'DEFAULT_MAX_NODES',
    'JsonError',
    'MAX_JSON_BYTES',
    'applySplices',
    'encodeJsonString',
    'parseJson',
    'parseJsonCooperatively',
    'runInSlices',
    'spliceCooperatively',
    'toValueCooperatively',
    'walkStrings',
  ])
})
