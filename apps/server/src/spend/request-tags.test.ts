import { SvcError } from '@svc/errors'
import { expect, it } from 'vitest'
import { readRequestTags } from './request-tags.ts'

const read = (header: string | undefined) => ({ ...readRequestTags(header) })

it.each([
  [undefined, {}],
  ['', {}],
  ['  ', {}],
  ['team=a', { team: 'a' }],
  ['team=a,feature=b', { team: 'a', feature: 'b' }],
  [' team = a b , feature=b=c ', { team: 'a b', feature: 'b=c' }],
  ['team=', { team: '' }],
  ['cost.center_1-x=Köln', { 'cost.center_1-x': 'Köln' }],
  ['constructor=a,__proto__=b', { constructor: 'a', ['__proto__']: 'b' }],
  [`${'n'.repeat(32)}=${'v'.repeat(64)}`, { ['n'.repeat(32)]: 'v'.repeat(64) }],
  [
    Array.from({ length: 16 }, (_, index) => `t${index}=x`).join(),
    Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`t${index}`, 'x'])),
  ],
])('%j', (header, tags) => {
  expect(Object.entries(readRequestTags(header))).toEqual(Object.entries(tags))
})

it.each([
  ['team', 'tag 1 must be name=value'],
  ['team=a,', 'tag 2 must be name=value'],
  ['=a', 'tag 1: a name'],
  ['Team=a', 'tag 1: a name'],
  ['te am=a', 'tag 1: a name'],
  [`${'n'.repeat(33)}=a`, 'tag 1: a name'],
  ['tëam=a', 'tag 1: a name'],
  [`team=${'v'.repeat(65)}`, 'tag 1: a value'],
  ['team=a\u0001', 'tag 1: a value'],
  ['team=a,team=b', 'comes twice'],
  [Array.from({ length: 17 }, (_, index) => `t${index}=x`).join(), 'more than 16'],
  [','.repeat(5_000), 'longer'],
])('refuses %j', (header, reason) => {
  let thrown: unknown
  try {
    read(header)
  } catch (error) {
    thrown = error
  }
  expect(SvcError.is(thrown) && thrown).toMatchObject({ kind: 'invalid_request', code: 'invalid_tags' })
  expect((thrown as Error).message).toContain(reason)
  // A value may be private.
  expect((thrown as Error).message).not.toContain('vvv')
})
