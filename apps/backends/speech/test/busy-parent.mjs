/**
 * Starts an engine's process that computes for ever, and says its number.
 *
 * @module
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const child = fork(fileURLToPath(new URL('fake-process.mjs', import.meta.url)), {
  execArgv: [],
  serialization: 'advanced',
})
child.send({ kind: 'load', settings: { kind: 'echo' } })
child.once('message', () => {
  child.send({ kind: 'call', request: { kind: 'spin' } })
  setTimeout(() => process.send?.(child.pid), 500)
})
