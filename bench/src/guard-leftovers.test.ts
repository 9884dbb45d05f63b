import { expect, it } from 'vitest'
import { findLeftovers } from './guard-leftovers.ts'

const LIST = `worktree /home/someone/svc
HEAD 1111111111111111111111111111111111111111
branch refs/heads/main

worktree /tmp/svc-guard-41-a1B2c3/checkout
HEAD 2222222222222222222222222222222222222222
detached

worktree /tmp/svc-guard-42-a1B2c3/checkout
HEAD 2222222222222222222222222222222222222222
detached

worktree /tmp/my-svc-guard-43-a1B2c3/checkout
HEAD 2222222222222222222222222222222222222222
detached

worktree /tmp/svc-guard-44-a1B2c3/other
HEAD 2222222222222222222222222222222222222222
detached
`

it('finds the folders of ended runs, and nothing else', () => {
  expect(findLeftovers(LIST, { isRunning: (pid) => pid === 42 })).toEqual(['/tmp/svc-guard-41-a1B2c3'])
  expect(findLeftovers('', { isRunning: () => false })).toEqual([])
})
