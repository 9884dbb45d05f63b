import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createLastUse } from './last-use.ts'
import { createMemoryStores } from './memory/index.ts'

const call = { signal: new AbortController().signal }

it('keeps what could not be written, and never more than 10,000 keys', async () => {
  const { apiKeys } = createMemoryStores()
  const clock = createFakeClock()
  const written: (readonly { readonly id: string; readonly at: number }[])[] = []
  let isAway = true
  const store = {
    ...apiKeys,
    async touch(uses: readonly { readonly id: string; readonly at: number }[]) {
      if (isAway) throw new SvcError('unavailable', 'away')
      written.push(uses)
    },
  }
  const lastUse = createLastUse({ store, clock })
  await lastUse.flush(call)
  lastUse.note('a')
  await expect(lastUse.flush(call)).rejects.toMatchObject({ kind: 'unavailable' })
  await clock.advance(5)
  lastUse.note('a')
  for (let index = 0; index < 10_000; index += 1) lastUse.note(`k${index}`)
  isAway = false
  await lastUse.flush(call)
  await lastUse.flush(call)
  expect(written.map(({ length }) => length)).toEqual([10_000])
  expect(written[0]?.some(({ id }) => id === 'a')).toBe(false)
})
