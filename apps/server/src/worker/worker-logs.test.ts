import { eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { LogLine } from '../backends/log-ring.ts'
import { createLogRings } from '../backends/log-rings.ts'
import { createWorkerLogs } from './worker-logs.ts'

const toLine = (text: string): LogLine => ({ timestamp: 1, stream: 'stdout', text })

function open() {
  const rings = createLogRings()
  const logs = createWorkerLogs({
    names: () => rings.names(),
    lines: (name) => rings.get(name)?.lines() ?? [],
    follow: (name, from) => rings.get(name)?.open(from),
    flush: () => undefined,
    clear: (name) => rings.get(name)?.clear(),
  })
  return { rings, logs }
}

it('reads the output of models', () => {
  const { rings, logs } = open()
  rings.open('m').append(toLine('one'))
  expect(logs.models()).toEqual(['m'])
  expect(logs.read('m')).toEqual([toLine('one')])
  expect(logs.read('x')).toBeUndefined()
  expect(logs.follow('x', () => undefined)).toBeUndefined()
})

it('tells new lines until it is ended, and goes on without a listener that fails', async () => {
  const { rings, logs } = open()
  const ring = rings.open('m')
  ring.append(toLine('old'))
  const heard: string[] = []
  const end = logs.follow('m', ({ text }) => heard.push(text))
  const endFailing = logs.follow('m', () => {
    throw new Error('gone')
  })
  ring.append(toLine('one'))
  ring.append(toLine('two'))
  await eventually(() => expect(heard).toEqual(['one', 'two']))
  end?.()
  endFailing?.()
  ring.append(toLine('three'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual(['one', 'two'])
})
