import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { OnnxError } from '../errors.ts'
import type { GraphReply, GraphRequest } from './protocol.ts'

/** A process that runs a graph, seen from its parent. */
export interface GraphProcess {
  readonly child: ChildProcess
  readonly hasEnded: boolean
  /** Ends the process; pending requests fail. */
  close(): Promise<void>
}

/** Starts a process without a graph. It ends with this process in any case. */
export function startGraphProcess(): GraphProcess {
  const program = import.meta.url.endsWith('.ts') ? './graph-process.mjs' : './graph-process.js'
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => {})
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  return {
    child,
    get hasEnded() {
      return hasEnded
    },
    close: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Sends one request and awaits the answer. @throws OnnxError `internal`, code `model_failed`, when the process ends */
export function askGraph({ child, hasEnded }: GraphProcess, request: GraphRequest): Promise<GraphReply> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onMessage)
      child.off('exit', onEnd)
      child.off('error', onEnd)
    }
    // The other side is a file of this folder: its messages match the types.
    const onMessage = (reply: unknown): void => {
      settle()
      resolve(reply as GraphReply)
    }
    const onEnd = (): void => {
      settle()
      const by = child.signalCode ?? `code ${child.exitCode}`
      reject(new OnnxError('internal', `the engine ended with ${by}`, { code: 'model_failed' }))
    }
    if (hasEnded || !child.connected) return onEnd()
    child.on('message', onMessage)
    child.on('exit', onEnd)
    child.on('error', onEnd)
    child.send(request, (error) => {
      if (error !== null) onEnd()
    })
  })
}
