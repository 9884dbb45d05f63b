import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sourceArguments } from '@svc/test-kit'
import type { BusLink } from '../bus.ts'
import type { BusPeer, HeardMessage } from './bus-peer.ts'
import { createSocketLink } from './socket-link.ts'

/** A process with members of the bus. */
export interface BusProcess extends AsyncDisposable {
  /** Opens a link to a new member. */
  open(): Promise<{ readonly link: BusLink; readonly peer: BusPeer }>
}

/** Starts the process. */
export async function startBusProcess(): Promise<BusProcess> {
  const child = spawn(process.execPath, sourceArguments(new URL('bus-process.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port }] = await once(child, 'message')
  return {
    async open() {
      const connected = once(child, 'message')
      const socket = connect(port, '127.0.0.1')
      await Promise.all([once(socket, 'connect'), connected])
      return { link: createSocketLink(socket), peer: commandPeer(child) }
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The member in the process, by commands. */
function commandPeer(child: ChildProcess): BusPeer {
  let last = 0
  const ask = (command: object): Promise<readonly HeardMessage[]> => {
    last += 1
    const id = last
    return new Promise((resolve) => {
      const onMessage = (answer: { readonly id?: number; readonly heard: readonly HeardMessage[] }): void => {
        if (answer.id !== id) return
        child.off('message', onMessage)
        resolve(answer.heard)
      }
      child.on('message', onMessage)
      child.send({ id, ...command })
    })
  }
  return {
    publish: async (subject, message) => void (await ask({ publish: { subject, message } })),
    heard: () => ask({}),
  }
}
