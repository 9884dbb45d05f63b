import type { Logger } from '../ports.ts'
import type { Bus, BusLink } from './bus.ts'
import { Channel } from './channel.ts'
import { isSubject, type Subject } from './subjects.ts'

/** Options of {@link createBus}. */
export interface BusOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** The way to other processes. @default none */
  readonly link?: BusLink | undefined
}

type Channels = { readonly [S in Subject]: Channel<S> }

/** Creates a bus. Without a link it joins the parts of one process. */
export function createBus({ logger, link }: BusOptions): Bus {
  const channels = createChannels(logger)
  const find = <S extends Subject>(subject: S): Channel<S> => channels[subject]
  let isClosed = false
  link?.receive((subject, text) => {
    if (!isClosed && isSubject(subject)) channels[subject].take(text)
  })
  return {
    publish(subject, message) {
      if (isClosed) return
      const channel = find(subject)
      if (link !== undefined) {
        const text = channel.toText(message)
        if (text !== undefined) link.send(subject, text)
      }
      channel.deliver(message)
    },
    subscribe(subject, listener, { signal } = {}) {
      if (isClosed || signal?.aborted === true) return () => undefined
      return find(subject).subscribe(listener, signal)
    },
    refreshWith: (subject, refresh) => find(subject).refreshWith(refresh),
    async close() {
      isClosed = true
      try {
        await link?.close()
      } finally {
        await Promise.all(Object.values(channels).map((channel) => channel.close()))
      }
    },
  }
}

function createChannels(logger: BusOptions['logger']): Channels {
  return {
    'settings.changed': new Channel('settings.changed', logger),
    'models.changed': new Channel('models.changed', logger),
    'files.changed': new Channel('files.changed', logger),
    'rights.revoked': new Channel('rights.revoked', logger),
    'operations.changed': new Channel('operations.changed', logger),
    'operations.stopped': new Channel('operations.stopped', logger),
    'responses.changed': new Channel('responses.changed', logger),
    'responses.stopped': new Channel('responses.stopped', logger),
    'agents.changed': new Channel('agents.changed', logger),
    'nodes.changed': new Channel('nodes.changed', logger),
    'loads.changed': new Channel('loads.changed', logger),
    'failover.changed': new Channel('failover.changed', logger),
  }
}
