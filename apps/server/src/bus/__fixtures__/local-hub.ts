import type { BusLink } from '../bus.ts'

/** Joins the buses of one process, as if each were a process of its own. */
export interface LocalHub {
  link(): BusLink
  /** Number of times that each message arrives. @default 1 */
  times: number
}

/** Creates a hub without links. */
export function createLocalHub(): LocalHub {
  const receivers = new Map<BusLink, (subject: string, text: string) => void>()
  const hub: LocalHub = {
    times: 1,
    link() {
      const own: BusLink = {
        send(subject, text) {
          for (const link of receivers.keys()) {
            if (link === own) continue
            for (let left = hub.times; left > 0; left -= 1) {
              setImmediate(() => receivers.get(link)?.(subject, text))
            }
          }
        },
        receive: (onMessage) => void receivers.set(own, onMessage),
        close: async () => void receivers.delete(own),
      }
      return own
    },
  }
  return hub
}
