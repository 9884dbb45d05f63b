import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect, it } from 'vitest'
import { LIST_MS, MAX_LIST_LENGTH } from './limits.ts'
import { createSessionLists } from './session-lists.ts'

/** Lists over pages that `answer` gives, and the time limits with which they were asked for. */
function world(answer: (page: number) => Promise<readonly object[]>) {
  const limits: number[] = []
  const client = {
    setNotificationHandler: () => undefined,
    getServerCapabilities: () => ({ tools: {} }),
    async request(_: unknown, __: unknown, { timeout }: { readonly timeout: number }) {
      limits.push(timeout)
      return { entries: await answer(limits.length), nextCursor: String(limits.length) }
    },
  }
  // Lists use nothing else.
  return { limits, lists: createSessionLists(client as unknown as Client) }
}

it('all pages of a list share its time', async () => {
  const { limits, lists } = world(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return [{ name: 'a' }]
  })
  await lists.read('tools')
  expect(limits[0]).toBeLessThanOrEqual(LIST_MS)
  expect(limits.at(-1)).toBeLessThan(LIST_MS - 500)
})

it('no further page is read of a list that is long', async () => {
  const { limits, lists } = world(async () => [{ description: 'x'.repeat(MAX_LIST_LENGTH / 2) }])
  expect(await lists.read('tools')).toHaveLength(2)
  expect(limits).toHaveLength(2)
})
