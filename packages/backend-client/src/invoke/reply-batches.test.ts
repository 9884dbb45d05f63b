import { expect, it } from 'vitest'
import { Connection } from '../connection/connection.ts'
import { Call } from './call.ts'
import { ReplyBatches } from './reply-batches.ts'

function createWorld() {
  const got: string[][] = []
  const batches = new ReplyBatches<string>({
    sink: { onReplies: (replies) => void got.push([...replies]), onEnd: () => void got.push(['end']) },
    decode: (bytes) => bytes.toString(),
    signal: undefined,
    idleTimeoutMs: undefined,
    onIdle: () => {},
  })
  const connection = new Connection({ address: '127.0.0.1:1', token: undefined, maxMessageBytes: 1000 })
  const call = new Call(connection, { path: '/a/b', send: () => {}, options: {} }, batches)
  return { got, batches, push: (text: string) => batches.onMessage(Buffer.from(text), call) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('hands on the replies of a turn of the loop together, with promise jobs between them', async () => {
  const { got, batches, push } = createWorld()
  push('a')
  await Promise.resolve()
  push('b')
  batches.onEnd(undefined)
  expect(got).toEqual([])
  await turn()
  expect(got).toEqual([['a', 'b'], ['end']])
})

it('hands on a large batch before the turn is over', async () => {
  const { got, push } = createWorld()
  const large = 'x'.repeat(64 * 1024)
  push(large)
  push('a')
  expect(got).toEqual([[large]])
  await turn()
  expect(got).toEqual([[large], ['a']])
})
