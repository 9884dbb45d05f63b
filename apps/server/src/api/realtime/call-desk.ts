import type { ServerConfig } from '../../config/schema.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Calls } from '../../realtime/calls/calls.ts'

/** The calls of a server, which begin with the first one. */
export interface CallDesk {
  readonly calls: () => Promise<Calls>
  /** Ends all calls. */
  close(): Promise<void>
}

/** Parts of {@link createCallDesk}. */
export interface CallDeskParts {
  readonly config: Pick<ServerConfig, 'webrtcIceInterfaces' | 'webrtcNat1To1Ips' | 'webrtcUdpPort'>
  readonly clock: Clock
  readonly log: Logger
}

/** Creates the desk. Neither code nor library of calls is loaded before the first call. */
export function createCallDesk({ config, clock, log }: CallDeskParts): CallDesk {
  let opened: Promise<Calls> | undefined

  async function open(): Promise<Calls> {
    const [{ createCalls }, { loadMediaLibrary }] = await Promise.all([
      import('../../realtime/calls/calls.ts'),
      import('../../realtime/calls/peer/library.ts'),
    ])
    const settings = {
      interfaces: config.webrtcIceInterfaces,
      outside: config.webrtcNat1To1Ips,
      udpPort: config.webrtcUdpPort,
    }
    return createCalls({ settings, loadLibrary: loadMediaLibrary, clock, log })
  }

  return {
    calls() {
      opened ??= open().catch((error: unknown) => {
        // the next call tries again
        opened = undefined
        throw error
      })
      return opened
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
