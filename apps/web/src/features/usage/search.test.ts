import { expect, test } from 'vitest'
import { toLabelQuery, type UsageSearch } from './search.ts'

const questions: readonly (readonly [UsageSearch, object])[] = [
  [{}, {}],
  [{ tag: 'team' }, {}],
  [{ tag: 'team:a' }, { tag: 'team:a' }],
  [{ endUser: 'u' }, { end_user: 'u' }],
  [{ group: 'tag' }, {}],
  [{ group: 'tag', tag: 'team' }, { group_by: 'tag:team' }],
  [
    { group: 'tag', tag: 'team:a:b' },
    { group_by: 'tag:team', tag: 'team:a:b' },
  ],
  [
    { group: 'endUser', endUser: 'u' },
    { group_by: 'end_user', end_user: 'u' },
  ],
  [{ group: 'endUser', tag: 'team:a' }, { group_by: 'end_user' }],
]

test.each(questions)('%j asks %j', (search, asked) => {
  expect(toLabelQuery(search)).toEqual(asked)
})
