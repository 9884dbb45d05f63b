import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { BusLink } from '../../bus/bus.ts'
import type { Messenger } from '../contract/messenger.ts'
import { ALL_HINTS, hintSubject } from '../contract/subjects.ts'

const PREFIX = hintSubject('')

const hint = z.object({ from: z.string(), text: z.string() })

/**
 * Carries the hints of front ends over a messenger. A hint is lost while the bus is away, and when it is longer than a
 * payload may be. Closing the link leaves the messenger open.
 */
export function createNatsLink(messenger: Pick<Messenger, 'publish' | 'subscribe'>): BusLink {
  // The bus sends each hint back to its sender as well.
  const from = randomUUID()
  let end = (): void => undefined
  let isClosed = false
  return {
    send(subject, text) {
      if (!isClosed) messenger.publish(hintSubject(subject), { from, text })
    },
    receive(onMessage) {
      end = messenger.subscribe(ALL_HINTS, (payload, subject) => {
        const message = hint.safeParse(payload).data
        if (message !== undefined && message.from !== from) onMessage(subject.slice(PREFIX.length), message.text)
      })
    },
    async close() {
      isClosed = true
      end()
    },
  }
}
